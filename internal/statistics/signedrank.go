package statistics

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// mostDifferences is how many pairs the signed-rank test takes; its distribution is always the exact one.
const mostDifferences = 200

// SignedRank tests whether paired differences lie around 0 (Wilcoxon 1945, "Individual comparisons by ranking
// methods"): a difference is as likely to be of one sign as of the other when the two sides of a pair are alike,
// whatever else moves both of them. No distribution is assumed.
//
// P is exact, with ties as well: conditional on the absolute differences, over all ways to give them signs. Pairs
// without a difference say nothing and are left out, as R has it. U is the sum of the ranks of the positive ones.
//
// There are at most 200 differences, and no fewer than SmallestPairs can ever tell anything.
func SignedRank(differences []float64) (Test, error) {
	if err := checkDifferences(differences); err != nil {
		return Test{}, err
	}
	scores, positive := signedScores(differences)
	var atMost, atLeast float64
	for reached, probability := range sumsOfSome(scores) {
		if reached <= positive {
			atMost += probability
		}
		if reached >= positive {
			atLeast += probability
		}
	}
	return Test{U: float64(positive) / 2, P: min(1, 2*min(atMost, atLeast)), Exact: true}, nil
}

func checkDifferences(differences []float64) error {
	if err := check(differences); err != nil {
		return err
	}
	if len(differences) > mostDifferences {
		return fmt.Errorf("there are %d pairs and may be %d", len(differences), mostDifferences)
	}
	return nil
}

// signedScores are the doubled ranks of what is not 0 by absolute size, those of a tie being the mean of their ranks,
// and the sum of those that are positive.
func signedScores(differences []float64) (scores []int, positive int) {
	sorted := slices.DeleteFunc(slices.Clone(differences), func(d float64) bool { return d == 0 })
	slices.SortFunc(sorted, func(x, y float64) int { return cmp.Compare(math.Abs(x), math.Abs(y)) })
	scores = make([]int, len(sorted))
	for start := 0; start < len(sorted); {
		end := start
		for end < len(sorted) && math.Abs(sorted[end]) == math.Abs(sorted[start]) {
			end++
		}
		for i := start; i < end; i++ {
			scores[i] = start + end + 1
			if sorted[i] > 0 {
				positive += scores[i]
			}
		}
		start = end
	}
	return scores, positive
}

// sumsOfSome is the distribution of the sum of some of the scores, when each is in it or not with the same probability:
// its i-th element is the probability of the sum i.
func sumsOfSome(scores []int) []float64 {
	probabilities := make([]float64, sum(scores)+1)
	probabilities[0] = 1
	reach := 0
	for _, score := range scores {
		reach += score
		for s := reach; s >= 0; s-- {
			probabilities[s] /= 2
			if s >= score {
				probabilities[s] += probabilities[s-score] / 2
			}
		}
	}
	return probabilities
}

// HodgesLehmannPaired estimates by how much the candidate of a pair is shifted, in the unit of the differences: the
// median of the means of all two differences, each with itself among them (Walsh averages). The interval is the one
// that belongs to SignedRank: it reaches from the k-th smallest to the k-th largest of these, with k from the null
// distribution (Hollander, Wolfe and Chicken, "Nonparametric statistical methods", section 3.3). With ties its
// confidence is larger than said.
//
// The confidence is between 0 and 1, both excluded, and there are at most 200 differences.
func HodgesLehmannPaired(differences []float64, confidence float64) (Effect, error) {
	if err := checkDifferences(differences); err != nil {
		return Effect{}, err
	}
	if err := checkConfidence(confidence); err != nil {
		return Effect{}, err
	}
	averages := walsh(differences)
	k, reached := pairedOrder(len(differences), confidence)
	return Effect{
		Estimate: quantileOfSorted(averages, 0.5), Interval: orderInterval(averages, k, reached, confidence),
	}, nil
}

// HodgesLehmannPairedPercent is HodgesLehmannPaired on the logarithms of the ratios of each pair: by how many percent
// of the baseline a candidate is larger. Values must be greater than 0, and there are as many of the one as of the
// other.
func HodgesLehmannPairedPercent(baseline, candidate []float64, confidence float64) (Effect, error) {
	ratios, err := LogRatios(baseline, candidate)
	if err != nil {
		return Effect{}, err
	}
	effect, err := HodgesLehmannPaired(ratios, confidence)
	if err != nil {
		return Effect{}, err
	}
	return effect.each(func(logarithm float64) float64 { return 100 * math.Expm1(logarithm) }), nil
}

// LogRatios are the logarithms of candidate over baseline of each pair.
func LogRatios(baseline, candidate []float64) ([]float64, error) {
	if err := checkTwo(baseline, candidate); err != nil {
		return nil, err
	}
	if len(baseline) != len(candidate) {
		return nil, fmt.Errorf("there are %d values of the baseline and %d of the candidate", len(baseline), len(candidate))
	}
	if slices.Min(baseline) <= 0 || slices.Min(candidate) <= 0 {
		return nil, errNoRatio
	}
	ratios := make([]float64, len(baseline))
	for i := range baseline {
		ratios[i] = math.Log(candidate[i] / baseline[i])
	}
	return ratios, nil
}

// walsh are the means of all two values, each with itself among them, sorted.
func walsh(values []float64) []float64 {
	averages := make([]float64, 0, len(values)*(len(values)+1)/2)
	for i, value := range values {
		for _, other := range values[i:] {
			averages = append(averages, value/2+other/2)
		}
	}
	slices.Sort(averages)
	return averages
}

// pairedOrder is the largest k for which the interval from the k-th smallest to the k-th largest Walsh average still
// has the confidence, and the confidence that it has; the whole range (k is 1) when none has.
func pairedOrder(pairs int, confidence float64) (k int, reached float64) {
	scores := make([]int, pairs)
	for i := range scores {
		scores[i] = i + 1
	}
	distribution := sumsOfSome(scores)
	bound := (1-confidence)/2 + tolerance
	tail := distribution[0]
	k = 1
	for k < (len(distribution)+1)/2 && tail+distribution[k] <= bound {
		tail += distribution[k]
		k++
	}
	return k, 1 - 2*tail
}

// SmallestPairs is the number of pairs below which SignedRank can find no difference, however large it is, at the
// confidence and among the tests that Holm corrects for: the smallest n for which 2 / 2^n is at most
// (1-confidence)/tests. The 95% of a single test take 6, of ten tests 9, of a hundred 12.
//
// The confidence is between 0 and 1, both excluded, and there is at least one test.
func SmallestPairs(confidence float64, tests int) (int, error) {
	if err := checkConfidence(confidence); err != nil {
		return 0, err
	}
	if tests < 1 {
		return 0, fmt.Errorf("there are %d tests and must be one at least", tests)
	}
	count, smallest := 1, 1.0
	for smallest > (1-confidence)/float64(tests)*(1+tolerance) {
		smallest /= 2
		count++
	}
	return count, nil
}
