// Package members finds the servers of a MongoDB deployment and connects to each of them alone.
//
// What it asks them is its callers' business. It imports the driver and packages connection, errorclass and lookup.
package members
