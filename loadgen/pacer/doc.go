// Package pacer says when operations are due: it turns an arrival process of a plan into the offset of every operation
// from the start of its window. An operation is due whether or not those before it were answered; that is what makes an
// open loop honest about a database that stalls.
//
//	rate     ______                 count      /
//	      __/      \____              ______/      the count due at t is the integral of the rate until t,
//	     /              goes on      /             and operation n is due when it reaches n
//
// It has no clock, sends nothing and knows no pods: whoever shares a schedule gives each pod the numbers that are equal
// to its index modulo the number of pods. It imports the plan and package stream, for what is random.
package pacer
