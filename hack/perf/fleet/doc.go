// Package fleet measures the manager at many runs: the program itself, as a process of its own, against an API server
// and etcd that are started for it. Package perf runs it.
//
//	API server ◀── writes, counted by its audit log ── manager ◀── looked at from outside: /metrics, /proc
//	     ▲
//	     └── a node that is played: it starts the pods of Jobs, says what load pods say, and ends Jobs
//
// The runs are made ten a second, wait in one line, are measured one at a time as the operator does unless told
// otherwise, and share one target, a database elsewhere. What the node plays takes over a second a run, far less than
// a real one, and no CPU worth mentioning: the manager has as much to do as with many node pools. It writes what a load
// pod writes, by the load generator's own code: a step and a percentage, the state of the dataset, which begins again
// for each run since the workload changes documents, and a report.
//
//   - Reconcile times are from the manager's own histogram, over all controllers, and a percentile is interpolated
//     linearly within its bucket: 25, 50 and 100 ms are bounds of buckets. They hold what a reconcile waits for: the
//     API server, and the manager's own limit of requests.
//   - The API server and etcd collect garbage less often than they would, since they share the processors with what is
//     measured.
//   - Writes are what the API server has in its audit log for the manager's user, refused ones included. Events are
//     counted apart.
//   - The manager runs without leader election, which would write a lease every two seconds.
//   - Idle is the time after the last run has ended, in which nothing is touched, and then the start of another
//     manager, which looks at every object again.
//
// Every measurement has an API server of its own, which ends with Measure, as does the manager. It imports api,
// internal/testing, loadgen/kube, controller-runtime and client-go.
package fleet
