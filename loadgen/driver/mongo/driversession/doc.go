// Package driversession is one worker's session by the official driver, with its transactions, change streams and
// tailing cursors.
//
// Every operation is one command of package command that the driver sends as it is; only an unacknowledged write is
// made by the driver itself. A Pool follows the driver's connections, so that a drain can ask over each of them.
//
// Which client sends an operation is package mongo's choice. It imports the driver, the workload's requests and
// packages command, errorclass and lookup.
package driversession
