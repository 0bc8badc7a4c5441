// Package bare is the least that it takes to speak with a mongod: a socket, messages that were made beforehand, and one
// read a reply. What any client costs on top of it is the client's.
//
// It is no client: it knows no topology, no authentication, no errors of operations but those that a caller looks for.
// It is for the programs under hack/perf, and imports of the project nothing.
package bare
