// Package keydist turns random bits into items of a range by a distribution: Uniform, Zipfian, HotSpot or Sequential.
// A draw is a pure function, takes no lock and allocates nothing.
//
// Zipfian is the method of J. Gray et al., "Quickly Generating Billion-Record Synthetic Databases", SIGMOD 1994, which
// YCSB uses as well: item 0 is the most frequent one, item 1 the next, and so on. Items 0 and 1 get exactly what
// Zipf's law gives them; the others follow it approximately (with theta 0.99, item 2 gets a fifth more or less than
// the law says, and one draw in eighty falls on another item in all), with the probabilities that the tests of this
// package state. Two things differ from YCSB: the items are not scattered over the range by a hash, and the range does
// not grow during a step.
//
// Floating-point functions may differ in their last bit between processor architectures, so a Zipfian draw is
// repeatable on one architecture; every other draw is repeatable everywhere.
//
// It is not a source of randomness. It imports api, api/plan and loadgen/stream.
package keydist
