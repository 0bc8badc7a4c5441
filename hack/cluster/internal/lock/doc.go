// Package lock keeps two commands from working on the same thing at the same time. The kernel releases the lock with
// the process that holds it, so a killed command blocks nobody.
//
// It is not for goroutines. It imports the standard library and golang.org/x/sys.
package lock
