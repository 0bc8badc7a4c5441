// Package verify compares what a database holds with what a plan loads into it: it counts the documents of every
// collection, and reads documents back and compares them byte by byte.
//
// It changes nothing. It imports package loadgen for the target, the plan, and the workload's dataset.
package verify
