// Package show writes runs, suites and targets for people: lists, descriptions, comparisons, as text and as Markdown,
// and how far a run or suite has come.
//
// What is not known is a dash. StateOfRun and StateOfSuite make a State of what the operator says; a suite has ended
// with a verdict of its present content only. A Screen shows one state after the other, as a line of package screen: on
// a terminal with a bar and the throughput of the last seconds as a sparkline.
//
// It reads no cluster, has no clock and decides nothing: verdicts are those of the status or of package comparison. It
// imports api and the domain.
package show
