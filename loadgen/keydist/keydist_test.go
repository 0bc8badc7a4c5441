package keydist_test

import (
	"math"
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/keydist"
	"github.com/mongobench/mongobench-operator/loadgen/stream"
	"github.com/mongobench/mongobench-operator/loadgen/testing/keydisttest"
)

const draws = 200_000

func distribution(tb testing.TB, d planv1.Distribution, n uint64) *keydist.Distribution {
	tb.Helper()
	dist, err := keydist.New(d, n)
	if err != nil {
		tb.Fatal(err)
	}
	return &dist
}

// count draws and counts what falls on each of n items.
func count(tb testing.TB, d planv1.Distribution, n int) []int {
	tb.Helper()
	dist := distribution(tb, d, uint64(n))
	s := stream.New(1, "count")
	counts := make([]int, n)
	for i := range int64(draws) {
		counts[dist.Draw(uint64(s.At(i)), i)]++
	}
	return counts
}

func TestUniformGivesEveryItemTheSameChance(t *testing.T) {
	for _, n := range []int{2, 3, 10, 1000, 4096} {
		keydisttest.RequireUniform(t, count(t, planv1.Distribution{}, n))
		keydisttest.RequireUniform(t, count(t, planv1.Distribution{Type: "Uniform"}, n))
	}
}

// TestNURandIsThatOfTPCC compares it with the definition of clause 2.1.6, summed over all pairs of its random numbers.
func TestNURandIsThatOfTPCC(t *testing.T) {
	for _, tc := range []struct{ n, a, c int }{{1000, 255, 0}, {3000, 1023, 259}, {7, 3, 2}, {2, 1, 0}} {
		want := make([]float64, tc.n)
		for low := range tc.a + 1 {
			for x := 1; x <= tc.n; x++ {
				want[((low|x)+tc.c)%tc.n] += 1 / float64((tc.a+1)*tc.n)
			}
		}
		counts := count(t, planv1.Distribution{Type: "NURand", A: int64(tc.a), C: int64(tc.c)}, tc.n)
		for item, share := range want {
			if share == 0 && counts[item] > 0 {
				t.Errorf("of %d, a %d: item %d cannot be drawn, and was %d times", tc.n, tc.a, item, counts[item])
			}
		}
		keydisttest.RequireFit(t, counts, want)
	}
}

// zipfByGray is the distribution that Gray's method gives, derived from its inversion: item k gets the shares u for
// which k <= n × (eta × u - eta + 1)^alpha < k + 1.
func zipfByGray(n int, theta float64) []float64 {
	zeta := 0.0
	for i := n; i >= 1; i-- {
		zeta += math.Pow(float64(i), -theta)
	}
	first := 1 + math.Pow(0.5, theta)
	eta := (1 - math.Pow(2/float64(n), 1-theta)) / (1 - first/zeta)
	below := func(k int) float64 { return 1 - (1-math.Pow(float64(k)/float64(n), 1-theta))/eta }
	p := []float64{1 / zeta, math.Pow(0.5, theta) / zeta}
	for k := 2; k < n; k++ {
		p = append(p, below(k+1)-below(k))
	}
	return p
}

func TestZipfianFitsGraysMethod(t *testing.T) {
	for _, n := range []int{3, 10, 1000, 100_000} {
		for _, theta := range []float64{0.001, 0.5, 0.99, 0.999} {
			counts := count(t, planv1.Distribution{Type: "Zipfian", Theta: theta}, n)
			keydisttest.RequireFit(t, counts, zipfByGray(n, theta))
		}
	}
}

// The method is an approximation; this states how good it is at YCSB's skew.
func TestGraysMethodComesNearToZipfsLaw(t *testing.T) {
	const n, theta = 100_000, 0.99
	law := make([]float64, n)
	zeta := 0.0
	for i := n; i >= 1; i-- {
		law[i-1] = math.Pow(float64(i), -theta)
		zeta += law[i-1]
	}
	difference := 0.0
	for i, p := range zipfByGray(n, theta) {
		law[i] /= zeta
		difference += math.Abs(p-law[i]) / 2
		if worst := math.Abs(p/law[i] - 1); worst > 0.25 || i < 2 && worst > 1e-9 {
			t.Fatalf("item %d has the chance %.3g, the law says %.3g", i, p, law[i])
		}
	}
	t.Logf("%.4f of all draws differ", difference)
	if difference > 0.02 {
		t.Errorf("%.3f of all draws fall on other items than the law says", difference)
	}
}

func TestHotSpotGivesTheHotRangeItsShare(t *testing.T) {
	tests := map[string]struct {
		n             int
		rang, draws   float64
		hot           int
		probabilities [2]float64
	}{
		"a fifth gets four fifths":            {1000, 0.2, 0.8, 200, [2]float64{0.8, 0.2}},
		"a hundredth gets nearly all":         {1000, 0.01, 0.99, 10, [2]float64{0.99, 0.01}},
		"no draw is hot":                      {100, 0.5, 0, 50, [2]float64{0, 1}},
		"every draw is hot":                   {100, 0.5, 1, 50, [2]float64{1, 0}},
		"a range too small to split":          {10, 0.01, 0.5, 1, [2]float64{0.5, 0.5}},
		"all is hot, so the draws are spread": {10, 1, 0, 10, [2]float64{1, 0}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d := planv1.Distribution{Type: "HotSpot", HotRange: tc.rang, HotDraws: tc.draws}
			p := make([]float64, tc.n)
			for i := range p {
				if i < tc.hot {
					p[i] = tc.probabilities[0] / float64(tc.hot)
				} else {
					p[i] = tc.probabilities[1] / float64(tc.n-tc.hot)
				}
			}
			keydisttest.RequireFit(t, count(t, d, tc.n), p)
		})
	}
}

func TestSequentialGoesThroughTheRangeInOrder(t *testing.T) {
	dist := distribution(t, planv1.Distribution{Type: "Sequential"}, 7)
	for number := range int64(30) {
		if got := dist.Draw(stream.Mix(uint64(number)), number); got != uint64(number%7) {
			t.Errorf("draw %d gave item %d", number, got)
		}
	}
}

func TestDrawsStayInTheRange(t *testing.T) {
	kinds := map[string]planv1.Distribution{
		"uniform": {}, "sequential": {Type: "Sequential"},
		"zipfian":       {Type: "Zipfian", Theta: 0.99},
		"steep zipfian": {Type: "Zipfian", Theta: 0.999},
		"flat zipfian":  {Type: "Zipfian", Theta: 0.001},
		"hot spot":      {Type: "HotSpot", HotRange: 0.2, HotDraws: 0.8},
		"all hot":       {Type: "HotSpot", HotRange: 1, HotDraws: 0.8},
		"scrambled":     {Type: "ScrambledZipfian", Theta: 0.99},
		"latest":        {Type: "Latest", Theta: 0.99},
		"exponential":   {Type: "Exponential", HotRange: 0.9, HotDraws: 0.95},
		"spread out":    {Type: "Exponential", HotRange: 1, HotDraws: 0.01},
	}
	for name, d := range kinds {
		t.Run(name, func(t *testing.T) {
			for _, n := range []uint64{1, 2, 3, 1024, 1025, 1e11, 1 << 53, 1<<63 - 1, math.MaxUint64} {
				dist := distribution(t, d, n)
				for _, r := range []uint64{0, 1, 1 << 10, 1 << 11, 1 << 63, math.MaxUint64 - 1, math.MaxUint64} {
					if item := dist.Draw(r, math.MaxInt64); item >= n {
						t.Errorf("n %d, bits %x: item %d is out of the range", n, r, item)
					}
				}
			}
		})
	}
}

func TestZeroItemsStandForAllOf64Bits(t *testing.T) {
	for _, d := range []planv1.Distribution{
		{}, {Type: "HotSpot", HotRange: 1}, {Type: "HotSpot", HotRange: 0.2, HotDraws: 0.5}, {Type: "Zipfian", Theta: 0.5},
	} {
		dist := distribution(t, d, 0)
		s := stream.New(1, "all")
		var all uint64
		for i := range int64(1000) {
			all |= dist.Draw(uint64(s.At(i)), i)
		}
		if all != math.MaxUint64 {
			t.Errorf("%v: the draws leave bits %x unset", d, ^all)
		}
	}
}

func TestWrongSettingsAreRefused(t *testing.T) {
	for name, d := range map[string]planv1.Distribution{
		"an unknown type":           {Type: "Newest"},
		"a latest without theta":    {Type: "Latest"},
		"a scrambled theta of 1":    {Type: "ScrambledZipfian", Theta: 1},
		"no range of a decay":       {Type: "Exponential", HotDraws: 0.5},
		"all draws of a decay":      {Type: "Exponential", HotRange: 0.5, HotDraws: 1},
		"a theta of 0":              {Type: "Zipfian"},
		"a theta of 1":              {Type: "Zipfian", Theta: 1},
		"a theta that is no number": {Type: "Zipfian", Theta: math.NaN()},
		"no hot range":              {Type: "HotSpot", HotDraws: 0.8},
		"more hot draws than all":   {Type: "HotSpot", HotRange: 0.2, HotDraws: 1.1},
	} {
		if _, err := keydist.New(d, 10); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func TestDrawDoesNotAllocate(t *testing.T) {
	for _, d := range []planv1.Distribution{
		{Type: "Zipfian", Theta: 0.99},
		{Type: "ScrambledZipfian", Theta: 0.99},
		{Type: "Latest", Theta: 0.99},
		{Type: "Exponential", HotRange: 0.8, HotDraws: 0.95},
	} {
		dist := distribution(t, d, 1e11)
		if allocations := testing.AllocsPerRun(100, func() { dist.Draw(1<<62, 1) }); allocations != 0 {
			t.Errorf("%s: %v allocations a draw", d.Type, allocations)
		}
	}
}

func BenchmarkDraw(b *testing.B) {
	for name, d := range map[string]planv1.Distribution{
		"uniform": {}, "zipfian": {Type: "Zipfian", Theta: 0.99},
		"hotspot":     {Type: "HotSpot", HotRange: 0.2, HotDraws: 0.8},
		"scrambled":   {Type: "ScrambledZipfian", Theta: 0.99},
		"latest":      {Type: "Latest", Theta: 0.99},
		"exponential": {Type: "Exponential", HotRange: 0.8, HotDraws: 0.95},
	} {
		b.Run(name, func(b *testing.B) {
			dist := distribution(b, d, 1e9)
			s := stream.New(1, "benchmark")
			for i := int64(0); b.Loop(); i++ {
				dist.Draw(uint64(s.At(i)), i)
			}
		})
	}
}
