package statistics

import "slices"

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
	slices.SortFunc(members, func(x, y member) int {
		switch {
		case x.value < y.value:
			return -1
		case x.value > y.value:
			return 1
		}
		return 0
	})
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
