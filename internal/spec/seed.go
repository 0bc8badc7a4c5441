package spec

import (
	"hash/fnv"
	"strconv"
)

// derivedSeed is the seed of a value whose author gave none: a hash of the names that lead to it. FNV-1a is used
// because its definition is fixed for ever, and so what is generated from it.
func derivedSeed(names ...string) uint64 {
	hash := fnv.New64a()
	for _, name := range names {
		_, _ = hash.Write([]byte(name)) // A hash never fails to write.
		_, _ = hash.Write([]byte{0})    // Keeps ("ab", "c") apart from ("a", "bc").
	}
	return hash.Sum64()
}

// givenSeed is the seed of a value whose author gave one. It is hashed as well, because small neighbouring numbers
// added to the plan's seed would make (seed 1, field seed 2) and (seed 2, field seed 1) the same.
func givenSeed(seed int64) uint64 {
	return derivedSeed("seed", strconv.FormatInt(seed, 10))
}
