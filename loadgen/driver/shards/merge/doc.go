// Package merge makes one answer of those of several shards. It says what the shards have to be asked, so that their
// answers can be made one, and refuses what cannot: the order of a sort with skip and limit, a pipeline of stages that
// look at one document at a time, and groups whose accumulators can be put together.
//
//	find:     sort, skip, limit  ──> sort, limit skip+limit at every shard; here the least document of all heads is next
//	pipeline: [..., $sort, $skip, $limit, ...] ──> the same
//	          [..., $group, $sort, $limit]     ──> partial groups at every shard; the rest is done here
//
// The package is pure: it knows no connections. It imports package value and the BSON library.
package merge
