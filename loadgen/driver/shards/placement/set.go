package placement

import (
	"iter"
	"math/bits"
)

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

// First is the shard with the lowest number, which there must be.
func (s Set) First() int {
	return bits.TrailingZeros64(uint64(s))
}

// All are the shards of a set.
func (s Set) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for rest := s; rest != 0 && yield(rest.First()); rest &= rest - 1 {
		}
	}
}

// Len is the number of shards.
func (s Set) Len() int {
	return bits.OnesCount64(uint64(s))
}
