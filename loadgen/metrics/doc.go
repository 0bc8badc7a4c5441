// Package metrics shows what a load generator is doing, while it is doing it, on GET /metrics for Prometheus.
//
//	workers ── once a second, with the interval ──▶ measure.Recording ─┐
//	observer ── every sample ──▶ observe.Latest ───────────────────────┤ Metrics.Collect, on each scrape
//	the process: measure.Usage ────────────────────────────────────────┘
//
// Nothing is counted for it: a scrape reads what the report is made of as well. So sending and recording an operation
// costs the same with and without it, and a scrape after a step says what the report says of it. Until then a scrape
// lags behind by the second in which workers hand in.
//
// Histograms are native and classic at once. A report's histogram counts microseconds to three significant digits; all
// of one of its buckets goes where its largest value belongs. A quantile therefore lies in the native bucket in which
// the report's percentile lies: it is off by the width of that bucket at most, a factor of 2^(1/8), or 9 %. Counts are
// exact, and the sum is within 0.05 %.
//
// The step at work is shown, and the last one before it that counted operations, so that its last second is scraped
// too. A search counts all its trials; its report has those of the confirmation only.
//
// Labels are step, kind, operation, class and member: names of the plan, classes of errors, hosts of the deployment.
// Nothing of a connection string and no message is shown. docs/reference/metrics.md lists the metrics; what runs came
// to in the end is shown by the manager.
//
// It imports the plan, measure, observe and Prometheus's client: no database driver, and nothing of Kubernetes.
package metrics
