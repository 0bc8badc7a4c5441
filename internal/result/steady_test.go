package result_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// series makes a step with these numbers of operations in each second.
func series(seconds int, rate func(second int) float64) reportv1alpha1.Step {
	counts := make([]int64, seconds)
	for second := range counts {
		counts[second] = int64(math.Round(max(0, rate(second))))
	}
	return reportv1alpha1.Step{
		MeasureStart: noon, End: noon.Add(time.Duration(seconds)*time.Second + 10*time.Millisecond), IntervalMillis: 1000,
		Operations: []reportv1alpha1.Operation{{Intervals: counts}},
	}
}

// high is the throughput of a server that has nothing to complain of.
const high = 10_000

// shape is a throughput over time, in parts of the high one, with noise of a standard deviation of so much of it.
func shape(noise float64, share func(second float64) float64) func(int, *rand.Rand) float64 {
	return func(second int, random *rand.Rand) float64 {
		return high * (share(float64(second)) + noise*random.NormFloat64())
	}
}

// changes from one share to another at a second.
func changes(at, before, after float64) func(float64) float64 {
	return func(second float64) float64 {
		if second < at {
			return before
		}
		return after
	}
}

// swings by half up and down in a period of that many seconds.
func swings(period float64) func(float64) float64 {
	return func(second float64) float64 { return 1 + 0.5*math.Sin(second*2*math.Pi/period) }
}

func stalls(second float64) float64 {
	if math.Mod(second, 10) == 3 {
		return 0
	}
	return 1
}

func TestFindSteady(t *testing.T) {
	same := func(float64) float64 { return 1 }
	for name, tc := range map[string]struct {
		seconds int
		rate    func(second int, random *rand.Rand) float64
		// wantAfter is from which second to which it may be said to be steady; nil when it is not.
		wantAfter *[2]int64
	}{
		"always the same":              {30, shape(0, same), &[2]int64{0, 0}},
		"noise of 15 percent a second": {60, shape(0.15, same), &[2]int64{0, 15}},
		"a few operations, at random": {
			60, func(_ int, random *rand.Rand) float64 { return float64(poisson(random, 0.5)) }, &[2]int64{0, 30},
		},
		"a cache that fills for 20 seconds": {
			100, shape(0.05, func(second float64) float64 { return min(1, 0.3+second*0.035) }), &[2]int64{15, 30},
		},
		"a step up after 30 of 120 seconds": {120, shape(0.05, changes(30, 0.5, 1)), &[2]int64{30, 35}},
		"a ramp over the whole window": {
			60, shape(0, func(second float64) float64 { return second / 60 }), nil,
		},
		"a slow decline to half": {
			120, shape(0.03, func(second float64) float64 { return 1 - second/240 }), nil,
		},
		"a step down in the second half":    {60, shape(0, changes(42, 1, 0.5)), nil},
		"an oscillation of half a minute":   {120, shape(0, swings(30)), nil},
		"an oscillation within the batches": {60, shape(0, swings(5)), &[2]int64{0, 0}},
		"a stall of a second in ten":        {60, shape(0, stalls), &[2]int64{0, 0}},
		"a server that goes away half-way":  {60, shape(0, changes(36, 1, 0)), nil},
		"nothing at all":                    {60, shape(0, func(float64) float64 { return 0 }), nil},
	} {
		t.Run(name, func(t *testing.T) {
			// Whatever the noise, the answer is the same.
			for seed := range uint64(20) {
				random := rand.New(rand.NewPCG(seed, 1))
				step := series(tc.seconds, func(second int) float64 { return tc.rate(second, random) })
				checkSteady(t, result.FindSteady(step), tc.wantAfter)
			}
		})
	}
}

func checkSteady(t *testing.T, got *reportv1alpha1.Steady, wantAfter *[2]int64) {
	t.Helper()
	if got == nil || got.Reached != (wantAfter != nil) {
		t.Fatalf("got %+v, want reached %v", got, wantAfter != nil)
	}
	after := got.AfterMillis / 1000
	if wantAfter != nil && (after < wantAfter[0] || after > wantAfter[1]) {
		t.Errorf("steady after %d s, want from %d to %d", after, wantAfter[0], wantAfter[1])
	}
}

func TestFindSteadySaysNothingOfLessThanHalfAMinute(t *testing.T) {
	if got := result.FindSteady(series(29, func(int) float64 { return high })); got != nil {
		t.Errorf("got %+v, want nothing", *got)
	}
}

func TestFindSteadySaysNothingOfAFewOperations(t *testing.T) {
	one := func(second int) float64 { return float64(second % 20 / 19) }
	if got := result.FindSteady(series(60, one)); got != nil {
		t.Errorf("got %+v of an operation every twenty seconds, want nothing", *got)
	}
}

// poisson draws a number of arrivals, by Knuth's method.
func poisson(random *rand.Rand, mean float64) int {
	count, product := 0, random.Float64()
	for ; product > math.Exp(-mean); product *= random.Float64() {
		count++
	}
	return count
}

func TestFindSteadyOfLongerIntervals(t *testing.T) {
	step := series(20, func(interval int) float64 {
		if interval < 4 {
			return 1000
		}
		return 20_000
	})
	// Twenty intervals of eight seconds: of these each is a batch.
	step.IntervalMillis, step.End = 8000, noon.Add(160*time.Second)
	want := &reportv1alpha1.Steady{Reached: true, AfterMillis: 32_000}
	if diff := cmp.Diff(want, result.FindSteady(step)); diff != "" {
		t.Errorf("steady (-want +got):\n%s", diff)
	}
}

func TestThroughputIsOfWholeIntervalsAndAllOperations(t *testing.T) {
	step := reportv1alpha1.Step{
		MeasureStart: noon, End: noon.Add(4900 * time.Millisecond), IntervalMillis: 1000,
		Operations: []reportv1alpha1.Operation{{Intervals: []int64{1, 2, 3, 4, 5}}, {Intervals: []int64{10, 20}}},
	}
	if diff := cmp.Diff([]int64{11, 22, 3, 4}, result.Throughput(step)); diff != "" {
		t.Errorf("throughput (-want +got):\n%s", diff)
	}
	step.End = noon.Add(7 * time.Second)
	if diff := cmp.Diff([]int64{11, 22, 3, 4, 5, 0, 0}, result.Throughput(step)); diff != "" {
		t.Errorf("throughput with nothing at the end (-want +got):\n%s", diff)
	}
}

func TestVary(t *testing.T) {
	for name, tc := range map[string]struct {
		values []int64
		want   result.Variation
	}{
		"nothing":           {nil, result.Variation{}},
		"one value":         {[]int64{7}, result.Variation{Mean: 7}},
		"nothing but zeros": {[]int64{0, 0}, result.Variation{}},
		"no change":         {[]int64{5, 5, 5}, result.Variation{Mean: 5, PeakToMean: 1}},
		"a burst": {
			[]int64{0, 0, 0, 40}, result.Variation{Mean: 10, Coefficient: math.Sqrt(3), Dispersion: 30, PeakToMean: 4},
		},
		"what is not known is left out": {
			[]int64{-1, 2, -1, 4},
			result.Variation{Mean: 3, Coefficient: 1.0 / 3, Dispersion: 1.0 / 3, PeakToMean: 4.0 / 3},
		},
	} {
		t.Run(name, func(t *testing.T) {
			nearly := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
			if diff := cmp.Diff(tc.want, result.Vary(tc.values), nearly); diff != "" {
				t.Errorf("variation (-want +got):\n%s", diff)
			}
		})
	}
	random := rand.New(rand.NewPCG(9, 9))
	arrivals := make([]int64, 10_000)
	for i := range arrivals {
		arrivals[i] = int64(poisson(random, 20))
	}
	if got := result.Vary(arrivals).Dispersion; math.Abs(got-1) > 0.05 {
		t.Errorf("arrivals at random have an index of dispersion of %.3f, want 1", got)
	}
}
