package keydist

import "math"

// exactTerms is the number of terms of zeta that are added one by one before the rest is taken from a formula.
const exactTerms = 1024

// zipf holds what Gray's method computes once for a range.
type zipf struct {
	n     float64
	zeta  float64
	first float64 // share of u × zeta below which the item is 0 or 1
	alpha float64
	eta   float64
}

func newZipf(n, theta float64) zipf {
	return zipfWithZeta(n, theta, zeta(n, theta))
}

func zipfWithZeta(n, theta, zeta float64) zipf {
	z := zipf{n: n, zeta: zeta, first: 1 + math.Pow(0.5, theta), alpha: 1 / (1 - theta)}
	if n > 2 {
		// With two items or one the formula is 0/0, and every draw ends before it is needed.
		z.eta = (1 - math.Pow(2/n, 1-theta)) / (1 - z.first/z.zeta)
	}
	return z
}

// draw is Gray's inversion: exact for the two most frequent items, and a power of the uniform share for the others.
func (z *zipf) draw(r, n uint64, power func(x, y float64) float64) uint64 {
	u := share(r)
	last := n - 1
	uz := u * z.zeta
	if uz < 1 {
		return 0
	}
	if uz < z.first {
		return min(1, last)
	}
	// The conversion keeps the compiler from fusing the multiplication, which would change bits on some processors.
	return atMost(z.n*power(float64(z.eta*u)-z.eta+1, z.alpha), last)
}

// share turns random bits into a number from 0 to below 1.
func share(r uint64) float64 {
	return float64(r>>(64-fractionBits)) * (1.0 / (1 << fractionBits))
}

// atMost rounds an item down, and to the last one where it lies beyond.
func atMost(item float64, last uint64) uint64 {
	if item >= float64(last) {
		return last
	}
	return uint64(item)
}

// quickPower is math.Pow for positive x, in a third of the time and up to 1e-13 of the value off: far less than the
// method itself is. What was there before it goes on with math.Pow, so that it draws what it drew.
func quickPower(x, y float64) float64 {
	return math.Exp(y * math.Log(x))
}

// zeta is the sum of i^-theta for i from 1 to n. Up to exactTerms it is the sum itself. Beyond, the rest is taken from
// the Euler-Maclaurin formula up to its third derivative; with m = exactTerms the first term left out is below
// 120/30240 × m^-(theta+5), less than 4e-18, so what remains is the rounding of the sum: the tests find less than
// 1e-13 of the value.
func zeta(n, theta float64) float64 {
	m := min(n, exactTerms)
	sum := 0.0
	// The smallest terms first, so that they are not lost against the sum of the others.
	for i := m; i >= 1; i-- {
		sum += math.Pow(i, -theta)
	}
	if n <= exactTerms {
		return sum
	}
	integral := math.Pow(m, 1-theta) * math.Expm1((1-theta)*math.Log(n/m)) / (1 - theta)
	return sum + integral + tail(n, theta) - tail(m, theta)
}

// tail is the part of the Euler-Maclaurin formula that belongs to one end x of the sum.
func tail(x, theta float64) float64 {
	power := math.Pow(x, -theta)
	third := theta * (theta + 1) * (theta + 2) / 720
	return power/2 - theta/12*power/x + third*power/(x*x*x)
}
