package statistics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// draws are the distributions that the trials draw from: benchmarks are skewed, and timers are coarse.
var draws = map[string]func(random *rand.Rand) float64{
	"normal":        func(random *rand.Rand) float64 { return 100 + 5*random.NormFloat64() },
	"log-normal":    func(random *rand.Rand) float64 { return math.Exp(random.NormFloat64()) },
	"coarse values": func(random *rand.Rand) float64 { return float64(1 + random.IntN(6)) },
}

func sample(random *rand.Rand, draw func(*rand.Rand) float64, count int) []float64 {
	values := make([]float64, count)
	for i := range values {
		values[i] = draw(random)
	}
	return values
}

func mapped(values []float64, convert func(float64) float64) []float64 {
	results := make([]float64, len(values))
	for i, value := range values {
		results[i] = convert(value)
	}
	return results
}

// atMost is what a count of trials stays under, three deviations above what is expected with the probability.
func atMost(trials int, probability float64) int {
	n := float64(trials)
	return int(n*probability + 3*math.Sqrt(n*probability*(1-probability)))
}

func TestPValuesAreNoSmallerThanTheyPromise(t *testing.T) {
	sizes := map[string][2]int{"five a side": {5, 5}, "four and nine": {4, 9}, "sixty a side": {60, 60}}
	for drawn, draw := range draws {
		for sized, size := range sizes {
			t.Run(drawn+", "+sized, func(t *testing.T) {
				random := rand.New(rand.NewPCG(uint64(len(drawn)), uint64(size[1])))
				p := make([]float64, 2000)
				for i := range p {
					p[i] = pOf(t, sample(random, draw, size[0]), sample(random, draw, size[1]))
				}
				checkPromise(t, p)
			})
		}
	}
}

// checkPromise looks at p-values of samples that do not differ.
func checkPromise(t *testing.T, p []float64) {
	t.Helper()
	for _, alpha := range []float64{0.01, 0.05, 0.2, 0.5} {
		found := countAtMost(p, alpha)
		if limit := atMost(len(p), alpha); found > limit {
			t.Errorf("%d of %d are at most %v, more than %d", found, len(p), alpha, limit)
		}
	}
	if found := countAtMost(p, 0.5); found < len(p)/5 {
		t.Errorf("%d of %d are at most 0.5: the test finds nothing", found, len(p))
	}
}

func countAtMost(values []float64, bound float64) int {
	count := 0
	for _, value := range values {
		if value <= bound {
			count++
		}
	}
	return count
}

func TestMannWhitneyIsSymmetricAndKnowsOnlyTheOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	for trial := range 60 {
		for name, draw := range draws {
			a, b := sample(random, draw, 1+trial), sample(random, draw, 1+(trial*7)%60)
			got, err := MannWhitney(a, b)
			swapped, _ := MannWhitney(b, a)
			exponential := func(value float64) float64 { return math.Exp(value/50) - 300 }
			moved, _ := MannWhitney(mapped(a, exponential), mapped(b, exponential))
			if err != nil || !(got.P > 0 && got.P <= 1) {
				t.Fatalf("%s: %+v, %v", name, got, err)
			}
			if diff := cmp.Diff(got, moved, near); diff != "" {
				t.Errorf("%s, other scale (-want +got)\n%s", name, diff)
			}
			swapped.U = float64(len(a)*len(b)) - swapped.U
			if diff := cmp.Diff(got, swapped, near); diff != "" {
				t.Errorf("%s, swapped (-want +got)\n%s", name, diff)
			}
		}
	}
}

func TestIntervalsCoverWhatTheyPromise(t *testing.T) {
	const trials, confidence = 300, 0.9
	medians := map[string]float64{"normal": 100, "log-normal": 1, "coarse values": 3.5}
	for name, draw := range draws {
		for _, size := range []int{6, 13, 51} {
			random := rand.New(rand.NewPCG(uint64(len(name)), uint64(size)))
			var median, shift, percent int
			for range trials {
				a, b := sample(random, draw, size), sample(random, draw, size)
				m, err1 := MedianInterval(a, confidence)
				s, err2 := HodgesLehmann(a, mapped(b, func(v float64) float64 { return v + 3 }), confidence)
				p, err3 := HodgesLehmannPercent(a, mapped(b, func(v float64) float64 { return v * 1.25 }), confidence)
				if err1 != nil || err2 != nil || err3 != nil {
					t.Fatal(err1, err2, err3)
				}
				median += missed(m, medians[name])
				shift += missed(s.Interval, 3)
				percent += missed(p.Interval, 25)
			}
			limit := atMost(trials, 1-confidence)
			if max(median, shift, percent) > limit {
				t.Errorf("%s, %d values: of %d trials the median was missed by %d, the shift by %d, the percentage by %d",
					name, size, trials, median, shift, percent)
			}
		}
	}
}

func missed(interval Interval, value float64) int {
	const rounding = 1e-9
	if value < interval.Low-rounding || value > interval.High+rounding {
		return 1
	}
	return 0
}

func TestTheShiftMovesWithTheValuesAndTheRatioDoesNotKnowTheUnit(t *testing.T) {
	approximately := cmpopts.EquateApprox(1e-9, 1e-9)
	random := rand.New(rand.NewPCG(4, 4))
	for trial := range 40 {
		a, b := sample(random, draws["normal"], 1+trial), sample(random, draws["normal"], 3+trial/2)
		shift, err1 := HodgesLehmann(a, b, 0.95)
		ratio, err2 := HodgesLehmannPercent(a, b, 0.95)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		moved, _ := HodgesLehmann(a, mapped(b, func(v float64) float64 { return v + 40 }), 0.95)
		want := Effect{shift.Estimate + 40, Interval{shift.Low + 40, shift.High + 40, shift.Confidence}}
		if diff := cmp.Diff(want, moved, approximately); diff != "" {
			t.Errorf("moved (-want +got)\n%s", diff)
		}
		opposite, _ := HodgesLehmann(b, a, 0.95)
		want = Effect{-shift.Estimate, Interval{-shift.High, -shift.Low, shift.Confidence}}
		if diff := cmp.Diff(want, opposite, approximately); diff != "" {
			t.Errorf("swapped (-want +got)\n%s", diff)
		}
		inSeconds := func(v float64) float64 { return v / 1e6 }
		scaled, _ := HodgesLehmannPercent(mapped(a, inSeconds), mapped(b, inSeconds), 0.95)
		if diff := cmp.Diff(ratio, scaled, approximately); diff != "" {
			t.Errorf("other unit (-want +got)\n%s", diff)
		}
		asRate := func(v float64) float64 { return 1 / v }
		inverse, _ := HodgesLehmannPercent(mapped(a, asRate), mapped(b, asRate), 0.95)
		turn := func(percent float64) float64 { return 100 * (1/(1+percent/100) - 1) }
		want = Effect{turn(ratio.Estimate), Interval{turn(ratio.High), turn(ratio.Low), ratio.Confidence}}
		if diff := cmp.Diff(want, inverse, approximately); diff != "" {
			t.Errorf("inverse (-want +got)\n%s", diff)
		}
	}
}

// The test and the interval are two sides of one thing: without ties, 0 is outside exactly when p is at most alpha.
func TestTheIntervalLeavesOutZeroExactlyWhenTheTestRejects(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	rejected := 0
	for range 500 {
		a := sample(random, draws["normal"], 4+random.IntN(8))
		b := mapped(sample(random, draws["normal"], 4+random.IntN(8)), func(v float64) float64 { return v + 5 })
		test, _ := MannWhitney(a, b)
		effect, err := HodgesLehmann(a, b, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		rejects := test.P <= 0.05
		if rejects != (missed(effect.Interval, 0) == 1) {
			t.Errorf("p is %v and the interval %+v", test.P, effect)
		}
		if rejects {
			rejected++
		}
	}
	if rejected < 50 || rejected > 450 {
		t.Errorf("%d of 500 rejected: one side is not tested", rejected)
	}
}

func TestHolmKeepsTheOrderAndTheFamilyWiseRate(t *testing.T) {
	const trials, tests, alpha = 2000, 12, 0.1
	random := rand.New(rand.NewPCG(6, 6))
	wrong := 0
	for range trials {
		p := sample(random, (*rand.Rand).Float64, tests)
		adjusted := Holm(p)
		for i := range p {
			for j := range p {
				if p[i] < p[j] && adjusted[i] > adjusted[j] || adjusted[i] < p[i] {
					t.Fatalf("%v became %v", p, adjusted)
				}
			}
		}
		if slices.Min(adjusted) <= alpha {
			wrong++
		}
	}
	if wrong > atMost(trials, alpha) {
		t.Errorf("%d of %d families have a false rejection", wrong, trials)
	}
}
