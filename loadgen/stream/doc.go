// Package stream gives random values by their place instead of by their turn: value k of a stream is a pure function
// of the seed, a label and k. So the load pods, their threads and a later run agree on every value without sharing
// anything.
//
// The mixing function is the finaliser of SplitMix64: G. Steele, D. Lea and C. Flood, "Fast Splittable Pseudorandom
// Number Generators", OOPSLA 2014, with the constants of D. Stafford's variant 13.
//
// It is not for secrets: whoever sees a few values can compute the rest. It imports only the standard library.
package stream
