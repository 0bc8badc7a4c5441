package keydist

import (
	"math"
	"testing"
)

// exactZeta adds all terms, with Kahan's correction of the rounding.
func exactZeta(n int, theta float64) float64 {
	sum, lost := 0.0, 0.0
	for i := n; i >= 1; i-- {
		term := math.Pow(float64(i), -theta) - lost
		next := sum + term
		lost = (next - sum) - term
		sum = next
	}
	return sum
}

func TestZetaIsTheSum(t *testing.T) {
	for _, n := range []int{1, 2, 1000, exactTerms, exactTerms + 1, exactTerms + 2, 5000, 100_000, 3_000_000} {
		for _, theta := range []float64{0.001, 0.25, 0.5, 0.75, 0.99, 0.999} {
			got, want := zeta(float64(n), theta), exactZeta(n, theta)
			if off := math.Abs(got/want - 1); off > 1e-13 {
				t.Errorf("zeta(%d, %v) = %.17g, the sum is %.17g: off by %.2g of it", n, theta, got, want, off)
			}
		}
	}
}

// YCSB carries this constant, computed term by term for ten billion items, for its scattered variant.
func TestZetaOfTenBillionIsThatOfYCSB(t *testing.T) {
	const want = 26.46902820178302
	if got := zeta(1e10, 0.99); math.Abs(got-want) > 1e-9 {
		t.Errorf("zeta is %.14f, not %.14f", got, want)
	}
}
