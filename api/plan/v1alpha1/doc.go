// Package v1alpha1 is what a load pod or a topology Job is told: small JSON documents with every default filled in,
// written by the operator (or by the command line, from the same run file) and read strictly by the load generator.
//
// A Plan holds no name, address, credential or time, so that its hash identifies what was measured: dates that count
// from the load are offsets, and the mark of the dataset in the database has the instant. Topology is what a
// topology Job is told. Gate is how a run's pods start together.
//
// It holds types and their encoding; internal/spec makes plans of specifications, and loadgen carries them out. It
// imports the run's API and nothing of Kubernetes beyond that.
package v1alpha1
