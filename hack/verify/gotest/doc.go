// Command gotest runs go test and tells at the end which tests were skipped, and why. A green run with silent skips
// says less than it seems to; with CI=true a skip is therefore a failure, unless its reason says
// "needs <capability>" and this machine really has not got that capability (root, docker or mongos: what no test run
// can put in place by itself).
//
//	go run ./hack/verify/gotest [-C folder] [go test flags] packages
//
// It prints what a plain go test prints: one closing line a package, and the whole output of tests that failed. What
// these found wrong is added to the file that GOTEST_FAILURES names, too, for whoever prints much after it. It imports
// the standard library only.
package main
