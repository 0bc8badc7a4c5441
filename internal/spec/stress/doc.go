// Package stress writes out what a line of `loadgen stress` asks for: a BenchmarkRun with one collection of plain
// documents and one step with a mix of inserts, reads, updates, deletes, scans and aggregations.
//
// It is pure, as the presets are. It is no preset of the API: what a line leaves out is chosen for a try that is over
// within a minute, and not for a benchmark that others repeat. It imports the API and the standard library.
package stress
