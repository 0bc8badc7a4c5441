// Package duet has two engines measure in turns: one follows a plan on its target, the other that of the baseline on
// another one, in the same process.
//
//	engine of the candidate ── Next, Done ──┐            ┌── Judge: is every line decided?
//	                                        ├─ Conductor ┤
//	engine of the baseline ─── Next, Done ──┘            └── Resting: is the side at rest that does nothing?
//
// The Conductor gives out the windows of each step, in the order of the package internal/duet, and ends the step once
// its Judge has decided all lines or the time is up. Both sides begin a step together. A side begins its window only
// after the other one owes no reply any more, and has come to rest.
//
// Run is all of it: two engines, their Conductor, and one report. It knows no database; that is behind the engines'
// targets. It imports the engine and package internal/duet.
package duet
