// Package drain follows the connections of one of the driver's clients, so that a question over each of them can tell
// when the servers have taken in unacknowledged writes.
//
// What is sent is the sessions' business. It imports the driver and packages command, errorclass, lookup and wire.
package drain
