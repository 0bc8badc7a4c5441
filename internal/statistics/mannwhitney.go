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

// sumsOfChosen is the distribution of the sum of a number of the scores, when each choice is equally likely: its
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
		return Effect{}, errNoRatio
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

// Holm adjusts the p-values of tests that are made together: whoever rejects what is at or below alpha is wrong about
// any of them with a probability of at most alpha, however the tests depend on each other (Holm 1979, "A simple
// sequentially rejective multiple test procedure"; p.adjust of R). The order is kept.
//
// A value that is no probability (NaN among them) stands for a test that could not be made: it becomes NaN and is not
// counted.
func Holm(p []float64) []float64 {
	adjusted := make([]float64, len(p))
	order := make([]int, 0, len(p))
	for i, value := range p {
		adjusted[i] = math.NaN()
		if value >= 0 && value <= 1 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(p[x], p[y]) })
	largest := 0.0
	for position, i := range order {
		largest = max(largest, min(1, p[i]*float64(len(order)-position)))
		adjusted[i] = largest
	}
	return adjusted
}
