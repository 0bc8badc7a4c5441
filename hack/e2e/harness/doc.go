// Package harness is what the end-to-end scenarios share: the connection to the cluster, a namespace a test, waits with
// deadlines, what to print when a test fails, makers of small runs, and the table at the end.
//
// It holds no scenario. It imports api, controller-runtime's client and client-go; it knows nothing of controllers and
// loadgen, so that a scenario sees no more than a user does.
package harness
