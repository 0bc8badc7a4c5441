// Package ferretdb is the product FerretDB: one server that speaks MongoDB's protocol and keeps documents in SQLite. It
// says how a pod runs the server, how a load generator reaches it, and what of a target and a run it cannot do.
//
// The server is the program hack/images/ferretdb. The load generator speaks to it as to a MongoDB. It imports
// internal/product, internal/operation, internal/naming and internal/podspec.
package ferretdb
