// Package shards measures several deployments as the shards of one, without a mongos: the load generator routes by
// itself. Each shard is a replica set or a single mongod of any version; what they are asked is what a mongos would ask
// them, so that the same workload over both tells what mongos costs.
//
//	package placement: document, filter ──> shards        package merge: answers of several shards ──> one
//	package value:     BSON as it stands: find, compare, hash
//
//	session ──┬── mongo.Stream ── shard0      one shard: the operation goes there as it is
//	          ├── mongo.Stream ── shard1      several: it is sent to all of them, and then their replies are read
//	          └── mongo.Stream ── shard2
//
// A worker has a connection to every shard and no goroutine of its own for any: what goes to several shards is sent to
// all before the first reply is waited for. Check says what cannot be done this way, before anything is written.
//
// It imports the plan, the report, the workload's requests and package mongo; the driver itself it does not.
package shards
