// Package e2e holds the end-to-end scenarios: real runs in a real cluster that has the operator in it.
//
//	hack/make/with-cluster.sh go test -tags e2e ./hack/e2e/...      or  make e2e
//
// Each file holds one scenario or two, behind the build tag e2e; each test has a namespace of its own that enforces the
// restricted Pod Security Standard. A test that fails prints the conditions, pods, events and logs of its namespace. At
// the end a table tells how long each scenario took and what was measured on the way; how long something takes is told
// and never judged. The memory of the manager is judged: it has a stated limit.
//
// Scenarios that take something from the cluster itself (a node, its power, the API server) are not parallel to others,
// and give it back however they end. Nor are those that compare instants, or look at what the scheduler prefers. Those
// that only the program in hack/cluster can do to a cluster need a local one. The last of its three nodes is reserved
// for the scenario that takes its power: it waits for minutes, and all others go on meanwhile. Runs have a rate that
// two processors bear beside one another, except where speed is looked at: a closed loop takes all that it can get.
//
// What the scenarios share is in hack/e2e/harness. This package knows the operator from outside: it imports api, the
// clients of Kubernetes and MongoDB, and nothing of controllers or loadgen.
package e2e
