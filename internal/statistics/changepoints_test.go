package statistics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// quick is enough permutations for the tests, which look at many series.
var quick = ChangePointOptions{Permutations: 199}

func mustChangePoints(t *testing.T, series []float64, options ChangePointOptions) []ChangePoint {
	t.Helper()
	points, err := ChangePoints(series, options)
	if err != nil {
		t.Fatal(err)
	}
	return points
}

func TestSeriesWithoutAChangeHaveNoPoints(t *testing.T) {
	const trials = 100
	lengths := []int{8, 20, 60}
	found := 0
	for name, draw := range draws {
		for _, length := range lengths {
			random := rand.New(rand.NewPCG(uint64(len(name)), uint64(length)))
			for trial := range trials {
				options := quick
				options.Seed = uint64(trial)
				if len(mustChangePoints(t, sample(random, draw, length), options)) > 0 {
					found++
				}
			}
		}
	}
	all := trials * len(draws) * len(lengths)
	if limit := atMost(all, defaultAlpha); found > limit || found == 0 {
		t.Errorf("%d of %d series have points, want 1 to %d", found, all, limit)
	}
}

func TestStepsAreFoundWhereTheyAre(t *testing.T) {
	const trials = 30
	tests := map[string]struct {
		// levels of the segments, in deviations, and how many values each has.
		levels  []float64
		lengths []int
		// least is how many of the series must give the very points, one value more or less.
		least int
	}{
		"one step of three deviations":      {[]float64{0, 3}, []int{20, 20}, 27},
		"a step near the end":               {[]float64{0, 5}, []int{30, 4}, 27},
		"a step that is taken back":         {[]float64{0, 4, 0}, []int{20, 8, 20}, 26},
		"up, and up again":                  {[]float64{0, 4, 8}, []int{15, 15, 15}, 26},
		"four levels of a hundred values":   {[]float64{0, 4, -1, 5}, []int{25, 25, 25, 25}, 24},
		"twelve values, a step in the half": {[]float64{0, 6}, []int{6, 6}, 27},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(9, 9))
			right := 0
			for range trials {
				series, want := steps(random, tc.levels, tc.lengths)
				if alike(indexes(mustChangePoints(t, series, quick)), want) {
					right++
				}
			}
			if right < tc.least {
				t.Errorf("%d of %d series gave their points, want %d", right, trials, tc.least)
			}
		})
	}
}

func steps(random *rand.Rand, levels []float64, lengths []int) (series []float64, points []int) {
	for i, level := range levels {
		if i > 0 {
			points = append(points, len(series))
		}
		for range lengths[i] {
			series = append(series, 1000+10*(level+random.NormFloat64()))
		}
	}
	return series, points
}

func alike(got, want []int) bool {
	return slices.EqualFunc(got, want, func(x, y int) bool { return max(x-y, y-x) <= 1 })
}

func TestAPointTellsTheMeansOfItsNeighbours(t *testing.T) {
	series := []float64{9, 10, 11, 10, 10, 20, 21, 19, 20, 20, 5, 4, 6, 5, 5}
	points := mustChangePoints(t, series, ChangePointOptions{Seed: 1})
	for i := range points {
		if !(points[i].P >= 0.002 && points[i].P <= 0.05) {
			t.Errorf("p is %v", points[i].P)
		}
		points[i].P = 0
	}
	want := []ChangePoint{{Index: 5, Before: 10, After: 20}, {Index: 10, Before: 20, After: 5}}
	if diff := cmp.Diff(want, points, near); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestTheSameSeedGivesTheSamePointsAndLeavesTheSeriesAlone(t *testing.T) {
	series := noise(rand.New(rand.NewPCG(1, 2)), 60, 1.2)
	before := slices.Clone(series)
	first := mustChangePoints(t, series, ChangePointOptions{Seed: 3})
	if diff := cmp.Diff(first, mustChangePoints(t, series, ChangePointOptions{Seed: 3})); diff != "" {
		t.Errorf("the same seed (-first +second)\n%s", diff)
	}
	if diff := cmp.Diff(before, series); diff != "" {
		t.Errorf("the series was changed (-before +after)\n%s", diff)
	}
	other := mustChangePoints(t, series, ChangePointOptions{Seed: 4})
	if len(first) != 1 || len(other) != 1 || first[0].P == other[0].P {
		t.Errorf("seeds give %v and %v, which were chosen to differ in p", first, other)
	}
}

func TestPointsDoNotDependOnTheUnit(t *testing.T) {
	series := noise(rand.New(rand.NewPCG(1, 2)), 40, 3)
	want := indexes(mustChangePoints(t, series, quick))
	if len(want) != 1 {
		t.Fatalf("points are %v", want)
	}
	units := map[string]func(float64) float64{
		"small":             func(v float64) float64 { return v * 1e-300 },
		"large":             func(v float64) float64 { return v * 1e305 },
		"far from 0":        func(v float64) float64 { return v + 1e9 },
		"upside down":       func(v float64) float64 { return -v },
		"hardly any spread": func(v float64) float64 { return 1e6 + v*1e-5 },
	}
	for name, convert := range units {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(want, indexes(mustChangePoints(t, mapped(series, convert), quick))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestASeriesWithoutPointsIsNoError(t *testing.T) {
	for name, series := range map[string][]float64{
		"none":               nil,
		"one value":          {3},
		"too short":          {1, 1, 1, 9, 9},
		"constant":           slices.Repeat([]float64{7.1}, 50),
		"zeros":              make([]float64, 50),
		"one outlier":        append(slices.Repeat([]float64{1}, 20), 1e9),
		"largest and lowest": {math.MaxFloat64, -math.MaxFloat64, math.MaxFloat64, -math.MaxFloat64, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			if points := mustChangePoints(t, series, ChangePointOptions{}); len(points) != 0 {
				t.Errorf("points are %v", points)
			}
		})
	}
}
