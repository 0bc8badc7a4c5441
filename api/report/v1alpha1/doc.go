// Package v1alpha1 is what the load generator answers: Progress while it works, a Report at the end, a TopologyReport
// from a topology Job; and Summary, the figures that are read from a report. It holds types and their encodings.
//
// A report holds counters and mergeable histograms, never percentiles: percentiles of parts cannot be averaged.
//
// It is not the place for measuring, for merging or summarising (internal/result), or for tables. It imports the
// histogram library and nothing of Kubernetes.
package v1alpha1
