package keydist

import (
	"math"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
)

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
