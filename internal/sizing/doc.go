// Package sizing finds the smallest of ordered choices that keeps some constraints, in few trials.
//
// The choices are the points of one to three dimensions, each of which is ordered from the smallest to the largest:
// what has no less of anything keeps whatever a smaller choice keeps. So a choice that keeps the constraints speaks for
// all that are larger, and one that breaks them for all that are smaller:
//
//	Space.Next ──▶ a choice ──▶ trials of it ──▶ Rule.Judge ──▶ Keeps, Breaks, Undecided or Open
//	    ▲                                                                │
//	    └────────────────────────────────────────────────────────────────┘ until nothing can be smaller
//
// Of one dimension that is bisection; of several, the choice that leaves the fewest open whatever comes of it.
//
// A Trial says by how much it keeps each constraint. Trials of the same choice differ, so a choice is judged by two at
// least, with a t-test. Its variance is pooled over all choices that were tried, and its error is shared by the looks.
//
// The package is pure: it knows no runs and no metrics, and imports the standard library alone.
package sizing
