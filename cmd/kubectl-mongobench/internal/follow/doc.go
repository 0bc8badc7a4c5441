// Package follow shows how far a run or suite has come, and says how it ended.
//
// OfRun and OfSuite make a State of what the operator says; it is done with a verdict of the present content only. A
// Screen shows one state after the other: on a terminal as one line that is overwritten and never wraps, with a bar and
// the throughput of the last seconds as a sparkline; otherwise a line when the stage, the step or what is waited for
// changes, and every five seconds while something is measured.
//
// It asks no cluster, and has no clock. It imports api, and package show for numbers.
package follow
