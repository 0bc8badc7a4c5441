package keydist

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/stream"
)

// fractionBits is the number of bits of a float64's fraction, and so of the random share that decides a draw.
const fractionBits = 53

type kind uint8

const (
	uniform kind = iota
	zipfian
	hotSpot
	sequential
	scrambled
	latest
	exponential
	nonUniform
)

// Distribution draws items of the range from 0 to below n.
type Distribution struct {
	kind kind
	// n is the number of items; 0 stands for 2^64.
	n    uint64
	zipf zipf
	hot  hot
	exp  decay
	// a and c are the constants of a NURand.
	a, c uint64
}

// hot splits the range into [0, items), which gets the draws below the threshold, and the rest.
type hot struct {
	items     uint64
	threshold uint64
}

// New makes the distribution over n items; an n of 0 stands for 2^64, all values that 64 bits have.
func New(d planv1.Distribution, n uint64) (Distribution, error) {
	out := Distribution{n: n}
	switch benchv1alpha1.DistributionType(d.Type) {
	case benchv1alpha1.DistributionUniform, "":
		out.kind = uniform
	case benchv1alpha1.DistributionSequential:
		out.kind = sequential
	case benchv1alpha1.DistributionZipfian, benchv1alpha1.DistributionScrambledZipfian, benchv1alpha1.DistributionLatest:
		return out, out.setZipf(d)
	case benchv1alpha1.DistributionExponential:
		return out, out.setDecay(d)
	case benchv1alpha1.DistributionHotSpot:
		return out, out.setHot(d)
	case benchv1alpha1.DistributionNURand:
		if d.A < 1 || d.C < 0 || n == 0 {
			return Distribution{}, errors.New("a NURand distribution needs an a of at least 1, a c of at least 0 and a range")
		}
		out.kind, out.a, out.c = nonUniform, uint64(d.A), uint64(d.C)
	default:
		return Distribution{}, fmt.Errorf("distribution %q is not known", d.Type)
	}
	return out, nil
}

func checkTheta(d planv1.Distribution) error {
	if !(d.Theta > 0 && d.Theta < 1) {
		return fmt.Errorf("theta of a %s distribution is %v, not between 0 and 1", d.Type, d.Theta)
	}
	return nil
}

// setZipf sets one of the three distributions that follow Zipf's law.
func (d *Distribution) setZipf(declared planv1.Distribution) error {
	if err := checkTheta(declared); err != nil {
		return err
	}
	switch benchv1alpha1.DistributionType(declared.Type) {
	case benchv1alpha1.DistributionScrambledZipfian:
		d.kind, d.zipf = scrambled, newScrambled(declared.Theta)
	case benchv1alpha1.DistributionLatest:
		d.kind, d.zipf = latest, newZipf(max(d.items()-1, 1), declared.Theta)
	default:
		d.kind, d.zipf = zipfian, newZipf(d.items(), declared.Theta)
	}
	return nil
}

func (d *Distribution) setDecay(declared planv1.Distribution) error {
	if !(declared.HotRange > 0 && declared.HotRange <= 1 && declared.HotDraws > 0 && declared.HotDraws < 1) {
		return errors.New("hot range and hot draws of an Exponential distribution must be between 0 and 1")
	}
	d.kind, d.exp = exponential, newDecay(d.items(), declared)
	return nil
}

func (d *Distribution) setHot(declared planv1.Distribution) error {
	if !(declared.HotRange > 0 && declared.HotRange <= 1 && declared.HotDraws >= 0 && declared.HotDraws <= 1) {
		return errors.New("hot range and hot draws of a HotSpot distribution must be shares of 1")
	}
	// A range too small to be split has one hot item.
	items := max(math.Round(d.items()*declared.HotRange), 1)
	d.kind, d.hot = hotSpot, hot{items: uint64(items), threshold: uint64(declared.HotDraws * (1 << fractionBits))}
	if items >= d.items() {
		// All is hot. Zero items say so, which is also what 2^64 looks like.
		d.hot = hot{threshold: 1 << fractionBits}
	}
	return nil
}

// Draw turns 64 random bits into an item. Only a Sequential distribution looks at the number, which counts the draws.
func (d *Distribution) Draw(r uint64, number int64) uint64 {
	switch d.kind {
	case zipfian:
		return d.zipf.draw(r, d.n, math.Pow)
	case scrambled:
		return scramble(d.zipf.draw(r, scrambledItems, quickPower), d.n)
	case latest:
		return d.n - 1 - d.zipf.draw(r, max(d.n-1, 1), quickPower)
	case exponential:
		return d.exp.draw(r, d.n-1)
	case hotSpot:
		return d.drawHot(r)
	case nonUniform:
		// The range of TPC-C begins with 1.
		return ((below(r, d.a+1) | (below(stream.Mix(r), d.n) + 1)) + d.c) % d.n
	case sequential:
		if d.n == 0 {
			return uint64(number)
		}
		return uint64(number) % d.n
	default:
		return below(r, d.n)
	}
}

// drawHot lets the upper bits choose the part of the range, and other bits the item in it.
func (d *Distribution) drawHot(r uint64) uint64 {
	item := stream.Mix(r)
	switch {
	case d.hot.items == 0:
		return below(item, d.n)
	case r>>(64-fractionBits) < d.hot.threshold:
		return below(item, d.hot.items)
	default:
		return d.hot.items + below(item, d.n-d.hot.items)
	}
}

// items is the number of items as a float.
func (d *Distribution) items() float64 {
	if d.n == 0 {
		return math.Ldexp(1, 64)
	}
	return float64(d.n)
}

// below scales 64 random bits to [0, n) by a multiplication (D. Lemire, "Fast Random Integer Generation in an
// Interval", 2019) without its rejection step: an item's chance is off by at most n/2^64 of itself, which no run could
// notice.
func below(r, n uint64) uint64 {
	if n == 0 {
		return r
	}
	high, _ := bits.Mul64(r, n)
	return high
}

// Growing draws by a Latest distribution from a number of items that differs from draw to draw.
type Growing struct {
	theta, alpha, first float64
	// zetas has zeta(n) for every n up to exactTerms, by its index.
	zetas []float64
	// rest is what zeta(n) has beside the terms that change with n, for n above exactTerms.
	rest float64
}

// NewGrowing makes a Growing of a Latest distribution.
func NewGrowing(d planv1.Distribution) (*Growing, error) {
	if err := checkTheta(d); err != nil {
		return nil, err
	}
	g := &Growing{
		theta: d.Theta, alpha: 1 / (1 - d.Theta), first: 1 + math.Pow(0.5, d.Theta),
		zetas: make([]float64, 1, exactTerms+1),
	}
	for i := 1.0; i <= exactTerms; i++ {
		g.zetas = append(g.zetas, g.zetas[len(g.zetas)-1]+math.Pow(i, -g.theta))
	}
	g.rest = g.zetas[exactTerms] - math.Pow(exactTerms, 1-g.theta)*g.alpha - tail(exactTerms, g.theta)
	return g, nil
}

// Rank turns 64 random bits into the rank of one of n items, the newest of which has rank 0. As in YCSB's
// SkewedLatestGenerator the oldest item is never drawn, unless it is the only one.
func (g *Growing) Rank(r, n uint64) uint64 {
	z := g.zipf(float64(max(n, 2) - 1))
	return z.draw(r, max(n, 2)-1, quickPower)
}

// zipf computes for n items what newZipf would, with one power instead of many.
func (g *Growing) zipf(n float64) zipf {
	z := zipf{n: n, first: g.first, alpha: g.alpha}
	power := quickPower(n, 1-g.theta)
	if n <= exactTerms {
		z.zeta = g.zetas[int(n)]
	} else {
		// The first terms of zeta's formula; those left out are below 1e-7 of the value.
		z.zeta = g.rest + power*g.alpha + power/n/2
	}
	if n > 2 {
		z.eta = (1 - math.Exp2(1-g.theta)/power) / (1 - z.first/z.zeta)
	}
	return z
}

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
