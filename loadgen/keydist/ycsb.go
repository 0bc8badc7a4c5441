package keydist

import (
	"math"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/stream"
)

// What YCSB's ScrambledZipfianGenerator draws from before it scatters: ten billion items and, since it counts the last
// one in, one more, with a zeta that was computed once, for ten billion and a theta of 0.99.
const (
	scrambledItems = 10_000_000_001
	scrambledTheta = 0.99
	scrambledZeta  = 26.46902820178302
)

func newScrambled(theta float64) zipf {
	if theta == scrambledTheta {
		return zipfWithZeta(scrambledItems, theta, scrambledZeta)
	}
	return newZipf(scrambledItems, theta)
}

// scramble scatters the ranks over n items. Two ranks may meet in one item, which then is as popular as both.
func scramble(rank, n uint64) uint64 {
	hash := stream.FNV(rank)
	if n == 0 {
		return hash
	}
	return hash % n
}

// decay is an exponential distribution that ends with the range.
type decay struct {
	// length over which the chance of an item falls to 1/e of itself.
	length float64
	// inside is the share of the endless distribution that lies in the range.
	inside float64
}

func newDecay(n float64, d planv1.Distribution) decay {
	length := n * d.HotRange / -math.Log1p(-d.HotDraws)
	return decay{length: length, inside: -math.Expm1(-n / length)}
}

// draw inverts the distribution inside of the range. YCSB draws again until an item lies in the range, which gives
// every item the same chance as this does.
func (e *decay) draw(r, last uint64) uint64 {
	return atMost(-e.length*math.Log1p(-e.inside*share(r)), last)
}
