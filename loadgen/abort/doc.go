// Package abort says when a step of a plan is to end early, because it misses one of the thresholds of its abortOn.
//
// It decides from what a recording tells while the step goes on, and does no I/O. It imports api/plan and measure.
package abort
