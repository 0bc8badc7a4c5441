// Package decide says what becomes of a BenchmarkSuite: from one Observation to the runs that are to be made, changed
// and removed, the new status and the next wake-up. It is pure: no client, no clock, no logger, nothing random; all
// that it rests on is in the observation, and all that has to be remembered is in the cluster.
//
//	specification ──Compile──▶ plan ──▶ slots ──▶ a run each, when its turn comes
//	                                                  │
//	          every slot has ended, or the revision was stopped
//	                                                  ▼
//	  baseline ──▶ comparison ──▶ <suite>-<revision>, <suite>-history ──▶ status: Complete, Regressed
//
// A slot has ended when its run has, or when the run is gone and its sample lies in the stored result. What is complete
// stays so: a run that is removed afterwards is not made again.
//
// Reading and writing are not its business, nor are statistics. It imports the API types,
// internal/suite, internal/comparison, and the pure packages of controllers/internal.
package decide
