// Package screen shows people how far something has come while it goes on.
//
// On a terminal a Line is one line that is overwritten and never wraps, with others below it where there is more to
// tell; elsewhere it is a line whenever another part begins, and every five seconds in between. Bar and Spark draw what
// stands in it.
//
// It has no clock. It imports the standard library and golang.org/x/term.
package screen
