// Package show writes runs, suites and targets for people: lists, descriptions, comparisons, as text and as Markdown.
//
// A table aligns its columns by what is seen, so that colours, which a Paint puts round single words, move nothing. A
// Paint of nothing writes none. What is not known is a dash.
//
// It reads no cluster and decides nothing: verdicts are those of the status or of package comparison. It imports api,
// and loadgen/output for the texts of figures.
package show
