// Package loadgen follows a plan: it prepares and loads the dataset, verifies it, and drives the workload of each step
// from a number of workers, measuring every operation.
//
// It knows no database: what is measured is a Target, implemented under driver. It knows no cluster either: how pods
// start together is a Gate, and where progress and the report go is a Reporter, both given by the program that runs it.
//
//	Engine.Run ── for each step of the plan ──┐
//	   compile, open sessions                 │ before the gate: nothing of it is measured
//	   Progress Waiting ─> Gate.Wait          │
//	   workers: draw ─> pace ─> send ─> reply ─> record
//	   Progress Running, every second         │
//	Reporter.Report, Progress Done <──────────┘
//
// It imports the plan, the report, and the packages below it that are pure; never client-go nor a database driver.
package loadgen
