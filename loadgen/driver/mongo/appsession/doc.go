// Package appsession is one worker's session as an application has it: the official driver through its CRUD methods,
// with the options of the connection string, and every document that comes back decoded into a bson.D.
//
// Nothing is added to what the driver does but a limit of time for each operation, which the driver leaves to its
// callers, and a count of what it sends again. Filters, updates and documents are given to it as BSON that is made
// already, as the other sessions have them.
//
// Which client sends an operation is package mongo's choice. It imports the driver, the workload's requests and
// packages command, crud, drain, errorclass and feed.
package appsession
