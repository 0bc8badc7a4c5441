package comparison

import (
	"math"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/statistics"
)

// mostBasisPoints bounds an effect that is written: a million times as much.
const mostBasisPoints = 1e10

// line writes a match down.
func (m *match) line(in family) benchv1alpha1.ComparisonLine {
	effect := m.effectOf(in.tests)
	verdict, ground := m.verdictOf(effect, in)
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
		EffectBasisPoints: basisPoints(effect.estimate),
		Message:           m.message(effect, ground, in),
	}
	if m.figure == nil {
		line.BaselineSamples = new(int32(len(m.baselines)))
	}
	// Half an interval would be read as a whole one.
	if low, high := basisPoints(effect.low), basisPoints(effect.high); low != nil && high != nil {
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
