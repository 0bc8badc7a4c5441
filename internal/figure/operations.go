package figure

import (
	"math"
	"slices"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// failedChecks is how often checks of an operation did not hold.
func failedChecks(o *reportv1.OperationSummary) *int64 {
	var all int64
	for _, check := range o.Checks {
		all += check.Failed
	}
	return &all
}

type operationRow = Row[reportv1.OperationSummary, benchv1alpha1.OperationResult]

// Operations are the figures of an operation, in the order of CSV and tables.
var Operations = slices.Concat([]operationRow{
	{
		Column: "count", Label: "count", Panel: "Succeeded", Metric: "operations", Help: "Operations that succeeded.",
		Of: func(o *reportv1.OperationSummary) *int64 { return &o.Count },
		In: in(func(o *benchv1alpha1.OperationResult) **int64 { return &o.Count }),
	},
	{
		Column: "errors", Label: "errors", Panel: "Failed", Metric: "errors", Help: "Operations that failed.",
		Of: func(o *reportv1.OperationSummary) *int64 { return &o.Errors },
		In: in(func(o *benchv1alpha1.OperationResult) **int64 { return &o.Errors }),
	},
	{
		Unit: PerSecond, Column: "operationsPerSecond", Label: "ops/s", Panel: "Operations a second",
		Metric: "operations_per_second", Help: "Throughput of an operation: those that succeeded.",
		Of: func(o *reportv1.OperationSummary) *int64 { return &o.OperationsPerSecond },
		In: in(func(o *benchv1alpha1.OperationResult) **int64 { return &o.OperationsPerSecond }),
		Compared: &Comparison{
			Metric: benchv1alpha1.MetricOperationsPerSecond, Name: "throughput", Unit: PerSecond,
			UnitName: "operations/second", BenchUnit: "ops/s", Overall: true,
		},
	},
}, latencies(), []operationRow{
	{
		Column: "documents", Of: func(o *reportv1.OperationSummary) *int64 { return &o.Documents },
	},
	{
		Column: "returned", Sparse: true, Expendable: true, Metric: "returned_documents",
		Help: "Documents that operations returned.",
		Of:   func(o *reportv1.OperationSummary) *int64 { return &o.Returned },
		In:   in(func(o *benchv1alpha1.OperationResult) **int64 { return &o.Returned }),
	},
	{
		Column: "inserted", Of: func(o *reportv1.OperationSummary) *int64 { return &o.Inserted },
	},
	{
		Column: "matched", Sparse: true, Expendable: true, Metric: "matched_documents",
		Help: "Documents that updates and replacements found.",
		Of:   func(o *reportv1.OperationSummary) *int64 { return &o.Matched },
		In:   in(func(o *benchv1alpha1.OperationResult) **int64 { return &o.Matched }),
	},
	{
		Column: "modified", Sparse: true, Expendable: true, Metric: "modified_documents",
		Help: "Documents that updates and replacements changed, as far as the server tells.",
		Of:   func(o *reportv1.OperationSummary) *int64 { return &o.Modified },
		In:   in(func(o *benchv1alpha1.OperationResult) **int64 { return &o.Modified }),
	},
	{
		Column: "deleted", Sparse: true, Expendable: true, Metric: "deleted_documents",
		Help: "Documents that were deleted.",
		Of:   func(o *reportv1.OperationSummary) *int64 { return &o.Deleted },
		In:   in(func(o *benchv1alpha1.OperationResult) **int64 { return &o.Deleted }),
	},
	{
		Column: "empty", Sparse: true, Expendable: true, Panel: "Found nothing", Metric: "empty_operations",
		Help: "Operations that looked for documents and found none.",
		Of:   func(o *reportv1.OperationSummary) *int64 { return &o.Empty },
		In:   in(func(o *benchv1alpha1.OperationResult) **int64 { return &o.Empty }),
	},
	{
		Column: "unexpected", Sparse: true, Expendable: true, Metric: "unexpected_operations",
		Help: "Operations that found more or fewer documents than expected.",
		Of:   func(o *reportv1.OperationSummary) *int64 { return &o.Unexpected },
		In:   in(func(o *benchv1alpha1.OperationResult) **int64 { return &o.Unexpected }),
	},
	{
		Column: "failedChecks", Sparse: true, Expendable: true, Metric: "failed_checks",
		Help: "How often checks of a part of a flow did not hold.",
		Of:   failedChecks,
		In:   in(func(o *benchv1alpha1.OperationResult) **int64 { return &o.FailedChecks }),
	},
	{
		Unit: Ratio, Column: "recallPerMillion", Metric: "recall_ratio",
		Help: "Share of the documents of exact answers that an operation's own answers had.",
		Of:   func(o *reportv1.OperationSummary) *int64 { return o.Recall.PerMillion() },
		In:   in(func(o *benchv1alpha1.OperationResult) **int64 { return &o.RecallPerMillion }),
		Compared: &Comparison{
			Metric: benchv1alpha1.MetricRecallPerMillion, Name: "recall", Unit: Ratio,
			UnitName: "found/million", BenchUnit: "recall/million",
		},
	},
	{
		Column: "retries", Sparse: true, Expendable: true,
		Metric: "retries", Help: "How often operations were sent once more.",
		Of: func(o *reportv1.OperationSummary) *int64 { return &o.Retries },
		In: in(func(o *benchv1alpha1.OperationResult) **int64 { return &o.Retries }),
	},
	{
		Column: "unacknowledged", Sparse: true, Metric: "unacknowledged_operations",
		Help: "Operations that succeeded and have no latency, because no reply was asked for.",
		Of:   func(o *reportv1.OperationSummary) *int64 { return &o.Unacknowledged },
		In:   in(func(o *benchv1alpha1.OperationResult) **int64 { return &o.Unacknowledged }),
	},
	{
		Column: "stragglers", Sparse: true, Expendable: true, Metric: "straggling_operations",
		Help: "Operations that were sent in the measure window and answered after it: in the latencies, and in no rate.",
		Of:   func(o *reportv1.OperationSummary) *int64 { return &o.Stragglers },
		In:   in(func(o *benchv1alpha1.OperationResult) **int64 { return &o.Stragglers }),
	},
	{
		Column: "carriedOver", Of: func(o *reportv1.OperationSummary) *int64 { return &o.CarriedOver },
	},
	{
		Column: "busyMicros", Of: func(o *reportv1.OperationSummary) *int64 { return &o.BusyMicros },
	},
	{
		Unit: Micros, Expendable: true, Timed: true, Panel: "Service time p99", Metric: "service_time_p99_seconds",
		Help: "99th percentile of an operation's service time; only of an open loop.",
		Of:   shown(ServiceTime, "P99Micros"),
		In:   in(func(o *benchv1alpha1.OperationResult) **int64 { return &o.ServiceP99Micros }),
	},
	{
		Unit: Micros, Expendable: true, Timed: true, Metric: "first_document_p50_seconds",
		Help: "Median time to the first document of a cursor.",
		Of:   shown(FirstDocument, "P50Micros"),
		In:   in(func(o *benchv1alpha1.OperationResult) **int64 { return &o.FirstDocumentP50Micros }),
		Compared: comparedTime(benchv1alpha1.MetricFirstDocumentP50Micros, "p50 until the first document",
			"first-document-p50-ns").of(0.5),
	},
	{
		Unit: Micros, Expendable: true, Timed: true, Panel: "First document p99", Metric: "first_document_p99_seconds",
		Help: "99th percentile of the time to the first document of a cursor.",
		Of:   shown(FirstDocument, "P99Micros"),
		In:   in(func(o *benchv1alpha1.OperationResult) **int64 { return &o.FirstDocumentP99Micros }),
	},
	{
		Unit: Micros, Expendable: true, Metric: "corrected_p99_seconds",
		Help: "Estimate of the 99th percentile of a closed loop's latency at the rate that threads were expected to keep.",
		Of:   shown(Corrected, "P99Micros"),
		In:   in(func(o *benchv1alpha1.OperationResult) **int64 { return &o.CorrectedP99Micros }),
	},
	{
		Unit: Micros, Expendable: true, Timed: true, Metric: "database_time_p50_seconds",
		Help: "Median of how long the database took of an operation that went through a service.",
		Of:   shown(DatabaseTime, "P50Micros"),
		In:   in(func(o *benchv1alpha1.OperationResult) **int64 { return &o.DatabaseTimeP50Micros }),
	},
	{
		Unit: Micros, Expendable: true, Timed: true, Panel: "Database time p99", Metric: "database_time_p99_seconds",
		Help: "99th percentile of how long the database took of an operation that went through a service.",
		Of:   shown(DatabaseTime, "P99Micros"),
		In:   in(func(o *benchv1alpha1.OperationResult) **int64 { return &o.DatabaseTimeP99Micros }),
	},
	{
		Unit: Micros, Expendable: true, Metric: "failed_p50_seconds",
		Help: "Median of how long an operation that failed took until then.",
		Of:   shown(Failed, "P50Micros"),
		In:   in(func(o *benchv1alpha1.OperationResult) **int64 { return &o.FailedP50Micros }),
	},
	{
		Unit: Micros, Expendable: true, Panel: "Failed, slowest", Metric: "failed_max_seconds",
		Help: "Longest time that an operation which failed took until then.",
		Of:   shown(Failed, "MaxMicros"),
		In:   in(func(o *benchv1alpha1.OperationResult) **int64 { return &o.FailedMaxMicros }),
	},
})

// Untimed are the figures that mean something when no operation was timed.
var Untimed = where(Operations, func(r operationRow) bool { return !r.Timed })

// ServiceTime is what an operation of an open loop has beside its response time; nil in a closed loop.
func ServiceTime(o *reportv1.OperationSummary) *reportv1.TimesSummary { return o.ServiceTime }

// FirstDocument is the time to an operation's first document; nil for kinds that read no cursor.
func FirstDocument(o *reportv1.OperationSummary) *reportv1.TimesSummary { return o.FirstDocument }

// DatabaseTime is how long the database took of an operation that went through a service; nil for others.
func DatabaseTime(o *reportv1.OperationSummary) *reportv1.TimesSummary { return o.DatabaseTime }

// Failed are the times of an operation's failures; nil where nothing failed.
func Failed(o *reportv1.OperationSummary) *reportv1.TimesSummary { return o.Failed }

// Corrected is an estimate of a closed loop's latency with what slow operations held up; nil where nobody asks for it.
func Corrected(o *reportv1.OperationSummary) *reportv1.TimesSummary { return o.Corrected }

// Latency are the times of all of an operation.
func Latency(o *reportv1.OperationSummary) *reportv1.TimesSummary { return &o.TimesSummary }

// latencies are Times as figures of an operation.
func latencies() []operationRow {
	rows := make([]operationRow, len(Times))
	for i, time := range Times {
		rows[i] = time.row
	}
	return rows
}

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

// P99 is the one of Times that tables of runs show.
var P99 = Times[slices.IndexFunc(Times, func(t Time) bool { return t.Name == "P99Micros" })]

// Percentiles are those of Times that are percentiles.
var Percentiles = where(Times, func(t Time) bool { return t.Quantile > 0 })

func percentile(name, label string, quantile float64, of timesOf, status resultsOf) Time {
	// Of a quantile that is written with few decimals this is the percentile as it would be written, 99.9 of 0.999.
	percent := math.Round(quantile*1e6) / 1e4
	read := func(h *hdrhistogram.Histogram) int64 { return h.ValueAtQuantile(percent) }
	t := statistic(name, label, read, of, status).compared(label, label+"-ns")
	t.Quantile, t.row.Quantile, t.row.Panel = quantile, quantile, label
	t.row.Compared.of(quantile)
	t.row.Absent = func(o *reportv1.OperationSummary) string {
		if o.Timed == 0 {
			return ""
		}
		return present.Few
	}
	// Called on a copy: the row's own figure has its quantile.
	carried := t
	t.row.Of = func(o *reportv1.OperationSummary) *int64 { return carried.Shown(&o.TimesSummary) }
	return t
}

func statistic(name, label string, read func(*hdrhistogram.Histogram) int64, of timesOf, status resultsOf) Time {
	return Time{Name: name, Label: label, Of: of, Read: read, row: operationRow{
		Unit: Micros, Column: lowerFirst(name), Label: label, In: in(status), Timed: true,
		Of: func(o *reportv1.OperationSummary) *int64 {
			if o.Timed == 0 {
				return nil
			}
			return of(&o.TimesSummary)
		},
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

// of makes it that of a percentile.
func (c *Comparison) of(quantile float64) *Comparison {
	c.Quantile = quantile
	return c
}

// Summarise reads all figures of a histogram.
func Summarise(times *hdrhistogram.Histogram) reportv1.TimesSummary {
	summary := reportv1.TimesSummary{Timed: times.TotalCount()}
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
