// Package plan fixes what the local cluster looks like before anything is started: names, addresses, and where each
// file is. It is pure apart from reading and writing the one file that remembers it.
//
// It starts nothing and touches no kernel object. It imports the standard library only.
package plan
