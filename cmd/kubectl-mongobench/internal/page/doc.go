// Package page makes pages: one HTML file each that holds its data, its style and its scripts, and needs no network.
//
//	reports ─ Of ─▶ Data ─ JSON ─▶ page.html + assets/*.js ─▶ one file
//
// What a page shows is decided in Go, by pure functions, and drawn by JavaScript, which works out no figure: every
// number of a table comes with the text that the other forms of the report have for it. Write makes the page of a run,
// or of several laid over each other.
//
// Series are long, and a page has to open at once: where there would be too many values, neighbours are made one
// (counts and histograms are added, rates averaged, of levels the largest is kept), and the page says so. Percentiles
// are read from histograms, of an interval or of the whole, and never averaged.
//
// The scripts, in the order in which they need each other: vendor/uPlot (charts, see vendor/README.md), parts.js,
// plot.js, chart.js, and then run.js or those of another page. Nothing that a report holds becomes markup,
// and a policy in the page's head forbids it to load or send anything.
//
// It reads no cluster and measures nothing. It imports api, loadgen/output for the texts of figures, loadgen/observe
// for what a server did in a window of time, and of the plugin internal/cluster and internal/show for suites.
package page
