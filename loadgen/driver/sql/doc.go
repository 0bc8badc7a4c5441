// Package sql speaks to MariaDB and MySQL, through go-sql-driver/mysql. A collection is a table with a column for each
// field, and what is done to it is one of the few operations that package portable binds to a statement.
//
//	uri.go, connect.go    connection string, users, and how what is not measured is asked, in time
//	link.go               one connection of a session: bytes counted, ended in time, never replaced unseen, and the
//	                      classes of errors
//	table.go              collections as tables, and their rows as documents again
//	dataset.go            tables and indexes made, read and measured, and whose a database is
//	value.go              values of BSON documents as arguments and as text
//	bind.go               operations as statements, once for each session, and what of a plan is refused
//	session.go, load.go   a worker's handle
//	describe.go           what the server says of itself, the class of durability that its settings give, and the server
//	                      as it is observed
//
// Sessions use the driver's connections themselves and not database/sql. That takes twice the allocations, a goroutine
// for every query whose context can end, and asks again on another connection when one was lost. What is not measured
// goes through database/sql.
//
// It imports package loadgen, the portable operations, the plan, the report, and of the MongoDB driver's module BSON
// only.
package sql
