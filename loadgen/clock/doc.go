// Package clock tells when the wall clock of a machine was set, which it compares with the monotonic clock:
//
//	monotonic  ──┬───────────────┬───────────────┬──▶  all durations are by it
//	wall         └─ 12:00:00     └─ 12:00:01     └─ 11:59:58   set back by 4 s: reported
//
// A reading of Go's clock, time.Now, has both. What is between two readings is by the monotonic clock as long as both
// still have it, and so is right whatever became of the wall clock; an instant that is written into a report loses it.
// Anchor brings the instants of a step onto the wall clock as it stood when the step began, so that their differences
// stay right.
//
// A time service that adjusts the rate of a clock (it may by 500 ppm) is no step: on Linux it adjusts both clocks alike.
//
// The package is no scheduler: waiting for an instant is package alarm's. It imports that, and nothing else of ours.
package clock
