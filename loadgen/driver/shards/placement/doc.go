// Package placement says on which shard of a deployment without mongos a document lies, and on which shards those lie
// that a filter selects.
//
// One field of the shard key decides, alone: the hashed one, by MongoDB's own hash, whose 64 bits are cut into as many
// equal ranges as there are shards; or else the first one, by the ranges between split points, which are dealt to the
// shards in turn. MongoDB itself cuts ranges of the whole tuple of a compound key; its presplit ranges begin with the
// same field. A field that is not there counts as null, as it does for MongoDB.
//
// The package is pure: it imports the plan, the reader of Extended JSON, package value and the BSON library.
package placement
