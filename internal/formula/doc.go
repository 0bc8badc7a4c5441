// Package formula reads the formulas that a user writes, such as the rate of a load over time, and evaluates them:
//
//	100 + 50 * sin(2 * pi * t / 60)       a sine with a period of a minute
//	100 + 900 * (t % 60 < 5)              spikes of five seconds, once a minute
//
// A formula has numbers, pi, the variable t, + - * / %, comparisons and !, && and || (each is 1 or 0), brackets, and
// the functions listed in Functions. It is parsed by Go's own parser, whose syntax it is a small part of, and is
// bounded in length and depth, so that what a stranger wrote takes no more than microseconds.
//
// It imports the standard library only.
package formula
