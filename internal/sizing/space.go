package sizing

import (
	"math"
	"slices"
)

// Verdict is what is known of a choice.
type Verdict int

const (
	// Open is a choice that needs trials, or more of them.
	Open Verdict = iota
	// Keeps is one that keeps every constraint.
	Keeps
	// Breaks is one that breaks a constraint.
	Breaks
	// Undecided is one whose trials are used up without an answer. It is not taken, and neither is what is smaller.
	Undecided
)

// Space is the choices that there are.
type Space struct {
	// Points are the places of each choice in the dimensions, 0 for the smallest. All have as many.
	Points [][]int
	// Objective of each choice, which is to be as small as can be and never falls from a choice to a larger one. Without
	// it every choice is looked for of which nothing smaller keeps the constraints.
	Objective []float64
}

// Next is the choice to try next, given what is known of each by its own trials and how many of these there were. It is
// false when no choice can be better than those that are known to keep the constraints.
//
// A choice that was begun is tried until it has its verdict. Otherwise it is the one that leaves the fewest choices to
// look at, whichever verdict it gets.
func (s Space) Next(verdicts []Verdict, trials []int) (int, bool) {
	open := s.open(verdicts)
	if len(open) == 0 {
		return 0, false
	}
	begun := slices.IndexFunc(open, func(at int) bool { return trials[at] > 0 })
	if begun >= 0 {
		return open[begun], true
	}
	next, fewest := -1, math.MaxInt
	for _, at := range open {
		left := max(s.leftAfter(open, verdicts, at, Keeps), s.leftAfter(open, verdicts, at, Breaks))
		if left < fewest {
			next, fewest = at, left
		}
	}
	return next, true
}

// leftAfter is how many of the open choices stay open after one of them got a verdict.
func (s Space) leftAfter(open []int, verdicts []Verdict, at int, verdict Verdict) int {
	supposed := slices.Clone(verdicts)
	supposed[at] = verdict
	return len(slices.DeleteFunc(slices.Clone(open), func(other int) bool { return s.settled(supposed, other) }))
}

// open are the choices that may be better than what is known to keep the constraints.
func (s Space) open(verdicts []Verdict) []int {
	var found []int
	for at := range s.Points {
		if !s.settled(verdicts, at) {
			found = append(found, at)
		}
	}
	return found
}

// settled says that a choice need not be tried: it has its verdict, or that of another speaks for it.
func (s Space) settled(verdicts []Verdict, at int) bool {
	for other, verdict := range verdicts {
		switch {
		case verdict == Open:
		case other == at:
			return true
		case verdict == Keeps && s.NoLarger(other, at):
			return true
		case verdict == Keeps && s.Objective != nil && s.Objective[at] >= s.Objective[other]:
			return true
		case verdict != Keeps && s.NoLarger(at, other):
			return true
		}
	}
	return false
}

// NoLarger says that one choice has no more of anything than another.
func (s Space) NoLarger(one, other int) bool {
	for dimension, place := range s.Points[one] {
		if place > s.Points[other][dimension] {
			return false
		}
	}
	return true
}

// Smallest are the choices that keep the constraints by their own trials and of which no smaller one is known to; with
// an objective only the first that has the least of it.
func (s Space) Smallest(verdicts []Verdict) []int {
	var found []int
	for at, verdict := range verdicts {
		if verdict != Keeps {
			continue
		}
		if !slices.ContainsFunc(found, func(other int) bool { return s.NoLarger(other, at) }) {
			found = slices.DeleteFunc(found, func(other int) bool { return s.NoLarger(at, other) })
			found = append(found, at)
		}
	}
	if s.Objective == nil || len(found) < 2 {
		return found
	}
	least := found[0]
	for _, at := range found[1:] {
		if s.Objective[at] < s.Objective[least] {
			least = at
		}
	}
	return []int{least}
}
