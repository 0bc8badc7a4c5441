// Package ycsbtest counts what a core workload of YCSB asks for: as a preset draws it, and as YCSB itself prints it.
//
// It is for tests only. It imports the API, internal/spec and loadgen/workload.
package ycsbtest
