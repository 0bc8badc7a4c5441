// Package honesty is the suite of lies: each scenario is a way in which a wrong number could be reported, made to
// happen, with the truth known from elsewhere. A test fails when the number is wrong and the result does not say so,
// and when the result doubts a number that is right.
//
//	scenario ── Run ──> what was reported, whether it is wrong, the doubts ── Check ──> passed, or a lie
//	                                                                            └────> table, at the end of the tests
//
// A subject has a file of its own with a test that calls Check for each of its scenarios; nothing lists them all. The
// short form, which is `go test`, leaves out those that are Long. The long form is `make bench ONLY=honesty`, which
// prints the table and the figures that scenarios have added by Figure.
//
// The truth comes from a script, from the server's own counters or from arithmetic, never from the load generator. The
// package is for tests only, and may import all of the load generator and of what judges its results.
package honesty
