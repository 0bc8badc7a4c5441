// Package picture draws results as one picture, SVG or PNG, for pages and papers of others: of a run its throughput and
// latency over time (Run), of a suite every repetition with median and interval, or medians over the documents of a
// growth (Suite).
//
// A picture shows what is looked at first, and no more: package page has all of it, with figures. What a picture shows
// of a suite is worked out there; of a run, percentiles are read from each interval's own histogram and never averaged.
//
// It reads no cluster. It imports api, internal/page, internal/show for texts, internal/cluster for what is kept of a
// suite, and gonum's plot.
package picture
