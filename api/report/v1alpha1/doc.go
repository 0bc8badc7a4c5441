// Package v1alpha1 is what the load generator answers: Progress while it works, a Report at the end, a TopologyReport
// from a topology Job.
//
// A report holds counters and mergeable histograms, never percentiles: those are read from merged histograms alone
// (Merge, Summarise), because percentiles of parts cannot be averaged.
//
// It is not the place for measuring or for drawing tables. It imports the histogram library and nothing of Kubernetes.
package v1alpha1
