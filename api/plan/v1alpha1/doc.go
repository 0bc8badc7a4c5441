// Package v1alpha1 is what a load pod or a topology Job is told: small JSON documents with every default filled in,
// written by the operator (or by the command line, which compiles the same run file) and read strictly by the load
// generator.
//
// A Plan is a pure function of a run's specification, so that its hash identifies what was measured; it holds no name,
// address, credential or time. Topology is what a topology Job is told. Gate is how a run's pods start together.
//
// It is not the place for execution. It imports the run's API and nothing of Kubernetes beyond that.
package v1alpha1
