package placement

import "math/bits"

// MaxShards is the most shards that there may be.
const MaxShards = 64

// Set is some of the shards: bit i stands for shard i.
type Set uint64

// Only is the set of one shard.
func Only(shard int) Set {
	return 1 << shard
}

// All is the set of the first number shards.
func All(shards int) Set {
	return ^Set(0) >> (MaxShards - shards)
}

// One returns the shard of a set that has one.
func (s Set) One() (shard int, ok bool) {
	return bits.TrailingZeros64(uint64(s)), s != 0 && s&(s-1) == 0
}

// Has says whether a shard is among them.
func (s Set) Has(shard int) bool {
	return s&Only(shard) != 0
}

// First is the shard with the lowest number, which there must be.
func (s Set) First() int {
	return bits.TrailingZeros64(uint64(s))
}

// Next is the set without its first shard.
func (s Set) Next() Set {
	return s & (s - 1)
}

// Len is the number of shards.
func (s Set) Len() int {
	return bits.OnesCount64(uint64(s))
}
