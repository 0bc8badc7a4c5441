// Package madeup makes results up, of any size and always the same ones, for the tests of what draws them: Run a
// report, Suite what the operator keeps of a suite, and Growth of one whose collections grow.
//
// Nothing in it was measured, and nothing but tests and the program pages below it imports it. What a real server
// answers is in the testdata of other packages. It imports api and internal/cluster.
package madeup
