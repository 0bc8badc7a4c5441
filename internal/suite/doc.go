// Package suite works out, from the specification of a BenchmarkSuite, which runs there are to be: the variants of its
// matrix, their names, their hashes, the revision, and the order of the runs.
//
// It is pure: the same specification gives the same runs, for the operator and for the command line. It imports api and
// apimachinery, no client.
package suite
