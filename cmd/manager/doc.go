// Command manager is the operator: it runs the controllers of every kind. It never speaks to a database.
//
// It only wires: what a controller does is in controllers/<kind>.
package main
