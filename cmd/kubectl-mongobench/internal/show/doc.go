// Package show writes runs, suites and targets for people: lists, descriptions, comparisons, as text and as Markdown.
//
// What is not known is a dash.
//
// It reads no cluster and decides nothing: verdicts are those of the status or of package comparison. It imports
// api and the domain.
package show
