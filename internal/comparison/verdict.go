package comparison

import (
	"fmt"
	"math"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/statistics"
)

// allowed says how runs in doubt are compared.
const allowed = "; spec.allowDoubts compares them all the same"

// evidence is what a verdict rests on.
type evidence struct {
	// effect has the interval of all lines together, and bounds the one by which a change is ruled out.
	effect, bounds statistics.Effect
	// detectable is the smallest change for the worse that is found four times of five, in percent; NaN when not known.
	detectable float64
}

// evidenceOf a match. A change is ruled out by two one-sided tests, each at the level of the line: to say of all lines
// that none changed takes all of them, so that nothing is to be corrected.
func (m *match) evidenceOf(in family) evidence {
	alpha := m.limits.alpha()
	found := evidence{effect: m.effectOf(1 - alpha/float64(max(1, in.tests))), detectable: math.NaN()}
	if m.comparable() {
		found.bounds = m.effectOf(1 - 2*alpha)
		found.detectable = m.detectable(in)
	}
	return found
}

// verdictOf is the table of the package's documentation, with what the verdict rests on besides the numbers.
func (m *match) verdictOf(e evidence, in family) (verdict benchv1alpha1.Verdict, reason string) {
	limit := m.limits.minEffect
	switch {
	case !m.hasFigures():
		return benchv1alpha1.VerdictInconclusive, m.missing()
	case len(m.differences) > 0:
		return benchv1alpha1.VerdictInconclusive, "unlike runs: " + differencesText(m.differences)
	case m.barred != "":
		return benchv1alpha1.VerdictInconclusive, m.barred + allowed
	case m.adjusted <= m.limits.alpha()+rounding && math.Abs(e.effect.Estimate) >= limit:
		return m.changed(e.effect.Estimate), ""
	}
	if limit > 0 {
		if verdict, reason := m.ruledOut(e); verdict != "" {
			return verdict, reason
		}
	}
	if m.smallest()*float64(max(1, in.tests)) > m.limits.alpha()+rounding {
		return benchv1alpha1.VerdictInconclusive, m.tooFew(in)
	}
	return benchv1alpha1.VerdictNotDetected, m.undetected(e)
}

// ruledOut is the verdict of what the bounds show; empty when they show nothing.
func (m *match) ruledOut(e evidence) (verdict benchv1alpha1.Verdict, reason string) {
	limit := m.limits.minEffect
	switch {
	case e.bounds.Low > -limit && e.bounds.High < limit:
		return benchv1alpha1.VerdictUnchanged, fmt.Sprintf("%s: within the %s %% that matter", m.between(e), compact(limit))
	case m.rulesOutWorse(e.bounds):
		return benchv1alpha1.VerdictNotWorse, fmt.Sprintf("%s: not worse by the %s %% that matter", m.between(e),
			compact(limit))
	default:
		return "", ""
	}
}

// changed is the verdict of a change that is more than chance and matters.
func (m *match) changed(change float64) benchv1alpha1.Verdict {
	if (change < 0) == m.limits.higherIsBetter {
		return benchv1alpha1.VerdictRegressed
	}
	return benchv1alpha1.VerdictImproved
}

// rulesOutWorse says whether a change for the worse that matters is beyond the bounds.
func (m *match) rulesOutWorse(bounds statistics.Effect) bool {
	if m.limits.higherIsBetter {
		return bounds.Low > -m.limits.minEffect
	}
	return bounds.High < m.limits.minEffect
}

// detectable is the smallest change for the worse that this many runs that vary so much would show, in percent of the
// baseline, with the power that is told; NaN where there is no ratio, no spread or no test.
func (m *match) detectable(in family) float64 {
	deviation := m.deviation()
	if m.figure != nil || math.IsNaN(deviation) {
		return math.NaN()
	}
	design := statistics.Design{Baseline: len(m.baselines), Candidate: len(m.candidates), Paired: m.paired}
	of := detectorOf{design, m.limits.alpha() / float64(max(1, in.tests))}
	detector, known := in.detectors[of]
	if !known {
		var err error
		if detector, err = statistics.NewDetector(of.design, of.alpha); err != nil {
			return math.NaN()
		}
		in.detectors[of] = detector
	}
	if m.limits.higherIsBetter {
		least := -math.Log1p(-min(m.limits.minEffect, 99.99) / 100)
		return -100 * math.Expm1(-detector.Detectable(deviation, least, enoughPower))
	}
	return 100 * math.Expm1(detector.Detectable(deviation, math.Log1p(m.limits.minEffect/100), enoughPower))
}

// deviation is the standard deviation of the logarithm of one value, without what moves both sides of a pair; NaN where
// it is not known.
func (m *match) deviation() float64 {
	if m.figure != nil || !m.ratios() {
		return math.NaN()
	}
	if m.paired {
		return statistics.Deviation(m.apart()) / math.Sqrt2
	}
	first, second := statistics.LogDeviation(m.baselines), statistics.LogDeviation(m.candidates)
	return math.Sqrt((first*first + second*second) / 2)
}
