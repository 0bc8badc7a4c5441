// Package keydist turns random bits into items of a range by a distribution: Uniform, Zipfian, ScrambledZipfian,
// Latest, HotSpot, Exponential, Sequential or NURand. A draw is a pure function, takes no lock and allocates nothing.
//
// Zipfian is the method of J. Gray et al., "Quickly Generating Billion-Record Synthetic Databases", SIGMOD 1994, which
// YCSB uses as well: item 0 is the most frequent one, item 1 the next, and so on. Items 0 and 1 get exactly what
// Zipf's law gives them; the others follow it approximately (with theta 0.99, item 2 gets a fifth more or less than
// the law says, and one draw in eighty falls on another item in all), with the probabilities that the tests of this
// package state. ScrambledZipfian scatters the ranks of ten billion items over the range by a hash, as YCSB does for
// requestdistribution=zipfian; Latest is the mirror image, with the last item of the range the most frequent one.
// HotSpot gives the share HotDraws of the draws to the first share HotRange of the range. Exponential favours item 0:
// a decay of which the share HotDraws lies in the first share HotRange of the range, cut off at the range's end.
//
// All of them give the items the chances that YCSB's generators give them, item by item, as the tests show by
// chi-square against counts of YCSB 0.17. What YCSB's core workload does around them differs: its "zipfian" scatters
// over one item more than there are records, and draws again when that comes, which package workload does too; its
// "exponential" counts from the newest record, not from the first; its "hotspot" rounds the hot range down, not to the
// nearest item; and with inserts in the mix, its "zipfian" and "exponential" draw the inserted records as well, where
// here only Latest does.
//
// Growing is Latest for a number of items that differs from draw to draw. YCSB keeps one of the constants of the
// method from before the growth; here all are those of the size at the time. Package workload tests how far the two
// differ.
//
// Floating-point functions may differ in their last bit between processor architectures, so a draw from Zipfian,
// ScrambledZipfian, Latest or Exponential is repeatable on one architecture; every other draw is repeatable everywhere.
//
// It is not a source of randomness. It imports api, api/plan and loadgen/stream.
package keydist
