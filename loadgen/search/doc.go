// Package search finds the highest rate at which an objective is kept: it says which rate to try next, is told what
// became of it, and ends with a rate that kept the objective twice, the second time for longer.
//
//	Lowest ──kept──> Highest ──kept─────────────────────────> confirm it
//	   │                └─failed─> the geometric mean between the highest rate that kept and the lowest that failed,
//	   │                           until they are within the tolerance ─> confirm the one that kept
//	   └─failed─> 0                confirmation failed ─> that rate has failed; go on below it
//
// It is a pure state machine without clock or input and output; whoever drives it makes the trials. It imports the plan
// and the report only.
package search
