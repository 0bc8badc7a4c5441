// Package driver says what a driver is to the load generator: how it tells whether a target is its own, and how it
// opens one. Each driver registers itself in a folder below; cmd/loadgen lists them.
//
// It speaks to no database. It imports the plan and loadgen.
package driver
