package figure

import (
	"slices"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

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
		Unit: Micros, Expendable: true, Timed: true, Panel: "Service time p99", Metric: "service_time_p99_seconds",
		Help: "99th percentile of an operation's service time; only of an open loop.",
		Of:   of(ServiceTime, func(t *reportv1.TimesSummary) *int64 { return &t.P99Micros }),
		In:   in(func(o *benchv1alpha1.OperationResult) **int64 { return &o.ServiceP99Micros }),
	},
	{
		Unit: Micros, Expendable: true, Timed: true, Metric: "first_document_p50_seconds",
		Help: "Median time to the first document of a cursor.",
		Of:   of(FirstDocument, func(t *reportv1.TimesSummary) *int64 { return &t.P50Micros }),
		In:   in(func(o *benchv1alpha1.OperationResult) **int64 { return &o.FirstDocumentP50Micros }),
		Compared: comparedTime(benchv1alpha1.MetricFirstDocumentP50Micros, "p50 until the first document",
			"first-document-p50-ns"),
	},
	{
		Unit: Micros, Expendable: true, Timed: true, Panel: "First document p99", Metric: "first_document_p99_seconds",
		Help: "99th percentile of the time to the first document of a cursor.",
		Of:   of(FirstDocument, func(t *reportv1.TimesSummary) *int64 { return &t.P99Micros }),
		In:   in(func(o *benchv1alpha1.OperationResult) **int64 { return &o.FirstDocumentP99Micros }),
	},
})

// Untimed are the figures that mean something when no operation was timed.
var Untimed = where(Operations, func(r operationRow) bool { return !r.Timed })

// ServiceTime is what an operation of an open loop has beside its response time; nil in a closed loop.
func ServiceTime(o *reportv1.OperationSummary) *reportv1.TimesSummary { return o.ServiceTime }

// FirstDocument is the time to an operation's first document; nil for kinds that read no cursor.
func FirstDocument(o *reportv1.OperationSummary) *reportv1.TimesSummary { return o.FirstDocument }

// latencies are Times as figures of an operation.
func latencies() []operationRow {
	rows := make([]operationRow, len(Times))
	for i, time := range Times {
		rows[i] = time.row
	}
	return rows
}
