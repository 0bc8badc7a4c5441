package duet

import (
	"time"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Form says how the windows of the two sides lie to each other.
type Form benchv1alpha1.DuetForm

// Group is the windows between which nothing is decided: of each side as many, in their order.
type Group struct {
	Windows [2][]Window
	// At is when the group was complete, after the begin of the first one.
	At time.Duration
	// Disturbed says what a side was at while it should have rested; empty: nothing.
	Disturbed string
}

// Rounds are those of a group by its number, from 0 on: in each round the sides that are named are measured at the same
// time. Sides that alternate do so as ABBA, then BAAB: a drift that is even over a group then falls on both, and
// what comes back with the length of a group does not always meet the same side.
func (f Form) Rounds(number int) [][]Side {
	if f == Form(benchv1alpha1.DuetConcurrent) {
		return [][]Side{{Candidate, Baseline}, {Candidate, Baseline}}
	}
	first := Candidate
	if number%2 == 1 {
		first = Baseline
	}
	second := first.Other()
	return [][]Side{{first}, {second}, {second}, {first}}
}
