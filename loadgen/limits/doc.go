// Package limits is the proof that a result names what limits a load: each situation is one on purpose, with real
// servers, and a test fails when the report names another cause, or names one where nothing was done.
//
//	situation ── make ──> servers and a run ── load generator ──> report ── result.Summarise ──> what limits it
//	                                                                              └────> table, at the end of the tests
//
// No situation is about how fast anything is: only the cause that is named is looked at. Where the report itself doubts
// the load generator, because the machine had other things to do, the situation is made again. The short form, which is
// `go test`, has some of the situations; the long form is `make limits`, which has all of them.
//
// The package is for tests only, and may import all of the load generator and of what judges its results.
package limits
