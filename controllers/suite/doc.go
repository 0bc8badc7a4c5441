// Package suite is the controller of BenchmarkSuites: observe reads a suite and all that it made, package decide says
// what is to be done, apply does it, report writes the status and tells what changed.
//
// It decides nothing, and holds nothing between two reconciles but what it compiled: the names of runs are made of
// their content, so that whoever makes them makes each of them once. It imports its own decide package,
// controllers/internal, api, and controller-runtime.
package suite
