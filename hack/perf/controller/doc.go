// Package controller measures what the operator computes: compiling a run into a plan, one decision about a run with
// many load pods, and merging and judging what the pods reported. `make bench ONLY=controller` runs its benchmarks.
//
// What the operator waits for, the API server, is in none of them. It is for benchmarks only: other packages import
// nothing of it, and it imports api and the decisions of controllers.
package controller
