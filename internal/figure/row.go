package figure

import (
	"slices"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Unit is what a figure is counted in.
type Unit int

// The units of figures.
const (
	Count Unit = iota
	PerSecond
	PerMillion
	// Ratio is a share of 1 in millionths, of which more is better.
	Ratio
	Millis
	Micros
	Bytes
	// MoneyMicros and MoneyNanos are millionths and billionths of the currency that is told beside the figure.
	MoneyMicros
	MoneyNanos
)

// PerBase is how many of the unit make one of Prometheus's base unit.
func (u Unit) PerBase() float64 {
	switch u {
	case Millis:
		return 1e3
	case Micros, MoneyMicros, Ratio:
		return 1e6
	case MoneyNanos:
		return 1e9
	case Count, PerSecond, PerMillion, Bytes:
	}
	return 1
}

// Row is one figure of a part of a report, such as an operation. F is the part's summary, S its place in the status.
type Row[F, S any] struct {
	Unit Unit
	// Column is the figure's name in CSV, Label its name in tables, and Panel its column in the dashboard of a run. Where
	// one is empty the figure is not shown.
	Column, Label, Panel string
	// Of reads the figure from a summary; it returns nil when the summary has none.
	Of func(*F) *int64
	// Absent is what CSV says in place of a figure that there is not; nil stands for nothing.
	Absent func(*F) string
	// In is where the status holds the figure.
	In Field[S]
	// Sparse figures are unset in the status when they are 0, and Expendable ones are dropped first when it is too large.
	Sparse, Expendable bool
	// Metric is the figure's name in Prometheus, which begins with MetricPrefix, and Help its description.
	Metric, Help string
	// Quantile of LatencyMetric, of a figure without a metric of its own; 0 when it is none.
	Quantile float64
	// Compared says how runs are compared by the figure; nil when they are not.
	Compared *Comparison
	// Signed figures may be below zero.
	Signed bool
	// Timed figures mean nothing when no operation was timed.
	Timed bool
}

const (
	// MetricPrefix begins the names of all metrics of a run.
	MetricPrefix = "mongobench_run_"
	// LatencyMetric is the metric whose quantiles are the percentiles of an operation's latency.
	LatencyMetric = "latency_seconds"
)

// Comparison says how runs are compared by a figure.
type Comparison struct {
	// Metric is its name in the API, and Name that for people.
	Metric benchv1alpha1.Metric
	Name   string
	Unit   Unit
	// UnitName is the unit in full, and BenchUnit the one of Go's benchmark format.
	UnitName, BenchUnit string
	// Overall means that without a named operation all operations together are compared.
	Overall bool
	// Quantile of a percentile, 0 of the others.
	Quantile float64
}

// Needed is the smallest number of operations of which there is the figure.
func (c Comparison) Needed() int64 {
	if c.Quantile == 0 {
		return 1
	}
	return Needed(c.Quantile)
}

// Field is where a status holds a figure. The zero value is nowhere.
type Field[S any] struct {
	long  func(*S) **int64
	short func(*S) **int32
}

func in[S any](field func(*S) **int64) Field[S]   { return Field[S]{long: field} }
func in32[S any](field func(*S) **int32) Field[S] { return Field[S]{short: field} }

// Exists says whether the status holds the figure at all.
func (f Field[S]) Exists() bool { return f.long != nil || f.short != nil }

// Get returns the figure, nil when it is unset.
func (f Field[S]) Get(status *S) *int64 {
	switch {
	case f.long != nil:
		if field := f.long(status); field != nil {
			return *field
		}
	case f.short != nil:
		if field := f.short(status); field != nil && *field != nil {
			return new(int64(**field))
		}
	}
	return nil
}

// Set stores a figure; nil unsets it. It does nothing where the struct around the field is missing.
func (f Field[S]) Set(status *S, value *int64) {
	switch {
	case f.long != nil:
		if field := f.long(status); field != nil {
			*field = value
		}
	case f.short != nil:
		if field := f.short(status); field != nil && value != nil {
			*field = new(int32(*value))
		} else if field != nil {
			*field = nil
		}
	}
}

// Fill copies the figures of a summary into the status. One below zero, as of a step during which the clock was set
// back, is 0 there: the status has no room for it.
func Fill[F, S any](rows []Row[F, S], summary *F, status *S) {
	for _, row := range rows {
		if row.Of == nil || !row.In.Exists() {
			continue
		}
		if value := row.Of(summary); value != nil && (*value != 0 || !row.Sparse) {
			least := int64(0)
			if row.Signed {
				least = *value
			}
			row.In.Set(status, new(max(*value, least)))
		}
	}
}

// Drop unsets the expendable figures of a status. It returns whether there were any.
func Drop[F, S any](rows []Row[F, S], status *S) bool {
	dropped := false
	for _, row := range rows {
		if row.Expendable && row.In.Get(status) != nil {
			row.In.Set(status, nil)
			dropped = true
		}
	}
	return dropped
}

// Labelled are the rows that tables show.
func Labelled[F, S any](rows []Row[F, S]) []Row[F, S] {
	return where(rows, func(row Row[F, S]) bool { return row.Label != "" })
}

// ErrorsPerMillion is compared of every operation and of all together. It is worked out from counts.
var ErrorsPerMillion = Comparison{
	Metric: benchv1alpha1.MetricErrorsPerMillion, Name: "errors", Unit: PerMillion,
	UnitName: "errors/million", BenchUnit: "errors/million", Overall: true,
}

// Compared are the figures by which runs are compared, in the order in which they are listed.
var Compared = slices.Concat(comparisons(Operations), []Comparison{ErrorsPerMillion}, comparisons(Loads),
	comparisons(Sizes), comparisons(Steps))

// ComparedBy is how runs are compared by a metric. One of another release has its name and no more.
func ComparedBy(metric benchv1alpha1.Metric) Comparison {
	for _, known := range Compared {
		if known.Metric == metric {
			return known
		}
	}
	return Comparison{Metric: metric, Name: string(metric), BenchUnit: string(metric)}
}

// HigherIsBetter says that more is better, as of a throughput; of everything else less is.
func (c Comparison) HigherIsBetter() bool { return c.Unit == PerSecond || c.Unit == Ratio }

// OfOperations says that operations have the metric, and not only steps, sizes or the loading.
func OfOperations(metric benchv1alpha1.Metric) bool {
	return metric == ErrorsPerMillion.Metric ||
		slices.ContainsFunc(comparisons(Operations), func(known Comparison) bool { return known.Metric == metric })
}

func comparisons[F, S any](rows []Row[F, S]) []Comparison {
	var found []Comparison
	for _, row := range rows {
		if row.Compared != nil {
			found = append(found, *row.Compared)
		}
	}
	return found
}
