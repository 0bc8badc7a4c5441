package comparison

import (
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
	// together are those of them that were measured in the same repetition, when the runs of the two sides were made in
	// turn.
	together    [2][]float64
	paired      bool
	differences []Difference
	// doubts says which runs are in doubt, and barred those that are so for a reason that is not allowed.
	doubts, barred string
	// omitted is the largest number of steps that the status of a run without the figure has no room for.
	omitted int
	// p is not corrected, and adjusted is; NaN where there is no test.
	p, adjusted float64
}

func matchesOf(pair Pair, settings Settings) []match {
	differences := Differences(pair, settings.IgnoreDifferences)
	doubts, barred := doubtsOf(pair, nil), doubtsOf(pair, settings.AllowDoubts)
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
			differences: concerning(subject.key.Metric, differences),
			doubts:      doubts, barred: barred,
			omitted: omittedOf(samples, subject.key),
			p:       math.NaN(), adjusted: math.NaN(),
		}
		if m.figure != nil {
			m.baseline = FigureBaseline
		}
		if pair.Paired && m.figure == nil {
			m.together = pairsOf(pair, subject.key)
		}
		matches = append(matches, m)
	}
	return matches
}

// omittedOf is how many steps a run may have measured a figure in that its sample has not.
func omittedOf(samples []Sample, key Key) int {
	omitted := 0
	for i := range samples {
		if key.Step != "" && samples[i].Value(key) == nil {
			omitted = max(omitted, samples[i].OmittedSteps)
		}
	}
	return omitted
}

// pairsOf are the values of the baseline and of the candidate in the repetitions in which both have one.
func pairsOf(pair Pair, key Key) (together [2][]float64) {
	byRepetition := make(map[int]float64, len(pair.Baseline.Samples))
	for i := range pair.Baseline.Samples {
		if value := pair.Baseline.Samples[i].Value(key); value != nil {
			byRepetition[pair.Baseline.Samples[i].Repetition] = *value
		}
	}
	for i := range pair.Candidate.Samples {
		value := pair.Candidate.Samples[i].Value(key)
		opposite, both := byRepetition[pair.Candidate.Samples[i].Repetition]
		if value != nil && both {
			together[0], together[1] = append(together[0], opposite), append(together[1], *value)
		}
	}
	return together
}

// comparable tells that there are figures on both sides, of runs that are to be trusted and differ in nothing else.
func (m *match) comparable() bool {
	return len(m.differences) == 0 && m.barred == "" && m.hasFigures()
}

// hasFigures tells that there are figures on both sides.
func (m *match) hasFigures() bool {
	return len(m.candidates) > 0 && (m.figure != nil || len(m.baselines) > 0)
}

// choose decides how a match is tested among that many: by its pairs where there are enough of them to find anything,
// else by the two samples. It looks at how many values there are and at none of them, so that it spoils no probability.
func (m *match) choose(wanted int) {
	pairs := len(m.together[0])
	if math.Pow(2, float64(1-pairs))*float64(max(1, wanted)) > m.limits.alpha()+rounding {
		return
	}
	m.paired = true
	m.baselines, m.candidates = m.together[0], m.together[1]
}

// test is how the match is tested.
func (m *match) test() benchv1alpha1.ComparisonTest {
	switch {
	case m.figure != nil:
		return benchv1alpha1.TestSign
	case m.paired:
		return benchv1alpha1.TestSignedRank
	default:
		return benchv1alpha1.TestRankSum
	}
}

// ratios tells that all values have one.
func (m *match) ratios() bool { return slices.Min(m.baselines) > 0 && slices.Min(m.candidates) > 0 }

// apart are by how much the sides of each pair differ: as logarithms of ratios where there are any.
func (m *match) apart() []float64 {
	if ratios, err := statistics.LogRatios(m.baselines, m.candidates); err == nil {
		return ratios
	}
	differences := make([]float64, len(m.candidates))
	for i, candidate := range m.candidates {
		differences[i] = candidate - m.baselines[i]
	}
	return differences
}

// probability that samples of the same differ as much; NaN for what cannot be tested.
func (m *match) probability() float64 {
	var test statistics.Test
	var err error
	switch m.test() {
	case benchv1alpha1.TestSign:
		return beyond(m.candidates, float64(*m.figure), m.limits.minEffect)
	case benchv1alpha1.TestSignedRank:
		test, err = statistics.SignedRank(m.apart())
	case benchv1alpha1.TestRankSum:
		test, err = statistics.MannWhitney(m.baselines, m.candidates)
	case benchv1alpha1.TestSequential: // It is that of a duet, whose windows lie in the report.
		return math.NaN()
	}
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
	if m.test() != benchv1alpha1.TestRankSum {
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
	// detectors of the designs that lines have: most lines have the same.
	detectors map[detectorOf]statistics.Detector
}

type detectorOf struct {
	design statistics.Design
	alpha  float64
}

// correct chooses the tests and fills in the corrected probabilities. What even alone could not reach its confidence
// does not count: whether it can depends on the number of its samples, not on their values, so that leaving it out does
// not spoil the others.
func correct(matches []match) family {
	found := family{detectors: map[detectorOf]statistics.Detector{}}
	for i := range matches {
		if matches[i].comparable() {
			found.wanted++
		}
	}
	p := make([]float64, len(matches))
	for i := range matches {
		m := &matches[i]
		p[i] = math.NaN()
		if !m.comparable() {
			continue
		}
		m.choose(found.wanted)
		m.p = m.probability()
		if m.smallest() <= m.limits.alpha()+rounding {
			p[i] = m.p
			found.tests++
		}
	}
	for i, adjusted := range statistics.Holm(p) {
		matches[i].adjusted = adjusted
	}
	return found
}

// effectOf is the change in percent of the baseline, with the interval that has the confidence. It is NaN where it is
// not known, and infinite for a change from 0.
func (m *match) effectOf(confidence float64) statistics.Effect {
	nan := math.NaN()
	unknown := statistics.Effect{Estimate: nan, Interval: statistics.Interval{Low: nan, High: nan}}
	if !m.hasFigures() {
		return unknown
	}
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
	if m.ratios() && m.paired {
		return statistics.HodgesLehmannPairedPercent(m.baselines, m.candidates, confidence)
	}
	if m.ratios() {
		return statistics.HodgesLehmannPercent(m.baselines, m.candidates, confidence)
	}
	var shift statistics.Effect
	var err error
	if m.paired {
		shift, err = statistics.HodgesLehmannPaired(m.apart(), confidence)
	} else {
		shift, err = statistics.HodgesLehmann(m.baselines, m.candidates, confidence)
	}
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

// line writes a match down.
func (m *match) line(in family) benchv1alpha1.ComparisonLine {
	found := m.evidenceOf(in)
	effect := found.effect
	verdict, reason := m.verdictOf(found, in)
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

		DetectableBasisPoints: basisPoints(found.detectable),
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
		line.PMillionths, line.Test = new(int64(math.Ceil(m.adjusted*1e6-rounding*1e6))), m.test()
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

func absolute(value int64) int64 { return max(value, -value) }

// basisPoints of a percentage; nil of what is no number.
func basisPoints(percent float64) *int64 {
	if math.IsNaN(percent) || math.IsInf(percent, 0) {
		return nil
	}
	return new(statistics.BasisPoints(percent))
}
