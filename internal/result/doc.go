// Package result turns the reports of load pods into a result: it merges them, makes them fit into a ConfigMap, reads
// rates and percentiles from the merged histograms, finds steadiness, recovery and imbalance, and lists the reasons to
// doubt what was measured.
//
// All of it is pure. It is not the place for measuring, for formatting or for comparing results. It imports
// api/report, api/v1alpha1 for the reasons of the condition Trusted, internal/figure and the histogram library.
package result
