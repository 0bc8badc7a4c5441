// Package progress tells people what is going on: one line a step, with the seconds since the beginning.
//
// It is not a logger: nothing reads it again. It imports the standard library only.
package progress
