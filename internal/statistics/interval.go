package statistics

import (
	"fmt"
	"math"
	"slices"
)

// tolerance is by how much a probability may miss a bound through rounding and still count as reaching it.
const tolerance = 1e-12

// Interval is where an unknown figure lies, both ends included.
type Interval struct {
	// Low and High are in the unit of the values.
	Low, High float64
	// Confidence that was reached, 0 to 1: at least what was asked, since order statistics come in steps; less only when
	// there are too few values for it. Then the interval is as wide as the values allow.
	Confidence float64
}

// MedianInterval is the confidence interval of the median of what the values were drawn from, in their unit. It assumes
// no distribution: its ends are the k-th smallest and k-th largest value, with k from the binomial distribution
// (Conover, "Practical nonparametric statistics", 3rd edition, section 3.2; Hahn and Meeker, "Statistical intervals",
// section 5.2). 95% takes six values, 99% eight. With ties its confidence is larger than said.
//
// The confidence is between 0 and 1, both excluded.
func MedianInterval(values []float64, confidence float64) (Interval, error) {
	if err := check(values); err != nil {
		return Interval{}, err
	}
	if err := checkConfidence(confidence); err != nil {
		return Interval{}, err
	}
	sorted, tail := slices.Sorted(slices.Values(values)), 0.0
	half := (len(sorted) + 1) / 2
	// The median lies below the k-th smallest value when fewer than k values lie below the median.
	var k int
	for k < half {
		next := tail + binomialHalf(len(sorted), k)
		if k > 0 && 2*next > 1-confidence+tolerance {
			break
		}
		tail = next
		k++
	}
	return orderInterval(sorted, k, 1-2*tail, confidence), nil
}

// orderInterval reaches from the k-th smallest to the k-th largest of the values.
func orderInterval(sorted []float64, k int, reached, asked float64) Interval {
	if math.Abs(reached-asked) <= tolerance {
		reached = asked
	}
	return Interval{Low: sorted[k-1], High: sorted[len(sorted)-k], Confidence: max(0, reached)}
}

// binomialHalf is the probability that count tosses of a coin give so many heads.
func binomialHalf(count, heads int) float64 {
	return math.Exp(logChoose(count, heads) - float64(count)*math.Ln2)
}

// logChoose is the logarithm of how many ways there are to choose so many of all.
func logChoose(all, chosen int) float64 {
	a, _ := math.Lgamma(float64(all + 1))
	b, _ := math.Lgamma(float64(chosen + 1))
	c, _ := math.Lgamma(float64(all - chosen + 1))
	return a - b - c
}

func checkConfidence(confidence float64) error {
	if !(confidence > 0 && confidence < 1) {
		return fmt.Errorf("the confidence is %g and must lie between 0 and 1", confidence)
	}
	return nil
}

// normalAbove is the probability that a standard normal variable exceeds z.
func normalAbove(z float64) float64 {
	return math.Erfc(z/math.Sqrt2) / 2
}

// normalExceededBy is the z that a standard normal variable exceeds with the given probability.
func normalExceededBy(probability float64) float64 {
	return math.Sqrt2 * math.Erfcinv(2*probability)
}
