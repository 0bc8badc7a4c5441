package duet

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
)

// Side is one of the two targets of a duet.
type Side int

// The sides.
const (
	Baseline Side = iota
	Candidate
)

// String is how a report names the side.
func (s Side) String() string {
	if s == Baseline {
		return reportv1.SideBaseline
	}
	return reportv1.SideCandidate
}

// Other is the opposite side.
func (s Side) Other() Side { return 1 - s }

// Window is what one side did in one window.
type Window struct {
	Length time.Duration
	// Operations of the step, in the order of the mix.
	Operations []Operation
}

// Operation is what one operation of a mix did in a window.
type Operation struct {
	// Replies that came within the window, and Errors.
	Replies, Errors int64
	// Latency of all that were sent in the window and have one, in microseconds, those that failed included.
	Latency *hdrhistogram.Histogram
}

// pool is what one side did in several windows.
type pool struct {
	length          time.Duration
	replies, errors int64
	latency         *hdrhistogram.Histogram
}

// add adds the operation of this index, or all for a negative one.
func (p *pool) add(window Window, operation int) {
	p.length += window.Length
	if p.latency == nil {
		p.latency = reportv1.NewHistogram()
	}
	for i, one := range window.Operations {
		if operation >= 0 && i != operation {
			continue
		}
		p.replies += one.Replies
		p.errors += one.Errors
		if one.Latency != nil {
			p.latency.Merge(one.Latency)
		}
	}
}

// enoughReplies is what a rate needs: with fewer the ratio of two counts is far from normal, and of none there is none.
const enoughReplies = 20

// enough says whether the metric can be read.
func (p *pool) enough(metric benchv1alpha1.Metric) bool {
	if metric == benchv1alpha1.MetricOperationsPerSecond {
		return p.replies >= enoughReplies
	}
	return p.latency != nil && p.latency.TotalCount() >= max(figure.ComparedBy(metric).Needed(), enoughReplies)
}

// value is the metric, which there must be enough for.
func (p *pool) value(metric benchv1alpha1.Metric) float64 {
	switch quantile := figure.ComparedBy(metric).Quantile; {
	case metric == benchv1alpha1.MetricOperationsPerSecond:
		return float64(p.replies) / p.length.Seconds()
	case quantile > 0:
		// A latency below a microsecond counts as one: of 0 there is no ratio.
		return max(float64(p.latency.ValueAtQuantile(quantile*100)), 1)
	default:
		return max(p.latency.Mean(), 1)
	}
}

// Sum is what one side did in several windows.
type Sum struct{ pool pool }

// Add adds what the operation of this index did in a window, or all for a negative one.
func (s *Sum) Add(window Window, operation int) { s.pool.add(window, operation) }

// Value is what a metric comes to; false when the windows hold too little for it.
func (s *Sum) Value(metric benchv1alpha1.Metric) (float64, bool) {
	if !s.pool.enough(metric) {
		return 0, false
	}
	return s.pool.value(metric), true
}

// Metrics are those that a duet can compare: what each window has.
var Metrics = []benchv1alpha1.Metric{
	benchv1alpha1.MetricOperationsPerSecond, benchv1alpha1.MetricMeanMicros, benchv1alpha1.MetricP50Micros,
	benchv1alpha1.MetricP95Micros, benchv1alpha1.MetricP99Micros, benchv1alpha1.MetricP999Micros,
}
