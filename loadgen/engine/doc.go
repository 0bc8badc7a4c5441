// Package engine follows a plan as one of its pods: it prepares and loads the dataset, verifies it, and drives the
// workload of each step from a number of workers, measuring every operation.
//
//	Engine.Run ── for each step of the plan ──┐ engine.go; pod.go: what all steps share
//	   open sessions                          │ before the gate: nothing of it is measured
//	   Progress Waiting ─> Gate.Wait          │
//	   Progress Running, every second         │ pod.go
//	   Prepare, Index, Verify: pod 0 alone    │ once.go, dataset.go
//	   Load: encode ─> send ─> acknowledge    │ loading.go: several batches of a worker are on their way
//	   Measure, workers with a loop each:     │ workers.go, measuring.go; searching.go: one loop after another,
//	                                          │ together.go: as pod 0 orders
//	     closed: draw ─> send ─> reply ─> think    loops.go: the next operation when the last was answered
//	     open:   draw ─> due ─> send ─> reply │    loops.go: the next operation when it is due
//	     drain: unacknowledged writes         │ draining.go: until the servers have taken them in
//	Reporter.Report, Progress Done <──────────┘
//
// In a closed loop a worker sends the operations with its own number and every stride-th after that; in an open loop
// the pods share the operations of one schedule. So what operation number i is, and in an open loop when it is due,
// depends on the plan alone, and never on how many pods, threads or processors there are.
//
// It knows no database and no cluster: those are behind the interfaces of package loadgen. It imports the plan, the
// report, and the packages below it that are pure; never client-go nor a database driver.
package engine
