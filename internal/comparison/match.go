package comparison

import (
	"fmt"
	"math"
	"slices"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/statistics"
)

// rounding is by how much a corrected probability may miss the asked one and still count as reaching it.
const rounding = 1e-12

// match is one figure of one pair.
type match struct {
	subject

	variant, baseline string
	// candidates and baselines are the values; against a fixed figure there are none of a baseline.
	candidates, baselines []float64
	differences           []Difference
	doubts                string
	// p is not corrected, and adjusted is; NaN where there is no test.
	p, adjusted float64
}

func matchesOf(pair Pair, settings Settings) []match {
	differences := Differences(pair, settings.IgnoreDifferences)
	doubts := doubtsOf(pair)
	// What the candidate has first, so that lines have its order.
	samples := slices.Concat(pair.Candidate.Samples, pair.Baseline.Samples)
	subjects := settings.subjects(samples)
	matches := make([]match, 0, len(subjects))
	for _, subject := range subjects {
		m := match{
			subject:     subject,
			variant:     pair.Candidate.Name,
			baseline:    pair.Baseline.Name,
			candidates:  values(pair.Candidate.Samples, subject.key),
			baselines:   values(pair.Baseline.Samples, subject.key),
			differences: differences,
			doubts:      doubts,
		}
		if m.figure != nil {
			m.baseline = FigureBaseline
		}
		m.p = m.probability()
		matches = append(matches, m)
	}
	return matches
}

// comparable tells that there are figures on both sides, of runs that differ in nothing else.
func (m *match) comparable() bool {
	return len(m.differences) == 0 && m.hasFigures()
}

// hasFigures tells that there are figures on both sides.
func (m *match) hasFigures() bool {
	return len(m.candidates) > 0 && (m.figure != nil || len(m.baselines) > 0)
}

// probability that samples of the same differ as much; NaN for what cannot be tested.
func (m *match) probability() float64 {
	if !m.comparable() {
		return math.NaN()
	}
	if m.figure != nil {
		return beyond(m.candidates, float64(*m.figure), m.limits.minEffect)
	}
	test, err := statistics.MannWhitney(m.baselines, m.candidates)
	if err != nil {
		return math.NaN()
	}
	return test.P
}

// beyond is the sign test: the probability of that many values on one side of a figure, by the percentage or more, were
// the median of what they are drawn from not beyond it.
func beyond(values []float64, figure, percent float64) float64 {
	low, high := figure*(1-percent/100), figure*(1+percent/100)
	var below, above int
	for _, value := range values {
		if value < low {
			below++
		}
		if value > high {
			above++
		}
	}
	return min(1, 2*headsAtLeast(max(below, above), len(values)))
}

// headsAtLeast is the probability that this many tosses of a coin give at least this many heads.
func headsAtLeast(heads, tosses int) float64 {
	probability, ways := 0.0, 1.0
	for i := range tosses - heads + 1 {
		probability += ways
		ways *= float64(tosses-i) / float64(i+1)
	}
	return probability / math.Pow(2, float64(tosses))
}

// smallest is the smallest probability that the test of a match can have.
func (m *match) smallest() float64 {
	if m.figure != nil {
		return math.Pow(2, float64(1-len(m.candidates)))
	}
	smaller, larger := min(len(m.candidates), len(m.baselines)), max(len(m.candidates), len(m.baselines))
	smallest := 2.0
	for i := range smaller {
		smallest *= float64(i+1) / float64(larger+i+1)
	}
	return min(1, smallest)
}

// family is how many lines a comparison has.
type family struct {
	// tests that are corrected for.
	tests int
	// wanted is how many there would be had all enough samples.
	wanted int
}

// correct fills in the corrected probabilities. What even alone could not reach its confidence does not count: whether
// it can depends on the number of its samples, not on their values, so that leaving it out does not spoil the others.
func correct(matches []match) family {
	var found family
	p := make([]float64, len(matches))
	for i := range matches {
		p[i] = math.NaN()
		if !matches[i].comparable() {
			continue
		}
		found.wanted++
		if matches[i].smallest() <= matches[i].limits.alpha()+rounding {
			p[i] = matches[i].p
			found.tests++
		}
	}
	for i, adjusted := range statistics.Holm(p) {
		matches[i].adjusted = adjusted
	}
	return found
}

// effectOf is the change in percent of the baseline, with the interval that has the confidence over that many tests. It
// is NaN where it is not known, and infinite for a change from 0.
func (m *match) effectOf(tests int) statistics.Effect {
	nan := math.NaN()
	unknown := statistics.Effect{Estimate: nan, Interval: statistics.Interval{Low: nan, High: nan}}
	if !m.hasFigures() {
		return unknown
	}
	confidence := 1 - m.limits.alpha()/float64(max(1, tests))
	found, err := m.estimate(confidence)
	if err != nil {
		return unknown
	}
	if found.Confidence < confidence-rounding {
		found.Low, found.High = nan, nan
	}
	return found
}

func (m *match) estimate(confidence float64) (statistics.Effect, error) {
	if m.figure != nil {
		interval, err := statistics.MedianInterval(m.candidates, confidence)
		figure := float64(*m.figure)
		interval.Low, interval.High = interval.Low-figure, interval.High-figure
		shift := statistics.Effect{Estimate: statistics.Median(m.candidates) - figure, Interval: interval}
		return shift.PercentOf(figure), err
	}
	if slices.Min(m.baselines) > 0 && slices.Min(m.candidates) > 0 {
		return statistics.HodgesLehmannPercent(m.baselines, m.candidates, confidence)
	}
	shift, err := statistics.HodgesLehmann(m.baselines, m.candidates, confidence)
	return shift.PercentOf(statistics.Median(m.baselines)), err
}

// needed is how many samples of each side the asked confidence takes among that many tests.
func (m *match) needed(tests int) int {
	if m.figure != nil {
		return 1 + int(math.Ceil(math.Log2(float64(tests)/m.limits.alpha())-rounding))
	}
	// The API bounds the confidence, and there is one test at least: this match.
	count, _ := statistics.SmallestSamples(m.limits.confidence, tests)
	return count
}

// verdictOf is the table of the package's documentation, with what the verdict rests on besides the numbers.
func (m *match) verdictOf(e statistics.Effect, in family) (verdict benchv1alpha1.Verdict, reason string) {
	limit := m.limits.minEffect
	switch {
	case !m.hasFigures():
		return benchv1alpha1.VerdictInconclusive, m.missing()
	case len(m.differences) > 0:
		return benchv1alpha1.VerdictInconclusive, "unlike runs: " + differencesText(m.differences)
	case m.adjusted <= m.limits.alpha()+rounding:
		return m.changed(e)
	case m.smallest()*float64(max(1, in.tests)) > m.limits.alpha()+rounding:
		return benchv1alpha1.VerdictInconclusive, m.tooFew(in)
	case limit > 0 && e.Low >= -limit && e.High <= limit:
		return benchv1alpha1.VerdictUnchanged, fmt.Sprintf("within the %s %% that matter", compact(limit))
	case limit > 0 && math.Abs(e.Estimate) >= DoubtFactor*limit:
		return benchv1alpha1.VerdictInconclusive, m.unclear(e, in)
	default:
		return benchv1alpha1.VerdictUnchanged, "no more than chance gives"
	}
}

// changed is the verdict of a difference that is more than chance.
func (m *match) changed(e statistics.Effect) (verdict benchv1alpha1.Verdict, reason string) {
	switch {
	case math.Abs(e.Estimate) < m.limits.minEffect:
		return benchv1alpha1.VerdictUnchanged, fmt.Sprintf("less than the %s %% that matter", compact(m.limits.minEffect))
	case (e.Estimate < 0) == m.limits.higherIsBetter:
		return benchv1alpha1.VerdictRegressed, ""
	default:
		return benchv1alpha1.VerdictImproved, ""
	}
}

// mostBasisPoints bounds an effect that is written: a million times as much.
const mostBasisPoints = 1e10

// line writes a match down.
func (m *match) line(in family) benchv1alpha1.ComparisonLine {
	effect := m.effectOf(in.tests)
	verdict, reason := m.verdictOf(effect, in)
	line := benchv1alpha1.ComparisonLine{
		Variant:           m.variant,
		Baseline:          m.baseline,
		Metric:            m.key.Metric,
		Step:              m.key.Step,
		Operation:         m.key.Operation,
		Verdict:           verdict,
		BaselineMedian:    m.baselineMedian(),
		Median:            median(m.candidates),
		Samples:           new(int32(len(m.candidates))),
		EffectBasisPoints: basisPoints(effect.Estimate),
		Message:           m.message(effect, reason),
	}
	if m.figure == nil {
		line.BaselineSamples = new(int32(len(m.baselines)))
	}
	// Half an interval would be read as a whole one.
	if low, high := basisPoints(effect.Low), basisPoints(effect.High); low != nil && high != nil {
		line.LowBasisPoints, line.HighBasisPoints = low, high
	}
	if !math.IsNaN(m.adjusted) {
		// Rounded up, so that what is possible is never written as impossible.
		line.PMillionths = new(int64(math.Ceil(m.adjusted*1e6 - rounding*1e6)))
	}
	return line
}

func (m *match) baselineMedian() *int64 {
	if m.figure != nil {
		return new(*m.figure)
	}
	return median(m.baselines)
}

func median(values []float64) *int64 {
	if len(values) == 0 {
		return nil
	}
	return new(int64(math.Round(statistics.Median(values))))
}

// writtenPercent is a percentage in basis points, bounded where it is infinite.
func writtenPercent(percent float64) int64 {
	return int64(math.Round(max(-mostBasisPoints, min(mostBasisPoints, percent*100))))
}

func absolute(value int64) int64 { return max(value, -value) }

// basisPoints of a percentage; nil of what is no number.
func basisPoints(percent float64) *int64 {
	if math.IsNaN(percent) || math.IsInf(percent, 0) {
		return nil
	}
	return new(writtenPercent(percent))
}
