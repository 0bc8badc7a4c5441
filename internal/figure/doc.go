// Package figure lists every figure of a result, one row each: its name, unit and label, how it is read from a summary,
// where the status holds it, its metric in Prometheus, whether runs are compared by it, and its dashboard column. The
// status, the metrics, the comparison, CSV, tables, pages and dashboards are made from these rows.
//
// It is not the place for arithmetic on reports (internal/result) or for formatting. It imports api/report,
// api/v1alpha1 and the histogram library.
package figure
