// Package soak runs benchmarks of random kinds for a long time while pods of all parts, the manager's too, are deleted
// at random moments, and judges what the runs say of how they ended.
//
//	make e2e-soak [SOAK=30m] [SOAK_SEED=number] [SOAK_RUNS=3]
//
// A run may succeed only if nothing was deleted that its numbers came from. One that failed has to name a pod that was
// deleted. The pod of a topology Job and the manager may go at any time, and no run may fail for it. Afterwards nothing
// may be left: no object but the report, no volume, no process.
//
// The judgement (judge.go) and the choice of runs (kinds.go) are pure and tested by themselves; the rest needs a
// cluster, and the build tag soak. It knows the operator from outside, as hack/e2e does.
package soak
