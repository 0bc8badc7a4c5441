package statistics

import (
	"cmp"
	"fmt"
	"math"
	"slices"
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

// mostExact is how many values a side may have for the exact null distribution; R stops at 49. Just beyond it the
// normal approximation is off by about 0.001.
const mostExact = 50

// ranking is what the rank test needs to know of two samples.
type ranking struct {
	// scores are the ranks of all values together, doubled and counted from 0: the values of a tie share the mean of
	// their ranks, which doubled is an integer.
	scores []int
	// first is the sum of the scores of the first sample.
	first int
	// tied tells that two values are equal, and ties is the sum of t^3-t over groups of t equal values.
	tied bool
	ties float64
}

// rank sorts two samples into one order.
func rank(first, second []float64) ranking {
	type member struct {
		value float64
		first bool
	}
	members := make([]member, 0, len(first)+len(second))
	for _, value := range first {
		members = append(members, member{value, true})
	}
	for _, value := range second {
		members = append(members, member{value, false})
	}
	slices.SortFunc(members, func(x, y member) int { return cmp.Compare(x.value, y.value) })
	r := ranking{scores: make([]int, len(members))}
	for start := 0; start < len(members); {
		end := start
		for end < len(members) && members[end].value == members[start].value {
			end++
		}
		for i := start; i < end; i++ {
			r.scores[i] = start + end - 1
			if members[i].first {
				r.first += r.scores[i]
			}
		}
		equal := float64(end - start)
		r.ties += equal*equal*equal - equal
		r.tied = r.tied || equal > 1
		start = end
	}
	return r
}

// sumsOfChosen is the distribution of the sum of so many of the scores, when each choice is as likely as any other: its
// i-th element is the probability of the sum i. It is the shift algorithm of Streitberg and Roehmel (1986), "Exact
// distributions for permutation and rank tests", which holds with ties and without: score by score, the number of ways
// to reach a sum with one value more is the number of ways to reach what is left of it.
func sumsOfChosen(scores []int, chosen int) []float64 {
	sorted := slices.Sorted(slices.Values(scores))
	largest := sum(sorted[len(sorted)-chosen:])
	// ways[k][s]: how many choices of k of the scores seen so far have the sum s.
	ways := make([][]float64, chosen+1)
	for k := range ways {
		ways[k] = make([]float64, largest+1)
	}
	ways[0][0] = 1
	for seen, score := range sorted {
		for k := min(seen+1, chosen); k > 0; k-- {
			// One value less sums up to no more than the largest that were seen do.
			reach := sum(sorted[seen-(k-1) : seen])
			with := ways[k][score:]
			for left, count := range ways[k-1][:reach+1] {
				with[left] += count
			}
		}
	}
	all := 0.0
	for _, count := range ways[chosen] {
		all += count
	}
	for i := range ways[chosen] {
		ways[chosen][i] /= all
	}
	return ways[chosen]
}

func sum(scores []int) int {
	all := 0
	for _, score := range scores {
		all += score
	}
	return all
}

// untied is the distribution of U, the number of pairs in which the value of the first sample is the larger one, when
// no values are equal.
func untied(first, second int) []float64 {
	scores := make([]int, first+second)
	for i := range scores {
		scores[i] = i
	}
	// U is symmetric in the samples, and choosing the smaller one is less work.
	chosen := min(first, second)
	return sumsOfChosen(scores, chosen)[chosen*(chosen-1)/2:]
}
