// Package command writes the commands of operations as MongoDB servers take them, for sessions of both clients.
//
// A Builder belongs to one worker and reuses one Buffer, so that writing a command allocates nothing. What an operation
// declares about concerns and read preference, its Terms, is encoded once, before the step begins. A load is
// acknowledged whatever the connection string says.
//
// It sends nothing and reads no reply. It imports the plan, the workload's requests, the driver's read preferences, and
// package wire for the length of a message's header.
package command
