// Package describe asks a MongoDB deployment what it is, for the report: version, topology, storage engine, the write
// concern in force, and the sizes of its collections.
//
// It changes nothing, and what the user may not ask stays empty. It imports the plan, the report, the driver and
// packages connection, members, sharding, command, errorclass and lookup.
package describe
