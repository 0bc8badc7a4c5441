// Package output writes reports for people and programs, and shows how far a run has come.
//
// A report becomes a table of text (Text), JSON (JSON: the report as the load generator made it, its summary, and the
// doubts), and CSV (CSV: one line an operation, and one a step with an empty operation for all together). The columns
// of the CSV are, in their order:
//
//	step                 name of the step; "load" for the loading of the dataset
//	operation            name of the operation; empty for all operations of the step together
//	kind                 what sort of request it is
//	threads              workers over all load pods
//	durationMillis       length of the measure window
//	count                operations that succeeded
//	errors               operations that failed
//	operationsPerSecond  successes a second
//	meanMicros           mean latency, from send to last reply; all latencies are in microseconds
//	p50Micros, p95Micros, p99Micros, p999Micros, maxMicros
//
// Of the loading, count and operationsPerSecond are documents, and the latencies are empty.
//
// The package measures nothing and merges nothing. It imports the plan's and the report's API.
package output
