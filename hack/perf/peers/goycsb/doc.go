// Command goycsb runs go-ycsb's own client, core workload and MongoDB binding, unchanged, against one mongod:
//
//	goycsb load|run name=value...
//
// The names are go-ycsb's properties. It exists because go-ycsb's own program links in every database that go-ycsb
// knows, some of which want a C library. It ends when it is killed or the operations are done.
//
// It is a module of its own, so that the dependencies of a peer never meet those of the operator, and imports nothing
// of the project.
package main
