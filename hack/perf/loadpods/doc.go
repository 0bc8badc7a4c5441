// Command loadpods is all load pods of a run in one process, for package perf: each is the load generator's own engine,
// with a gate, a reporter and connections to the API server and the database of its own.
//
// It imports api, loadgen, and client-go to find the API server by a file.
package main
