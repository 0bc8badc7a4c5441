// Package mongotest starts real mongods for tests, on free ports of the loopback interface, with their data in
// temporary folders. It finds the servers where `make mongod` puts them and skips a test where they are missing.
//
// A package's tests share one server of each version (Shared, stopped by Main), and where they need settings of their
// own one of each version and name (SharedAs); a test that harms its server starts its own (Start). A server dies with
// the test process, however that ends.
//
// It is for tests only, and imports package wire, by which it sees a server answer, and package process.
package mongotest
