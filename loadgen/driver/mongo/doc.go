// Package mongo measures MongoDB through the official Go driver.
//
// Every operation is one command that is written into a buffer of its worker and sent as it is: what the plan says is
// what the server gets, and the driver's own encoding, its retries and its monitoring stay out of the measurement.
// Retries are off because a retry hides an error and doubles a latency; every error is counted as it comes. Neither is
// an unacknowledged write concern accepted: nobody can say what arrived.
//
// Commands that may answer with a cursor are sent so that the driver keeps to the server that holds the cursor. All
// others go where the connection string's read preference says.
//
// It is not the place for building a topology or for drawing operations. It imports the plan, the report, the
// workload's requests and the driver; nothing else may import the driver but the topology package.
package mongo
