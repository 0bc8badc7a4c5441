package statistics

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The example of R's wilcox.test, with its one-sided p-value of 0.01953 doubled, from Hollander and Wolfe (1973).
func TestSignedRankAgreesWithR(t *testing.T) {
	before := []float64{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30}
	after := []float64{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29}
	differences := make([]float64, len(before))
	for i := range before {
		differences[i] = before[i] - after[i]
	}
	got, err := SignedRank(differences)
	if want := (Test{U: 40, P: 0.0390625, Exact: true}); err != nil || !cmp.Equal(want, got, near) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	// The estimate and the interval of the same page.
	effect, err := HodgesLehmannPaired(differences, 0.95)
	want := Effect{Estimate: 0.46, Interval: Interval{Low: 0.01, High: 0.786, Confidence: 1 - 2*5.0/256}}
	if err != nil || math.Abs(effect.Estimate-want.Estimate) > 1e-9 || effect.Low > 0.0100001 ||
		effect.Confidence < 0.95 {
		t.Errorf("got %+v, %v, want %+v", effect, err, want)
	}
}

func TestSignedRankIsOverAllSigns(t *testing.T) {
	for name, differences := range map[string][]float64{
		"no ties":        {1, -2, 3.5, 4, -0.5, 6, 7},
		"ties":           {1, -1, 1, 2, 2, -3, 5},
		"with a nothing": {0, 1, 2, 0, -3, 4},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := SignedRank(differences)
			if err != nil {
				t.Fatal(err)
			}
			if want := overAllSigns(differences); math.Abs(got.P-want) > 1e-12 {
				t.Errorf("p is %v, want %v", got.P, want)
			}
		})
	}
	if got, err := SignedRank([]float64{0, 0, 0}); err != nil || got.P != 1 {
		t.Errorf("of no difference at all: %+v, %v", got, err)
	}
}

func overAllSigns(differences []float64) float64 {
	scores, positive := signedScores(differences)
	var atMost, atLeast int
	for signs := range 1 << len(scores) {
		reached := 0
		for i, score := range scores {
			if signs>>i&1 == 1 {
				reached += score
			}
		}
		if reached <= positive {
			atMost++
		}
		if reached >= positive {
			atLeast++
		}
	}
	return min(1, 2*float64(min(atMost, atLeast))/float64(int(1)<<len(scores)))
}

// misses is 1 when the interval of differences around 0 does not hold it.
func misses(t *testing.T, differences []float64) int {
	t.Helper()
	effect, err := HodgesLehmannPaired(differences, 0.9)
	if err != nil {
		t.Fatal(err)
	}
	if effect.Low > 0 || effect.High < 0 {
		return 1
	}
	return 0
}

// onOneMachine are differences of pairs, both sides of which the machine moves by much more than what either varies by.
func onOneMachine(random *rand.Rand, count int) []float64 {
	differences := make([]float64, count)
	for i := range differences {
		machine := 100 * random.NormFloat64()
		differences[i] = (machine + random.ExpFloat64()) - (machine + random.ExpFloat64())
	}
	return differences
}

func TestIntervalsOfPairsCoverAndTestsPromise(t *testing.T) {
	const trials = 1000
	for _, count := range []int{6, 10, 25} {
		t.Run(strconv.Itoa(count), func(t *testing.T) {
			random, outside := rand.New(rand.NewPCG(1, uint64(count))), 0
			p := make([]float64, trials)
			for i := range p {
				differences := onOneMachine(random, count)
				test, err := SignedRank(differences)
				if err != nil {
					t.Fatal(err)
				}
				p[i] = test.P
				outside += misses(t, differences)
			}
			checkPromise(t, p)
			if limit := atMost(trials, 0.1); outside > limit {
				t.Errorf("%d of %d intervals miss, want no more than %d", outside, trials, limit)
			}
		})
	}
}

func TestSmallestPairs(t *testing.T) {
	for tests, want := range map[int]int{1: 6, 2: 7, 3: 7, 6: 8, 10: 9, 25: 10, 26: 11, 100: 12} {
		if got, err := SmallestPairs(0.95, tests); err != nil || got != want {
			t.Errorf("%d tests take %d pairs, %v, want %d", tests, got, err, want)
		}
	}
}

// TestDetectableIsFound makes the change that a detector names and counts how often it is found.
func TestDetectableIsFound(t *testing.T) {
	const trials, power = 400, 0.8
	for name, design := range map[string]Design{
		"ten pairs": {10, 10, true}, "forty pairs": {40, 40, true}, "five a side": {5, 5, false},
		"seven and twelve": {7, 12, false}, "fifty a side": {50, 50, false},
	} {
		t.Run(name, func(t *testing.T) {
			detector, err := NewDetector(design, soughtAlpha)
			if err != nil {
				t.Fatal(err)
			}
			change := detector.Detectable(soughtDeviation, soughtLeast, power)
			random, found := rand.New(rand.NewPCG(7, 7)), 0
			for range trials {
				if detects(t, design, random, change) {
					found++
				}
			}
			if share := float64(found) / trials; math.Abs(share-power) > 0.08 {
				t.Errorf("a change of %.2f is found in %.2f of the trials, want about %.2f", change, share, power)
			}
		})
	}
}

// What changes are looked for with, in the unit of the values.
const soughtAlpha, soughtDeviation, soughtLeast = 0.01, 5.0, 3.0

func detects(t *testing.T, design Design, random *rand.Rand, change float64) bool {
	t.Helper()
	baseline, candidate := make([]float64, design.Baseline), make([]float64, design.Candidate)
	for i := range baseline {
		baseline[i] = soughtDeviation * random.NormFloat64()
	}
	for i := range candidate {
		candidate[i] = change + soughtDeviation*random.NormFloat64()
	}
	var effect Effect
	var err error
	if design.Paired {
		for i := range candidate {
			candidate[i] -= baseline[i]
		}
		effect, err = HodgesLehmannPaired(candidate, 1-soughtAlpha)
	} else {
		effect, err = HodgesLehmann(baseline, candidate, 1-soughtAlpha)
	}
	if err != nil {
		t.Fatal(err)
	}
	return effect.Low > 0 && effect.Estimate >= soughtLeast
}

func TestSamplesForEquivalenceAreEnough(t *testing.T) {
	const trials = 300
	count, err := SamplesForEquivalence(5, 6, 0.05, 0.8)
	if err != nil || count != 26 {
		t.Fatalf("%d, %v, want 26", count, err)
	}
	random, shown := rand.New(rand.NewPCG(5, 5)), 0
	for range trials {
		differences := make([]float64, count)
		for i := range differences {
			differences[i] = 6 * (random.NormFloat64() - random.NormFloat64())
		}
		effect, err := HodgesLehmannPaired(differences, 0.9)
		if err != nil {
			t.Fatal(err)
		}
		if effect.Low > -5 && effect.High < 5 {
			shown++
		}
	}
	if share := float64(shown) / trials; share < 0.72 || share > 0.9 {
		t.Errorf("%d repetitions show it in %.2f of the trials, want about 0.8", count, share)
	}
}
