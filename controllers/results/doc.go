// Package results shows what runs and suites came to as metrics for Prometheus. Nothing is kept: each scrape reads the
// runs and suites that the manager's cache holds, so that a figure is what the status says, and is gone with its
// object.
//
//	scrape ──▶ Collector ──▶ the cache: runs, suites ──▶ gauges of the newest of them
//
// docs/reference/metrics.md lists the metrics. What the manager says of its own work is in
// controllers/internal/metrics. This package imports api, Prometheus's client and, for Setup, controller-runtime; it
// changes no object.
package results
