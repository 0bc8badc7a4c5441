// Package run is the controller of BenchmarkRuns: observe reads a run and all that it made, package decide says what
// is to be done, apply does it, report writes the status and tells what changed.
//
// It decides nothing, and never speaks to a database: load pods do, and answer in ConfigMaps. All that it holds
// between two reconciles is the queue, which a manager that has just been started rebuilds from what the runs say.
// It imports its own decide package, controllers/internal, api, and controller-runtime.
package run
