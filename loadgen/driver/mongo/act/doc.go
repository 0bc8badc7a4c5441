// Package act carries out the actions of a step on a MongoDB deployment: it finds the member that an action is for,
// makes it step down or freezes it, and starts, stops and re-keys what a mongos manages.
//
// When an action is due, and what is the operator's to do, is not decided here. It imports the plan, the driver and
// packages connection, members, sharding, schema, errorclass and lookup.
package act
