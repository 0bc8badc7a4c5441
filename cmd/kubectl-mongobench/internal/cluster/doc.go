// Package cluster reads and writes the objects of mongobench in a cluster, as the user that kubeconfig names.
//
// A Cluster finds a run, suite or target by what people type (Find), applies the objects of files (Apply), reads the
// report of a run and the result of a suite and refuses what is not what the status speaks of (Report, Result), and
// copies the logs of a run's pods (Logs). Errors that a caller branches on are ErrRefused and ErrUsage.
//
// It prints nothing, and waits for nothing but the end of a log. It imports api, internal/naming for labels,
// cli-runtime and the clients of Kubernetes.
package cluster
