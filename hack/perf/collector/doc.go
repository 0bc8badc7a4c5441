// Command collector does what load pod 0 does with the reports of all load pods, outside of a pod, so that its time and
// memory can be measured: it merges the reports, stores the merged one, and writes down what the operator is told.
//
// It is for hack/perf only, and measures nothing itself. It imports loadgen/collect and loadgen/kube.
package main
