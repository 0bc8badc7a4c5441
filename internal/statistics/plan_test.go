package statistics

import (
	"math/rand/v2"
	"testing"
)

func TestSmallestSamplesIsWhereTheTestCanReject(t *testing.T) {
	tests := map[string]struct {
		confidence  float64
		tests, want int
	}{
		"a single test at 95%":     {0.95, 1, 4},
		"a single test at 99%":     {0.99, 1, 5},
		"ten tests at 95%":         {0.95, 10, 6},
		"a hundred tests at 95%":   {0.95, 100, 8},
		"a thousand tests at 99.9": {0.999, 1000, 12},
		"a coin's confidence":      {0.5, 1, 2},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := SmallestSamples(tc.confidence, tc.tests)
			if err != nil || got != tc.want {
				t.Fatalf("got %d, %v, want %d", got, err, tc.want)
			}
			bound := (1 - tc.confidence) / float64(tc.tests)
			if p := apart(t, got).P; p > bound+tolerance {
				t.Errorf("%d a side reach %v only, which is above %v", got, p, bound)
			}
			if p := apart(t, got-1).P; p <= bound {
				t.Errorf("%d a side reach %v already", got-1, p)
			}
		})
	}
}

// apart tests two samples that do not overlap.
func apart(t *testing.T, count int) Test {
	t.Helper()
	a, b := make([]float64, count), make([]float64, count)
	for i := range count {
		a[i], b[i] = float64(i), float64(i+1000)
	}
	test, err := MannWhitney(a, b)
	if err != nil {
		t.Fatal(err)
	}
	return test
}

func TestSamplesForPowerFindWhatTheyPromise(t *testing.T) {
	const trials = 300
	tests := map[string]struct {
		effect, variation, alpha, power float64
		want                            int
	}{
		// The numbers are Noether's formula by SciPy's norm.ppf and norm.cdf.
		"half a deviation":              {5, 10, 0.05, 0.8, 69},
		"a deviation":                   {5, 5, 0.05, 0.8, 20},
		"a deviation, one of ten tests": {-5, 5, 0.005, 0.8, 33},
		"two deviations":                {10, 5, 0.05, 0.9, 10},
		"no spread at all":              {10, 0, 0.05, 0.9, 4},
		"far more than the spread":      {50, 1, 0.01, 0.5, 5},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := SamplesForPower(tc.effect, tc.variation, tc.alpha, tc.power)
			if err != nil || got != tc.want {
				t.Fatalf("got %d, %v, want %d", got, err, tc.want)
			}
			random := rand.New(rand.NewPCG(7, 7))
			baseline := func(r *rand.Rand) float64 { return 100 + tc.variation*r.NormFloat64() }
			candidate := func(r *rand.Rand) float64 { return baseline(r) + tc.effect }
			p := make([]float64, trials)
			for i := range p {
				p[i] = pOf(t, sample(random, baseline, got), sample(random, candidate, got))
			}
			if found := countAtMost(p, tc.alpha); float64(found) < trials*(tc.power-0.06) {
				t.Errorf("%d of %d found, at a power of %v", found, trials, tc.power)
			}
		})
	}
}
