// Package search finds the highest rate at which an objective is kept: it says which rate to try next, is told what the
// trial has shown, and ends with a rate that it is sure of, and that has kept the objective once more, for longer.
//
//	Lowest ──kept──> twice that ──kept──> … ──fails──> rates in between ──> the range is narrow ──> confirm its low end
//	                                            ▲  kept or failed, more or less surely   │   fails: a bit lower
//	                                            └────────────────────────────────────────┘
//
// It is a probabilistic bisection (Horstein 1963; Waeber, Frazier and Henderson 2013). The limit has a probability for
// each range between two rates. A trial at a rate multiplies the probability of all limits above it by the odds of what
// it has shown, which are never more than nine to one. So no single trial decides: what failed by bad luck is tried
// again, and so is what was kept by good luck.
//
// Search is the bisection, Evidence the sequential test that a trial is, and Circumstances say whether a trial failed
// by the target. All are pure, without clock or input and output; whoever drives them makes the trials. It imports the
// plan, the report and package present only.
package search
