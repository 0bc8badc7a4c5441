// Package demo tests the studies that studies.sh runs and the pages that figures.awk fills.
//
// demo.sh runs benchmarks in a cluster made for them, by means of the plugin cmd/kubectl-mongobench; studies.sh does
// that with the studies, and puts their figures into docs/studies. The package has no code but tests, which import
// api, internal/suite and loadgen.
package demo
