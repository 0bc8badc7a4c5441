package statistics

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// mostSamples is more repetitions than anyone makes.
const mostSamples = 1_000_000

// SmallestSamples is the number of repetitions per side below which MannWhitney can find no difference, however large
// it is, at the confidence and among the tests that Holm corrects for: the smallest n for which the smallest exact
// p-value without ties, 2 / (2n over n), is at most (1-confidence)/tests. The 95% of a single test take 4, of ten tests
// 6, of a hundred 8.
//
// The confidence is between 0 and 1, both excluded, and there is at least one test.
func SmallestSamples(confidence float64, tests int) (int, error) {
	if err := checkConfidence(confidence); err != nil {
		return 0, err
	}
	if tests < 1 {
		return 0, fmt.Errorf("there are %d tests and must be one at least", tests)
	}
	return smallestSamples((1 - confidence) / float64(tests)), nil
}

func smallestSamples(alpha float64) int {
	count, smallest := 1, 1.0
	for smallest > alpha*(1+tolerance) {
		// From (2n over n) to (2n+2 over n+1).
		smallest *= float64(count+1) / float64(2*(2*count+1))
		count++
	}
	return count
}

// SamplesForPower estimates how many repetitions per side MannWhitney needs to find an effect with the power (the
// probability of finding it) at the significance level alpha. The effect is the change of the median and the
// coefficient of variation that of repetitions of one side, both in percent of the baseline. To plan for m tests, give
// alpha/m.
//
// It is the formula of Noether (1987), "Sample size determination for some common nonparametric tests", for a normal
// distribution, and never less than SmallestSamples. It is an estimate: heavy tails change it, and from effects of two
// deviations on it is too large, by about three repetitions.
//
// Neither effect nor spread may be infinite, the effect may not be 0, alpha and power lie between 0 and 1, both
// excluded, and more than a million repetitions are an error.
func SamplesForPower(effectPercent, variationPercent, alpha, power float64) (int, error) {
	effect := math.Abs(effectPercent)
	switch {
	case check([]float64{effectPercent, variationPercent}) != nil:
		return 0, errNotFinite
	case effect == 0:
		return 0, errors.New("no number of repetitions finds an effect of 0")
	case variationPercent < 0:
		return 0, fmt.Errorf("the coefficient of variation is %g and must not be negative", variationPercent)
	case !(alpha > 0 && alpha < 1 && power > 0 && power < 1):
		return 0, fmt.Errorf("alpha is %g and the power %g, and both must lie between 0 and 1", alpha, power)
	}
	least := smallestSamples(alpha)
	if variationPercent == 0 {
		return least, nil
	}
	// The probability, above one half, that a value with the effect exceeds one without.
	exceeds := math.Erf(effect/variationPercent/2) / 2
	deviations := max(0, normalExceededBy(alpha/2)+normalExceededBy(1-power))
	count := math.Ceil(deviations * deviations / (6 * exceeds * exceeds))
	if !(count <= mostSamples) {
		return 0, fmt.Errorf("more than %d repetitions per side would be needed", mostSamples)
	}
	return max(least, int(count)), nil
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
