// Package loadgen follows a plan: it prepares and loads the dataset, verifies it, and drives the workload of each step
// from a number of workers, measuring every operation.
//
// It knows no database: what is measured is a Target, implemented under driver. It knows no cluster either: how pods
// start together is a Gate, and where progress and the report go is a Reporter, both given by the program that runs it.
//
//	Engine.Run ── for each step of the plan ──┐
//	   open sessions                          │ before the gate: nothing of it is measured
//	   Progress Waiting ─> Gate.Wait          │
//	   Progress Running, every second         │
//	   Prepare, Index, Verify: pod 0 alone    │ once.go, verifying.go
//	   Load: encode ─> send ─> acknowledge    │ loading.go: several batches of a worker are on their way
//	   Measure, a crew of workers with a loop:│ crew.go, worker.go, measuring.go; searching.go: one loop after another
//	     closed: draw ─> send ─> reply ─> think    closed.go: the next operation when the last was answered
//	     open:   draw ─> due ─> send ─> reply │    open.go, queue.go: the next operation when it is due
//	     drain: what nobody acknowledges      │ draining.go: until the servers have taken it in
//	Reporter.Report, Progress Done <──────────┘
//
// In a closed loop a worker sends the operations with its own number and every so many after that; in an open loop the
// pods share the operations of one schedule. So what operation number i is, and in an open loop when it is due, depends
// on the plan alone, and never on how many pods, threads or processors there are.
//
// It imports the plan, the report, and the packages below it that are pure; never client-go nor a database driver.
package loadgen
