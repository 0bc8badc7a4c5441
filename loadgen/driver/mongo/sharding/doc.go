// Package sharding distributes collections over the shards behind a mongos, and says what the balancer does.
//
// A layout is worked out without a server. A cluster makes an empty collection with it and checks what came of it, so
// that a start which was interrupted can be repeated.
//
// It imports the plan, the driver and packages schema, errorclass and lookup.
package sharding
