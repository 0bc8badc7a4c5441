package statistics

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// mostPaired is how many values a side may have where all pairs are looked at: a million pairs take 8 MB.
const mostPaired = 1000

// Effect is by how much a candidate differs from its baseline. What is positive is larger in the candidate.
type Effect struct {
	Estimate float64
	Interval
}

// HodgesLehmann estimates by how much a candidate is shifted, in the unit of the values: the median of all differences
// between a value of the candidate and one of the baseline (Hodges and Lehmann 1963, "Estimates of location based on
// rank tests"). The interval is the one that belongs to MannWhitney: it reaches from the k-th smallest to the k-th
// largest difference, with k from the null distribution of U (Hollander, Wolfe and Chicken, "Nonparametric statistical
// methods", section 4.3), exact up to 50 values a side and by the normal approximation beyond. With ties its confidence
// is larger than said.
//
// The confidence is between 0 and 1, both excluded. A side has at most 1,000 values.
func HodgesLehmann(baseline, candidate []float64, confidence float64) (Effect, error) {
	if err := checkTwo(baseline, candidate); err != nil {
		return Effect{}, err
	}
	if err := checkConfidence(confidence); err != nil {
		return Effect{}, err
	}
	if max(len(baseline), len(candidate)) > mostPaired {
		return Effect{}, fmt.Errorf("a sample has more than %d values", mostPaired)
	}
	differences := make([]float64, 0, len(baseline)*len(candidate))
	for _, b := range baseline {
		for _, c := range candidate {
			differences = append(differences, c-b)
		}
	}
	slices.Sort(differences)
	k, reached := intervalOrder(len(baseline), len(candidate), confidence)
	return Effect{
		Estimate: quantileOfSorted(differences, 0.5),
		Interval: orderInterval(differences, k, reached, confidence),
	}, nil
}

// HodgesLehmannPercent estimates by how many percent of the baseline a candidate is larger: the median of all ratios of
// a value of the candidate and one of the baseline, less one. It is HodgesLehmann on logarithms, interval included.
//
// This is the effect that a verdict uses. Noise of throughputs and latencies grows with their size, so the ratio is
// what stays the same between machines; the uncertainty of the baseline is in the interval, which it is not when a
// difference is divided by the baseline's median; and the verdict is the same for a time and for its inverse, a rate.
//
// Values must be greater than 0. Of a metric that can be 0, such as errors, use HodgesLehmann and PercentOf.
func HodgesLehmannPercent(baseline, candidate []float64, confidence float64) (Effect, error) {
	if err := checkTwo(baseline, candidate); err != nil {
		return Effect{}, err
	}
	if slices.Min(baseline) <= 0 || slices.Min(candidate) <= 0 {
		return Effect{}, errors.New("there is no ratio to or of a value that is not greater than 0")
	}
	effect, err := HodgesLehmann(logarithms(baseline), logarithms(candidate), confidence)
	if err != nil {
		return Effect{}, err
	}
	return effect.each(func(logarithm float64) float64 { return 100 * math.Expm1(logarithm) }), nil
}

// PercentOf gives the effect in percent of a reference that it is taken to know exactly, such as the baseline's median
// or a fixed figure. An effect is infinite when the reference is 0, unless it is 0 itself.
func (e Effect) PercentOf(reference float64) Effect {
	return e.each(func(value float64) float64 {
		if value == 0 {
			return 0
		}
		return 100 * (value / math.Abs(reference))
	})
}

func (e Effect) each(convert func(float64) float64) Effect {
	e.Estimate, e.Low, e.High = convert(e.Estimate), convert(e.Low), convert(e.High)
	return e
}

func logarithms(values []float64) []float64 {
	logs := make([]float64, len(values))
	for i, value := range values {
		logs[i] = math.Log(value)
	}
	return logs
}

// intervalOrder is the largest k for which the interval from the k-th smallest to the k-th largest difference still
// has the confidence, and the confidence that it has; the whole range (k is 1) when none has.
func intervalOrder(first, second int, confidence float64) (k int, reached float64) {
	bound := (1-confidence)/2 + tolerance
	if max(first, second) <= mostExact {
		distribution := untied(first, second)
		tail := distribution[0]
		k = 1
		for k < (len(distribution)+1)/2 && tail+distribution[k] <= bound {
			tail += distribution[k]
			k++
		}
		return k, 1 - 2*tail
	}
	m, n := float64(first), float64(second)
	deviation := math.Sqrt(m * n * (m + n + 1) / 12)
	middle := (m*n + 1) / 2
	k = max(1, int(middle-deviation*normalExceededBy(bound)))
	return k, 1 - 2*normalAbove((middle-float64(k))/deviation)
}
