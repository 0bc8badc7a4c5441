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
	differences           []Difference
	doubts                doubts
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
	return len(m.differences) == 0 && len(m.candidates) > 0 && (m.figure != nil || len(m.baselines) > 0)
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

// beyond is the sign test: the probability of so many values on one side of a figure, by the percentage or more, were
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

// headsAtLeast is the probability that so many tosses of a coin give so many heads or more.
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

// effect is a change in percent of the baseline, NaN where it is not known and infinite for a change from 0.
type effect struct {
	estimate, low, high float64
}

func (e effect) magnitude() float64 { return math.Abs(e.estimate) }

func (e effect) within(percent float64) bool {
	return e.low >= -percent && e.high <= percent
}

// effectOf is the effect of a match with the interval that has the confidence over so many tests, if there is one.
func (m *match) effectOf(tests int) effect {
	unknown := effect{estimate: math.NaN(), low: math.NaN(), high: math.NaN()}
	if len(m.candidates) == 0 || m.figure == nil && len(m.baselines) == 0 {
		return unknown
	}
	confidence := 1 - m.limits.alpha()/float64(max(1, tests))
	found, err := m.estimate(confidence)
	if err != nil {
		return unknown
	}
	if found.Confidence < confidence-rounding {
		found.Low, found.High = math.NaN(), math.NaN()
	}
	return effect{estimate: found.Estimate, low: found.Low, high: found.High}
}

func (m *match) estimate(confidence float64) (statistics.Effect, error) {
	if m.figure != nil {
		interval, err := statistics.MedianInterval(m.candidates, confidence)
		figure := float64(*m.figure)
		interval.Low, interval.High = interval.Low-figure, interval.High-figure
		shift := statistics.Effect{Estimate: statistics.Median(m.candidates) - figure, Interval: interval}
		return percentOf(shift, figure), err
	}
	if slices.Min(m.baselines) > 0 && slices.Min(m.candidates) > 0 {
		return statistics.HodgesLehmannPercent(m.baselines, m.candidates, confidence)
	}
	shift, err := statistics.HodgesLehmann(m.baselines, m.candidates, confidence)
	return percentOf(shift, statistics.Median(m.baselines)), err
}

// percentOf is Effect.PercentOf, with which nothing is 0 % of nothing.
func percentOf(shift statistics.Effect, reference float64) statistics.Effect {
	percent := shift.PercentOf(reference)
	for _, part := range []struct {
		from float64
		to   *float64
	}{{shift.Estimate, &percent.Estimate}, {shift.Low, &percent.Low}, {shift.High, &percent.High}} {
		if part.from == 0 {
			*part.to = 0
		}
	}
	return percent
}

// worse tells whether an effect is for the worse.
func (m *match) worse(e effect) bool {
	return (e.estimate < 0) == m.limits.higherIsBetter
}

// needed is how many samples of each side the asked confidence takes among so many tests.
func (m *match) needed(tests int) int {
	if m.figure != nil {
		return 1 + int(math.Ceil(math.Log2(float64(tests)/m.limits.alpha())-rounding))
	}
	// The API bounds the confidence, and there is one test at least: this match.
	count, _ := statistics.SmallestSamples(m.limits.confidence, tests)
	return count
}

// verdictOf is the table of the package's documentation.
func (m *match) verdictOf(e effect, in family) (benchv1alpha1.Verdict, ground) {
	if ground := m.barred(); ground != groundNone {
		return benchv1alpha1.VerdictInconclusive, ground
	}
	limit := m.limits.minEffect
	switch {
	case m.adjusted <= m.limits.alpha()+rounding:
		return m.changed(e)
	case m.smallest()*float64(max(1, in.tests)) > m.limits.alpha()+rounding:
		return benchv1alpha1.VerdictInconclusive, groundFewSamples
	case limit > 0 && e.within(limit):
		return benchv1alpha1.VerdictUnchanged, groundWithin
	case limit > 0 && e.magnitude() >= DoubtFactor*limit:
		return benchv1alpha1.VerdictInconclusive, groundLarge
	default:
		return benchv1alpha1.VerdictUnchanged, groundChance
	}
}

// changed is the verdict of a difference that is more than chance.
func (m *match) changed(e effect) (benchv1alpha1.Verdict, ground) {
	switch {
	case e.magnitude() < m.limits.minEffect:
		return benchv1alpha1.VerdictUnchanged, groundSmall
	case m.worse(e):
		return benchv1alpha1.VerdictRegressed, groundNone
	default:
		return benchv1alpha1.VerdictImproved, groundNone
	}
}

func (m *match) barred() ground {
	switch {
	case len(m.candidates) == 0 || m.figure == nil && len(m.baselines) == 0:
		return groundNoFigures
	case len(m.differences) > 0:
		return groundDifferences
	}
	return groundNone
}

// ground is what a verdict rests on besides the numbers.
type ground int

const (
	groundNone ground = iota
	// groundNoFigures: a side has no value.
	groundNoFigures
	// groundDifferences: the runs differ in what nobody declared.
	groundDifferences
	// groundFewSamples: no difference could be found.
	groundFewSamples
	// groundSmall: there is a difference, smaller than what matters.
	groundSmall
	// groundWithin: the interval excludes what matters.
	groundWithin
	// groundLarge: it is not told from chance, and too large to be passed over.
	groundLarge
	// groundChance: it is not told from chance.
	groundChance
)
