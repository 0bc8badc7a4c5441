// Package mongosdouble stands in for mongos in tests, for no registry has a mongos to start. It is a server that says
// isdbgrid, in front of config servers and shards that are real:
//
//	client ── hello, listShards, addShard, shardCollection, ... ──> double ──> the config servers' own commands
//	client ── insert, find, aggregate, update, delete ──> double ── by config.chunks ──> the shards
//
// What administrative commands do, what they refuse and whether they may be repeated is therefore the real servers'
// word. Where there is a keyfile, the double logs in to the servers as __system, as mongos does, and hands a client's
// login on to the config servers, where the users of a cluster are; so is what a client asks of the database config, so
// that its rights are those that it would have.
//
// It is not a mongos. It reads the chunks again for every command and sends no versions with it, so that a write that
// meets the move of its chunk may be lost; it checks no rights but those above; it holds whole results in memory; of
// aggregations it merges what the load generator's own router of shards merges; it knows no transactions. Nothing that
// it takes the time of says anything about mongos. transitionFromDedicatedConfigServer, which is of MongoDB 8.0, it
// only remembers: there is no such server here.
//
// It is for tests only, is never shipped, and imports the load generator's wire client, the pure packages of its router
// of shards, which hash, order and merge, and BSON.
package mongosdouble
