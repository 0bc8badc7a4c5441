package draw

import (
	"math"
	"math/rand/v2"
	"sort"
)

const (
	// theta is YCSB's.
	theta = 0.99
	// seed is the same for all, so that every contender asks for the same records.
	seed = 20260101
)

// Zipfian draws this many items out of n, the first being the most frequent.
func Zipfian(n, count int) []uint32 {
	sums := make([]float64, n)
	sum := 0.0
	for i := range sums {
		sum += math.Pow(float64(i+1), -theta)
		sums[i] = sum
	}
	random := rand.New(rand.NewPCG(seed, 0))
	draws := make([]uint32, count)
	for i := range draws {
		draws[i] = uint32(min(sort.SearchFloat64s(sums, random.Float64()*sum), n-1))
	}
	return draws
}
