package statistics

import (
	"errors"
	"fmt"
	"math"
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

// SamplesForEquivalence estimates how many repetitions per side it takes to rule out a change by the limit at the level
// alpha, with the probability power, when there is none: two one-sided tests (Schuirmann 1987) on normal noise, at the
// efficiency of rank tests. The limit and the coefficient of variation are in percent of the baseline. Of pairs the
// variation is that of one side without what moves both.
//
// The limit is greater than 0, the spread is finite and not negative, alpha and power lie between 0 and 1, both
// excluded, and more than a million repetitions are an error.
func SamplesForEquivalence(limitPercent, variationPercent, alpha, power float64) (int, error) {
	switch {
	case check([]float64{limitPercent, variationPercent}) != nil:
		return 0, errNotFinite
	case limitPercent <= 0 || variationPercent < 0:
		return 0, fmt.Errorf("a limit of %g and a variation of %g: nothing can be ruled out", limitPercent, variationPercent)
	case !(alpha > 0 && alpha < 1 && power > 0 && power < 1):
		return 0, fmt.Errorf("alpha is %g and the power %g, and both must lie between 0 and 1", alpha, power)
	}
	deviations := normalExceededBy(alpha) + normalExceededBy((1-power)/2)
	share := deviations * variationPercent / limitPercent
	count := math.Ceil(2 / rankEfficiency * share * share)
	if !(count <= mostSamples) {
		return 0, fmt.Errorf("more than %d repetitions per side would be needed", mostSamples)
	}
	return max(smallestSamples(2*alpha), int(count)), nil
}
