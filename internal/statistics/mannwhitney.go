package statistics

import (
	"fmt"
	"math"
)

// Test is the outcome of a rank test.
type Test struct {
	// U is the number of pairs in which the value of the first sample is the larger one; equal ones count half. Over the
	// number of pairs it is the probability that a value of the first sample exceeds one of the second.
	U float64
	// P is the two-sided p-value, 0 to 1: how often samples of the same distribution would differ at least as much.
	P float64
	// Exact tells that P comes from the null distribution itself and not from the normal approximation.
	Exact bool
}

// MannWhitney tests whether two independent samples come from the same distribution, against one of them being shifted
// (Mann and Whitney 1947, "On a test of whether one of two random variables is stochastically larger than the other";
// the same test as Wilcoxon's rank sum). No distribution is assumed, and a single outlier weighs no more than any other
// largest value.
//
// Up to 50 values a side, P is exact, with ties as well: then it is conditional on the ties, over all ways to divide
// the values among the samples. P is twice the smaller tail and at most 1, as SciPy has it. Beyond 50 it is the normal
// approximation with corrections for ties and continuity, as R and SciPy have it. Equal values are those that are equal
// as numbers.
//
// Either sample may have one value, but no fewer than SmallestSamples can ever find a difference.
func MannWhitney(a, b []float64) (Test, error) {
	if err := checkTwo(a, b); err != nil {
		return Test{}, err
	}
	r := rank(a, b)
	test := Test{U: float64(r.first-len(a)*(len(a)-1)) / 2}
	if max(len(a), len(b)) > mostExact {
		test.P = r.approximate(test.U, len(a), len(b))
		return test, nil
	}
	test.P, test.Exact = r.exact(len(a), len(b)), true
	return test, nil
}

func (r ranking) exact(first, second int) float64 {
	scores, observed, chosen := r.scores, r.first, first
	if second < first {
		observed, chosen = sum(scores)-observed, second
	}
	if !r.tied {
		// Without ties all scores are even, and half of them makes a quarter of the work.
		observed /= 2
		for i := range scores {
			scores[i] /= 2
		}
	}
	var atMost, atLeast float64
	for reached, probability := range sumsOfChosen(scores, chosen) {
		if reached <= observed {
			atMost += probability
		}
		if reached >= observed {
			atLeast += probability
		}
	}
	return min(1, 2*min(atMost, atLeast))
}

func (r ranking) approximate(u float64, first, second int) float64 {
	m, n := float64(first), float64(second)
	all := m + n
	variance := m * n / 12 * (all + 1 - r.ties/(all*(all-1)))
	distance := math.Abs(u-m*n/2) - 0.5
	if variance <= 0 || distance <= 0 {
		return 1
	}
	return 2 * normalAbove(distance/math.Sqrt(variance))
}

// checkTwo says which of two samples nothing can be said of.
func checkTwo(first, second []float64) error {
	if err := check(first); err != nil {
		return fmt.Errorf("first sample: %w", err)
	}
	if err := check(second); err != nil {
		return fmt.Errorf("second sample: %w", err)
	}
	return nil
}
