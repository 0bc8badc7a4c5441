package statistics

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Design is how many values a comparison has, and whether they are pairs: then there are as many of the one side as of
// the other.
type Design struct {
	Baseline, Candidate int
	Paired              bool
}

// Detector tells how large a change must be for a design to find it.
type Detector struct {
	// reach are two numbers for each of many samples without any change, in deviations of a value: by how much the sample
	// must be shifted so that the interval has 0 on its one side, and so that the estimate is 0.
	reach []reach
	// deviations of the estimate, and of the bound below it, where the samples are too large to be drawn.
	error, bound float64
}

type reach struct{ interval, estimate float64 }

const (
	// drawnSamples is how many samples a Detector draws: the power that it tells is right to three in a hundred.
	drawnSamples = 999
	// mostDrawn is how many values a side may have for its samples to be drawn; a normal approximation is as good beyond.
	mostDrawn = 30
	// rankEfficiency is that of rank tests on normal noise, 3/pi.
	rankEfficiency = 3 / math.Pi
)

// NewDetector prepares for a design and a two-sided significance level alpha, which is that of one test: give alpha/m
// for the first of m tests that Holm corrects for. Noise is supposed to be normal.
func NewDetector(design Design, alpha float64) (Detector, error) {
	switch {
	case min(design.Baseline, design.Candidate) < 1 || design.Paired && design.Baseline != design.Candidate:
		return Detector{}, fmt.Errorf("%d values of the baseline and %d of the candidate are no design",
			design.Baseline, design.Candidate)
	case !(alpha > 0 && alpha < 1):
		return Detector{}, fmt.Errorf("alpha is %g and must lie between 0 and 1", alpha)
	}
	if max(design.Baseline, design.Candidate) > mostDrawn {
		share := 1/float64(design.Baseline) + 1/float64(design.Candidate)
		deviation := math.Sqrt(share / rankEfficiency)
		return Detector{error: deviation, bound: deviation * normalExceededBy(alpha/2)}, nil
	}
	k, reached := design.order(1 - alpha)
	if 1-reached > alpha+tolerance {
		return Detector{}, errors.New("no change would be found, however large")
	}
	// The same numbers for each design, so that the same values give the same words.
	random := rand.New(rand.NewPCG(uint64(design.Baseline), uint64(design.Candidate)))
	detector := Detector{reach: make([]reach, drawnSamples)}
	for i := range detector.reach {
		differences := design.draw(random)
		detector.reach[i] = reach{interval: -differences[k-1], estimate: -quantileOfSorted(differences, 0.5)}
	}
	return detector, nil
}

// order is that of the interval of a confidence.
func (d Design) order(confidence float64) (k int, reached float64) {
	if d.Paired {
		return pairedOrder(d.Baseline, confidence)
	}
	return intervalOrder(d.Baseline, d.Candidate, confidence)
}

// draw is what an interval is taken from, sorted: the Walsh averages of the differences of pairs, or all differences
// between two samples.
func (d Design) draw(random *rand.Rand) []float64 {
	baseline, candidate := make([]float64, d.Baseline), make([]float64, d.Candidate)
	for _, side := range [][]float64{baseline, candidate} {
		for i := range side {
			side[i] = random.NormFloat64()
		}
	}
	if d.Paired {
		for i := range candidate {
			candidate[i] -= baseline[i]
		}
		return walsh(candidate)
	}
	differences := make([]float64, 0, len(baseline)*len(candidate))
	for _, b := range baseline {
		for _, c := range candidate {
			differences = append(differences, c-b)
		}
	}
	slices.Sort(differences)
	return differences
}

// Detectable is the smallest change that is found with a probability of power, in the unit of the deviation: one
// value's standard deviation, without what moves both sides of a pair. A change is found when its interval is beyond 0
// and its estimate at least as large as least.
func (d Detector) Detectable(deviation, least, power float64) float64 {
	if len(d.reach) == 0 {
		return max(d.bound*deviation, least) + d.error*deviation*normalExceededBy(1-power)
	}
	needed := make([]float64, len(d.reach))
	for i, one := range d.reach {
		needed[i] = max(one.interval*deviation, least+one.estimate*deviation)
	}
	return Quantile(needed, power)
}
