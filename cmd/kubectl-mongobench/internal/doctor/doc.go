// Package doctor checks whether a cluster is ready for benchmarks, before one is run.
//
//	Observe ──▶ Observation ──▶ Examine ──▶ findings, one for each check
//
// Observe reads, as the user that kubeconfig names, and keeps of everything either what was read or why it was not.
// Examine is pure. What could not be seen is a warning that says so, never a guess: the settings of a node's kernel,
// for example, are known from what the servers of finished runs said of nodes like it, and from nowhere else.
//
// It changes nothing in the cluster, and prints nothing. It imports api, config/crd, package estimate beside it, and a
// client of controller-runtime.
package doctor
