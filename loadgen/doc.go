// Package loadgen defines what the parts of the load generator give one another. What is measured is a Target,
// implemented under driver, whose Sessions send operations and batches. How pods start together is a Gate, and where
// progress and the report go is a Reporter, both given by the program that runs an engine.
//
// It does nothing itself: package engine follows plans, verify compares what was loaded, replay sends recordings. It
// imports the plan, the report and the workload's requests; never client-go nor a database driver.
package loadgen
