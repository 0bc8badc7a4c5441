// Package command runs other programs and turns their failure into an error that says what they printed. It knows
// nothing of what is run. It may import the standard library alone.
package command
