package statistics

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func anyChange(float64, float64) bool { return true }

func sequenceOf(t *testing.T, alpha float64) *Sequence {
	t.Helper()
	sequence, err := NewSequence(alpha, MostLooked)
	if err != nil {
		t.Fatal(err)
	}
	return sequence
}

func pointsOf(t *testing.T, sequence *Sequence, series []float64) []ChangePoint {
	t.Helper()
	points, err := sequence.Points(series, anyChange)
	if err != nil {
		t.Fatal(err)
	}
	return points
}

// TestLooksAreCounted measures what the constant looks says: of series that do not change, no more than alpha have a
// point at any time until they have 200 values, for the alpha of one series and for that of one of twenty.
func TestLooksAreCounted(t *testing.T) {
	const trials = 2000
	for _, alpha := range []float64{0.2, 0.05, 0.0025} {
		sequence, random, found := sequenceOf(t, alpha), rand.New(rand.NewPCG(1, 1)), 0
		for range trials {
			if len(pointsOf(t, sequence, sample(random, draws["log-normal"], MostLooked))) > 0 {
				found++
			}
		}
		t.Logf("alpha %g: %d of %d series have a point", alpha, found, trials)
		if limit := atMost(trials, alpha); found > limit {
			t.Errorf("alpha %g: %d of %d series have a point, want no more than %d", alpha, found, trials, limit)
		}
		if alpha == 0.2 && found < trials/20 {
			t.Errorf("alpha %g: only %d of %d series have a point: the correction takes too much", alpha, found, trials)
		}
	}
}

func TestStepsAreFoundNearWhereTheyAre(t *testing.T) {
	const trials = 50
	tests := map[string]struct {
		// levels of the segments, in deviations, and how many values each has.
		levels  []float64
		lengths []int
		// near is how far a point may be off, and least how many of the series must give these points and no others.
		near, least int
	}{
		"one step of three deviations": {[]float64{0, 3}, []int{30, 30}, 2, 45},
		"a step of two deviations":     {[]float64{0, 2}, []int{40, 40}, 6, 45},
		"up, and up again":             {[]float64{0, 4, 8}, []int{25, 25, 25}, 1, 45},
		"up, and back":                 {[]float64{0, 5, 0}, []int{30, 20, 30}, 1, 45},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			random, right := rand.New(rand.NewPCG(9, 9)), 0
			for range trials {
				series, want := steps(random, tc.levels, tc.lengths)
				if alike(pointsOf(t, sequenceOf(t, 0.01), series), want, tc.near) {
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
			series = append(series, 100+level+random.NormFloat64())
		}
	}
	return series, points
}

func alike(got []ChangePoint, want []int, near int) bool {
	if len(got) != len(want) {
		return false
	}
	for i, point := range got {
		if math.Abs(float64(point.Index-want[i])) > float64(near) {
			return false
		}
	}
	return true
}

func TestPointsStayWhenTheSeriesGrows(t *testing.T) {
	random, sequence := rand.New(rand.NewPCG(3, 3)), sequenceOf(t, 0.05)
	series, _ := steps(random, []float64{0, 4, 1}, []int{30, 30, 40})
	whole := pointsOf(t, sequence, series)
	if len(whole) < 2 {
		t.Fatalf("%d points, want the two that there are", len(whole))
	}
	indexes := func(points []ChangePoint) (all []int) {
		for _, point := range points {
			all = append(all, point.Index)
		}
		return all
	}
	for length := range series {
		var known []int
		for _, point := range whole {
			if point.Found < length {
				known = append(known, point.Index)
			}
		}
		if diff := cmp.Diff(known, indexes(pointsOf(t, sequence, series[:length]))); diff != "" {
			t.Errorf("of the first %d values (-want +got)\n%s", length, diff)
		}
	}
}

func TestMeansAreThoseOfTheParts(t *testing.T) {
	series := make([]float64, 0, 60)
	for i := range 60 {
		series = append(series, 100+float64(i%7)/10)
		if i >= 30 {
			series[i] = 200 + float64(i%7)/10
		}
	}
	points := pointsOf(t, sequenceOf(t, 0.05), series)
	want := []ChangePoint{{
		Index: 30, Found: points[0].Found, P: points[0].P, Before: mean(series[:30]), After: mean(series[30:]),
	}}
	if diff := cmp.Diff(want, points); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestSeriesThatSayNothingHaveNoPoints(t *testing.T) {
	sequence := sequenceOf(t, 0.05)
	short := make([]float64, 12)
	for i := range short {
		short[i] = float64(i / 6)
	}
	for name, series := range map[string][]float64{
		"none": nil, "one": {1}, "constant": make([]float64, 100),
		"twelve values cannot tell, whatever they are": short,
	} {
		if points := pointsOf(t, sequence, series); len(points) > 0 {
			t.Errorf("%s: %+v", name, points)
		}
	}
	series, _ := steps(rand.New(rand.NewPCG(1, 1)), []float64{0, 9}, []int{40, 40})
	if points, err := sequence.Points(series, func(before, after float64) bool { return after > 2*before }); err != nil ||
		len(points) > 0 {
		t.Errorf("a change that is not worth it: %+v, %v", points, err)
	}
}
