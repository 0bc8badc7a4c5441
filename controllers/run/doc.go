// Package run is the controller of BenchmarkRuns: observe reads a run and all that it made, package decide says what
// is to be done, apply does it, report writes the status and tells what changed.
//
// It decides nothing, holds no state between two reconciles, and never speaks to a database: load pods do, and answer
// in ConfigMaps. It imports its own decide package, controllers/internal, api, and controller-runtime.
package run
