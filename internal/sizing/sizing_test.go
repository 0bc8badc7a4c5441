package sizing

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestStudentQuantilesAreThoseOfTheTables(t *testing.T) {
	// Abramowitz and Stegun 1964, table 26.10, has the first three digits of them.
	for _, tc := range []struct {
		share   float64
		degrees int
		want    float64
	}{
		{0.95, 1, 6.313752},
		{0.975, 2, 4.302653},
		{0.99, 3, 4.540703},
		{0.9875, 4, 3.495406},
		{0.95, 7, 1.894579},
		{0.999, 10, 4.143700},
		{0.95, 29, 1.699127},
		{0.5, 3, 0},
	} {
		if got := studentQuantile(tc.share, tc.degrees); math.Abs(got-tc.want) > 1e-5 {
			t.Errorf("qt(%g, %d) is %.6f, want %.6f", tc.share, tc.degrees, got, tc.want)
		}
	}
}

// chain are choices of one dimension.
func chain(length int) Space {
	var space Space
	for at := range length {
		space.Points = append(space.Points, []int{at})
	}
	return space
}

// grid are choices of two dimensions, whose objective is the product of the places.
func grid(rows, columns int) Space {
	var space Space
	for row := range rows {
		for column := range columns {
			space.Points = append(space.Points, []int{row, column})
			space.Objective = append(space.Objective, float64((row+1)*(column+1)))
		}
	}
	return space
}

// find searches where it is known at once whether a choice keeps the constraints, and says how many were tried.
func find(t *testing.T, space Space, keeps func(at int) bool) (smallest []int, tried int) {
	t.Helper()
	verdicts, trials := make([]Verdict, len(space.Points)), make([]int, len(space.Points))
	for {
		at, more := space.Next(verdicts, trials)
		if !more {
			return space.Smallest(verdicts), tried
		}
		if verdicts[at] != Open {
			t.Fatalf("choice %d is tried again", at)
		}
		tried++
		verdicts[at] = Breaks
		if keeps(at) {
			verdicts[at] = Keeps
		}
	}
}

func TestOneDimensionIsBisected(t *testing.T) {
	for length := 1; length <= 64; length++ {
		most := int(math.Ceil(math.Log2(float64(length + 1))))
		for first := 0; first <= length; first++ {
			found, tried := find(t, chain(length), func(at int) bool { return at >= first })
			want := []int{first}
			if first == length {
				want = nil
			}
			if !slices.Equal(found, want) || tried > most {
				t.Errorf("of %d choices from %d on: found %v after %d, want %v after %d at most", length, first, found,
					tried, want, most)
			}
		}
	}
}

// staircase is a grid of which each row needs so many of the columns, less from row to row.
type staircase struct {
	Space
	needs []int
}

func drawn(random *rand.Rand, rows, columns int) staircase {
	stairs := staircase{Space: grid(rows, columns), needs: make([]int, rows)}
	for row := range stairs.needs {
		stairs.needs[row] = random.IntN(columns + 1)
	}
	slices.Sort(stairs.needs)
	slices.Reverse(stairs.needs)
	return stairs
}

func (s staircase) keeps(at int) bool { return s.Points[at][1] >= s.needs[s.Points[at][0]] }

// least is the objective of the best choice; infinite when none keeps the constraints.
func (s staircase) least() float64 {
	least := math.Inf(1)
	for at, objective := range s.Objective {
		if s.keeps(at) {
			least = min(least, objective)
		}
	}
	return least
}

// corner says whether a choice keeps the constraints, and no smaller one does.
func (s staircase) corner(at int) bool {
	return s.keeps(at) && !slices.ContainsFunc(seq(len(s.Points)), func(other int) bool {
		return other != at && s.keeps(other) && s.NoLarger(other, at)
	})
}

func TestTheLeastOfSeveralDimensionsIsFound(t *testing.T) {
	const rows, columns = 6, 8
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		stairs := drawn(random, rows, columns)
		least := stairs.least()
		found, tried := find(t, stairs.Space, stairs.keeps)
		switch {
		case math.IsInf(least, 1) != (len(found) == 0), len(found) > 0 && stairs.Objective[found[0]] != least:
			t.Errorf("needs %v: found %v, want one of %g", stairs.needs, found, least)
		case tried > rows*columns/3:
			t.Errorf("needs %v: %d of %d choices were tried", stairs.needs, tried, rows*columns)
		}
		// Without an objective it is all corners.
		stairs.Objective = nil
		corners, _ := find(t, stairs.Space, stairs.keeps)
		for at := range stairs.Points {
			if corner := stairs.corner(at); corner != slices.Contains(corners, at) {
				t.Errorf("needs %v: %v is among the smallest: %v", stairs.needs, stairs.Points[at], corner)
			}
		}
	}
}

func seq(length int) []int {
	all := make([]int, length)
	for i := range all {
		all[i] = i
	}
	return all
}

func TestWhatWasBegunIsFinished(t *testing.T) {
	space, verdicts, trials := chain(7), make([]Verdict, 7), make([]int, 7)
	trials[1] = 1
	if at, more := space.Next(verdicts, trials); !more || at != 1 {
		t.Errorf("next is %d, %v", at, more)
	}
	// Unless another answers for it.
	verdicts[2] = Breaks
	if at, more := space.Next(verdicts, trials); !more || at <= 2 {
		t.Errorf("next is %d, %v", at, more)
	}
}

func TestWhatIsUndecidedIsNotTaken(t *testing.T) {
	space := chain(3)
	verdicts := []Verdict{Open, Undecided, Keeps}
	if at, more := space.Next(verdicts, make([]int, 3)); more {
		t.Errorf("choice %d is smaller than one that is undecided", at)
	}
	if found := space.Smallest(verdicts); !slices.Equal(found, []int{2}) {
		t.Errorf("found %v", found)
	}
}

func margins(values ...float64) Evidence {
	evidence := Evidence{Used: len(values)}
	for _, value := range values {
		evidence.Trials = append(evidence.Trials, Trial{Margins: []float64{value}})
	}
	return evidence
}

func TestJudge(t *testing.T) {
	rule := Rule{Confidence: 0.95, MostTrials: 5}
	crash := Trial{Broken: true}
	for name, tc := range map[string]struct {
		all  []Evidence
		want Verdict
	}{
		"nothing":                         {[]Evidence{{}}, Open},
		"one trial":                       {[]Evidence{margins(3)}, Open},
		"two that agree":                  {[]Evidence{margins(1, 1.01)}, Keeps},
		"two that break it":               {[]Evidence{margins(-1, -1.01)}, Breaks},
		"two that differ":                 {[]Evidence{margins(1, 0.8)}, Open},
		"others say how they vary":        {[]Evidence{margins(1, 0.8), margins(-2, -2.1), margins(3, 3.1)}, Keeps},
		"others vary more":                {[]Evidence{margins(0.1, 0.101), margins(-2, -4, -3), margins(3, 5)}, Open},
		"near the limit to the end":       {[]Evidence{margins(0.1, -0.1, 0.1, -0.1, 0.1)}, Undecided},
		"all alike":                       {[]Evidence{margins(0.01, 0.01)}, Keeps},
		"one did not survive":             {[]Evidence{{Trials: []Trial{crash}, Used: 1}}, Open},
		"two did not survive":             {[]Evidence{{Trials: []Trial{crash, crash}, Used: 2}}, Breaks},
		"one survived and was far inside": {[]Evidence{{Trials: append(margins(1, 1.01).Trials, crash), Used: 3}}, Open},
		"trials that say nothing":         {[]Evidence{{Used: 5}}, Undecided},
	} {
		t.Run(name, func(t *testing.T) {
			if got := rule.Judge(tc.all)[0]; got.Verdict != tc.want {
				t.Errorf("got %+v, want %d", got, tc.want)
			}
		})
	}
}

func TestEveryConstraintCounts(t *testing.T) {
	two := func(first, second float64) Evidence {
		return Evidence{Used: 2, Trials: []Trial{
			{Margins: []float64{first, second}}, {Margins: []float64{first + 0.01, second - 0.01}},
		}}
	}
	judged := Rule{Confidence: 0.95, MostTrials: 4}.Judge([]Evidence{two(2, 1), two(2, -1), two(-3, 1), two(2, 0.02)})
	for i, want := range []struct {
		verdict    Verdict
		constraint int
	}{{Keeps, 1}, {Breaks, 1}, {Breaks, 0}, {Open, 1}} {
		if judged[i].Verdict != want.verdict || judged[i].Constraint != want.constraint {
			t.Errorf("choice %d: %+v, want %+v", i, judged[i], want)
		}
	}
}

// TestSearchesAreRight searches choices whose true margin is known, with trials that vary, thousands of times. At the
// named choice the margin may be as small as the choices are apart.
func TestSearchesAreRight(t *testing.T) {
	const searches = 2000
	for name, spread := range map[string]float64{"quiet": 0.05, "noisy": 0.3} {
		random := rand.New(rand.NewPCG(3, 4))
		wrong, far, made := 0, 0, 0
		for range searches {
			one := searchOnce(random, spread)
			made += one.made
			if one.found < one.first {
				wrong++
			}
			if one.found < one.first-1 || one.found > one.first+1 {
				far++
			}
		}
		t.Logf("%s: %d of %d named a choice that breaks the constraints, %d were more than one off, %.1f trials each",
			name, wrong, searches, far, float64(made)/searches)
		if wrong > searches/20 || far > searches/10 {
			t.Errorf("%s: %d wrong, %d far off", name, wrong, far)
		}
	}
}

// searched is what a search found, and the first choice that keeps the constraints; the number of choices for none.
type searched struct{ found, first, made int }

// searchOnce searches eight choices, whose margin grows by a half of the figure from one to the next and is nowhere 0.
func searchOnce(random *rand.Rand, spread float64) searched {
	const length = 8
	first := random.IntN(length + 1)
	truth := make([]float64, length)
	for at := range truth {
		truth[at] = (float64(at-first) + 0.2 + 0.6*random.Float64()) * 0.4
	}
	found, made := play(chain(length), truth, func() float64 { return spread * random.NormFloat64() })
	if found < 0 {
		found = length
	}
	return searched{found: found, first: first, made: made}
}

// play makes trials until the search ends; the found choice is negative when there is none.
func play(space Space, truth []float64, noise func() float64) (found, made int) {
	rule := Rule{Confidence: 0.95, MostTrials: 5}
	all := make([]Evidence, len(truth))
	for {
		verdicts, trials := make([]Verdict, len(all)), make([]int, len(all))
		for i, judged := range rule.Judge(all) {
			verdicts[i], trials[i] = judged.Verdict, all[i].Used
		}
		at, more := space.Next(verdicts, trials)
		if !more {
			if smallest := space.Smallest(verdicts); len(smallest) > 0 {
				return smallest[0], made
			}
			return -1, made
		}
		all[at].Trials = append(all[at].Trials, Trial{Margins: []float64{truth[at] + noise()}})
		all[at].Used++
		made++
	}
}
