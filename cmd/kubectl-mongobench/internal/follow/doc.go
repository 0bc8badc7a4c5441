// Package follow shows how far a run or suite has come, and says how it ended.
//
// OfRun and OfSuite make a State of what the operator says; it is done with a verdict of the present content only. A
// Screen shows one state after the other, as a line of package screen: on a terminal with a bar and the throughput of
// the last seconds as a sparkline.
//
// It asks no cluster, and has no clock. It imports api and internal/present.
package follow
