// Package mariadbtest starts real MariaDB servers for tests, on free ports of the loopback interface and a socket, with
// their data in temporary folders. It finds the server where `make mariadb` puts it and skips a test where it is
// missing.
//
// A package's tests share one server of each name (Shared, stopped by Main); a test that harms its server starts one of
// its own (Start), and one that makes the data itself has it run (Run). A server dies with the test process, however
// that ends.
//
// It is for tests only, speaks no more of the protocol than it takes to see a server take connections, and imports
// only package process.
package mariadbtest
