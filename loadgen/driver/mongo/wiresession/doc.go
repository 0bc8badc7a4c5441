// Package wiresession is one worker's session by the wire client: one connection, which the session owns, and two
// batches under way while it loads. A Stream is a session whose operations can be begun and ended separately.
//
// The driver is only asked which server is the primary; errors have the form of the driver's, so that both clients'
// errors fall into the same classes.
//
// It imports the driver, the workload's requests and packages wire, command, errorclass and lookup.
package wiresession
