// Package observe samples the servers of a deployment while the steps of a run go on, and makes series of what they
// tell: reportv1.Member and Series.
//
//	serverStatus, replSetGetStatus      every second    ─┐
//	dbStats, balancer and chunks        every 10 s      ─┤
//	SHOW GLOBAL STATUS, clock, usage    every second    ─┼ sample ─ recording ─ series
//	information_schema, cache sizes     every 10 s      ─┘
//
// The first two are questions to MongoDB (commands.go, figures.go), the others to MariaDB and MySQL (listing.go). What
// means the same has the same name, so that figures of both stand side by side.
//
// Sample n of a series was taken n intervals after the member's Start, the same for all members. A figure whose unit
// ends in /s is a rate: what a counter grew by since the sample before, per second of the server's own clock. The first
// sample has no rates, and neither has the first after a restart of the server. All others are levels: the values
// as they were. What is asked every 10 s stays as it was in between. -1 is a value that is not known: the sample was
// missed, or the server does not tell. A series that would be -1 throughout is left out.
//
// A sample that does not come before the next is due is missed and counted. Each server is asked by a goroutine of its
// own on a connection of its own, so that a slow one holds up neither the others nor the load. After an hour the
// interval doubles, and again whenever a series would have more than 3601 values: rates are then over the longer
// interval, and levels the larger of two, so that a spike is not lost.
//
// docs/reference/server-figures.md lists the figures for people, with their units and where they come from.
//
// Summarise tells what happened at a member in a window of time: how evenly its operations went on, the checkpoints and
// what they cost, evictions by application threads. Latest tells what the servers said last, while the observation goes
// on.
//
// Slow asks, after a step, which commands the servers logged as slow in its window. A command is kept as its shape: the
// names of its fields, and no value.
//
// Keep keeps the diagnostic data that a MongoDB has of itself, as package ftdc writes it.
//
// The package is not where a server is found or connected to: a Server is implemented under loadgen/driver. It imports
// the report and bson, and no driver.
package observe
