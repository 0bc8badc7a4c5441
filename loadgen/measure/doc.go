// Package measure records what happened to every operation, and what the load generator itself used meanwhile.
//
// Each worker has a Recorder of its own: recording takes no lock and, once the range of latencies was seen, no
// allocation. Recorders are merged after the step into the counters and histograms of a report.
//
// It computes no percentile and draws nothing: that is the report's and the output's. It imports the report's API and
// the histogram library.
package measure
