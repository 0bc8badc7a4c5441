// Package connection turns a connection string, and the credentials and certificates beside it, into what clients of
// MongoDB connect with: the driver's options, those of the wire client, and a Login for each other user than the
// load's. It counts the driver's traffic.
//
// It sends no commands. It imports the driver and packages wire and command, for write concerns.
package connection
