// Package process runs the server programs that tests start, on free ports of the loopback interface, with their data
// in temporary folders. A server dies with the test process, however that ends.
//
// Which program, with which arguments, is decided in mongotest and mariadbtest. It is for tests only, and imports
// nothing of the project.
package process
