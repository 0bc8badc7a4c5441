package figure

import (
	"math"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Time is one figure of a histogram of times, in microseconds.
type Time struct {
	// Name is that of its field and metric, such as P99Micros.
	Name, Label string
	// Quantile of a percentile, 0 of the others.
	Quantile float64
	// Of is its field in a summary of times.
	Of func(*reportv1.TimesSummary) *int64
	// Read reads it from a histogram.
	Read func(*hdrhistogram.Histogram) int64
	// row is the figure of an operation's latency.
	row Row[reportv1.OperationSummary, benchv1alpha1.OperationResult]
}

// In is where the status holds the figure of an operation's latency.
func (t Time) In() Field[benchv1alpha1.OperationResult] { return t.row.In }

type (
	timesOf   = func(*reportv1.TimesSummary) *int64
	resultsOf = func(*benchv1alpha1.OperationResult) **int64
)

// Times are the figures of every histogram of times, in the order of their columns.
var Times = []Time{
	statistic("MeanMicros", "mean", func(h *hdrhistogram.Histogram) int64 { return int64(math.Round(h.Mean())) },
		func(t *reportv1.TimesSummary) *int64 { return &t.MeanMicros },
		func(o *benchv1alpha1.OperationResult) **int64 { return &o.MeanMicros }).
		compared("mean latency", "ns/op"),
	percentile("P50Micros", "p50", 0.5,
		func(t *reportv1.TimesSummary) *int64 { return &t.P50Micros },
		func(o *benchv1alpha1.OperationResult) **int64 { return &o.P50Micros }),
	percentile("P95Micros", "p95", 0.95,
		func(t *reportv1.TimesSummary) *int64 { return &t.P95Micros },
		func(o *benchv1alpha1.OperationResult) **int64 { return &o.P95Micros }),
	percentile("P99Micros", "p99", 0.99,
		func(t *reportv1.TimesSummary) *int64 { return &t.P99Micros },
		func(o *benchv1alpha1.OperationResult) **int64 { return &o.P99Micros }),
	percentile("P999Micros", "p99.9", 0.999,
		func(t *reportv1.TimesSummary) *int64 { return &t.P999Micros },
		func(o *benchv1alpha1.OperationResult) **int64 { return &o.P999Micros }),
	percentile("P9999Micros", "p99.99", 0.9999,
		func(t *reportv1.TimesSummary) *int64 { return &t.P9999Micros },
		func(o *benchv1alpha1.OperationResult) **int64 { return &o.P9999Micros }),
	statistic("MaxMicros", "max", (*hdrhistogram.Histogram).Max,
		func(t *reportv1.TimesSummary) *int64 { return &t.MaxMicros },
		func(o *benchv1alpha1.OperationResult) **int64 { return &o.MaxMicros }).
		gauge("Largest", "latency_max_seconds", "Largest latency of an operation."),
	statistic("StdDevMicros", "stddev", func(h *hdrhistogram.Histogram) int64 { return int64(math.Round(h.StdDev())) },
		func(t *reportv1.TimesSummary) *int64 { return &t.StdDevMicros },
		func(o *benchv1alpha1.OperationResult) **int64 { return &o.StdDevMicros }).
		compared("standard deviation of the latency", "stddev-ns").
		gauge("Std dev", "latency_stddev_seconds", "Standard deviation of an operation's latency."),
}

// Percentiles are those of Times that are percentiles.
var Percentiles = where(Times, func(t Time) bool { return t.Quantile > 0 })

func percentile(name, label string, quantile float64, of timesOf, status resultsOf) Time {
	// Of a quantile that is written with few decimals this is the percentile as it would be written, 99.9 of 0.999.
	percent := math.Round(quantile*1e6) / 1e4
	read := func(h *hdrhistogram.Histogram) int64 { return h.ValueAtQuantile(percent) }
	t := statistic(name, label, read, of, status).compared(label, label+"-ns")
	t.Quantile, t.row.Quantile, t.row.Panel = quantile, quantile, label
	return t
}

func statistic(name, label string, read func(*hdrhistogram.Histogram) int64, of timesOf, status resultsOf) Time {
	return Time{Name: name, Label: label, Of: of, Read: read, row: operationRow{
		Unit: Micros, Column: lowerFirst(name), Label: label, In: in(status), Timed: true,
		Of: func(o *reportv1.OperationSummary) *int64 { return of(&o.TimesSummary) },
	}}
}

// compared makes runs comparable by the figure.
func (t Time) compared(name, benchUnit string) Time {
	t.row.Compared = comparedTime(benchv1alpha1.Metric(t.Name), name, benchUnit)
	return t
}

// gauge gives the figure a metric of its own; those of percentiles are the quantiles of one metric.
func (t Time) gauge(panel, metric, help string) Time {
	t.row.Panel, t.row.Metric, t.row.Help = panel, metric, help
	return t
}

func comparedTime(metric benchv1alpha1.Metric, name, benchUnit string) *Comparison {
	return &Comparison{Metric: metric, Name: name, Unit: Micros, UnitName: "microseconds", BenchUnit: benchUnit}
}

// Summarise reads all figures of a histogram.
func Summarise(times *hdrhistogram.Histogram) reportv1.TimesSummary {
	var summary reportv1.TimesSummary
	for _, time := range Times {
		*time.Of(&summary) = time.Read(times)
	}
	return summary
}

func where[T any](list []T, keep func(T) bool) []T {
	var kept []T
	for _, item := range list {
		if keep(item) {
			kept = append(kept, item)
		}
	}
	return kept
}

func lowerFirst(name string) string { return string(name[0]|0x20) + name[1:] }
