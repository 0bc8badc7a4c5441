package statistics

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// countsOf are the operations per interval of 100 ms of a server with so many per second, whose logarithm is moved by
// what the time in seconds says.
func countsOf(seconds int, perSecond float64, moved func(second float64) float64) []float64 {
	counts := make([]float64, 10*seconds)
	for i := range counts {
		counts[i] = perSecond / 10 * math.Exp(moved(float64(i)/10))
	}
	return counts
}

// likeTheMachine is noise whose correlation is that of this project's machine, and which is steady within a second.
func likeTheMachine(random *rand.Rand, seconds int) func(float64) float64 {
	windows := machine(random, seconds)
	return func(second float64) float64 { return windows[int(second)] }
}

func chosen(t *testing.T, counts []float64, needs WindowNeeds) Window {
	t.Helper()
	window, err := ChooseWindow(counts, needs)
	if err != nil {
		t.Fatal(err)
	}
	return window
}

func TestWindowsAreAsShortAsTheyCanBe(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 8))
	tenth := WindowNeeds{Interval: 100 * time.Millisecond}
	slow := tenth
	slow.Latency = 250 * time.Millisecond
	steady := func(float64) float64 { return 0 }
	white := func(float64) float64 { return 0.1 * random.NormFloat64() }
	// Two seconds quick and two slow: one of the windows of each quad of 1 s windows is not like its partner.
	period := func(second float64) float64 { return 0.3*math.Sin(2*math.Pi*second/3.99) + 0.02*random.NormFloat64() }
	for name, tc := range map[string]struct {
		counts []float64
		needs  WindowNeeds
		want   time.Duration
		enough bool
	}{
		"noise like a real machine":         {countsOf(300, 10000, likeTheMachine(random, 301)), tenth, time.Second, true},
		"independent noise":                 {countsOf(300, 10000, white), tenth, time.Second, true},
		"no noise":                          {countsOf(300, 10000, steady), tenth, time.Second, true},
		"a short warm-up":                   {countsOf(10, 10000, white), tenth, time.Second, true},
		"a period of the quad":              {countsOf(300, 10000, period), tenth, 2 * time.Second, true},
		"few operations":                    {countsOf(60, 10, steady), tenth, 3 * time.Second, true},
		"too few operations":                {countsOf(60, 1, steady), tenth, 5 * time.Second, false},
		"operations of a quarter second":    {countsOf(60, 1000, steady), slow, 3 * time.Second, true},
		"a server that answers to nothing":  {make([]float64, 600), tenth, 5 * time.Second, false},
		"windows without an operation":      {countsOf(300, 10000, stopping), tenth, 2 * time.Second, true},
		"a second and no more of a warm-up": {countsOf(1, 10000, steady), tenth, time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			got := chosen(t, tc.counts, tc.needs)
			if got.Length != tc.want || got.Enough != tc.enough || len(got.Lengths) != longestWindow {
				t.Errorf("got %s, enough: %v, want %s, %v; of %+v", got.Length, got.Enough, tc.want, tc.enough, got.Lengths)
			}
		})
	}
}

// stopping is a server that does nothing in one second of fifty.
func stopping(second float64) float64 {
	if math.Mod(second, 50) < 1 {
		return -100
	}
	return 0
}

func TestWindowsAreMeasured(t *testing.T) {
	counts := countsOf(2000, 10000, likeTheMachine(rand.New(rand.NewPCG(8, 9)), 2001))
	lengths := chosen(t, counts, WindowNeeds{Interval: 100 * time.Millisecond}).Lengths
	for i, want := range []float64{0.66, 0.37, 0.2} {
		if got := lengths[0].Autocorrelation[i]; math.Abs(got-want) > 0.12 {
			t.Errorf("at a lag of %d s the correlation is %.2f, want about %.2f", i+1, got, want)
		}
	}
	if first, last := lengths[0], lengths[4]; !(first.Noise < last.Noise/2) || math.Abs(first.Operations-10000) > 1500 {
		t.Errorf("windows of 1 s: %+v, of 5 s: %+v", first, last)
	}
	short := chosen(t, counts[:300], WindowNeeds{Interval: 100 * time.Millisecond}).Lengths[0]
	if !math.IsNaN(short.Noise) || !math.IsNaN(short.Autocorrelation[0]) {
		t.Errorf("30 s know the noise: %+v", short)
	}
}

// TestLongWindowsAreChosenForAReason counts in how many series of noise alone a longer one is chosen.
func TestLongWindowsAreChosenForAReason(t *testing.T) {
	const trials = 100
	longer := 0
	for trial := range trials {
		random := rand.New(rand.NewPCG(10, uint64(trial)))
		counts := countsOf(60, 10000, func(float64) float64 { return 0.1 * random.NormFloat64() })
		if chosen(t, counts, WindowNeeds{Interval: 100 * time.Millisecond}).Length > time.Second {
			longer++
		}
	}
	if longer > trials/10 {
		t.Errorf("%d of %d", longer, trials)
	}
}

func TestWhatHasNoWindowIsAnError(t *testing.T) {
	good, tenth := make([]float64, 100), 100*time.Millisecond
	for name, tc := range map[string]struct {
		counts []float64
		needs  WindowNeeds
	}{
		"no series":             {nil, WindowNeeds{Interval: tenth}},
		"NaN":                   {[]float64{nan}, WindowNeeds{Interval: tenth}},
		"a negative count":      {append([]float64{-1}, good...), WindowNeeds{Interval: tenth}},
		"less than a second":    {good[:9], WindowNeeds{Interval: tenth}},
		"no interval":           {good, WindowNeeds{}},
		"an interval of 300 ms": {good, WindowNeeds{Interval: 300 * time.Millisecond}},
		"an interval of 2 s":    {good, WindowNeeds{Interval: 2 * time.Second}},
		"a negative latency":    {good, WindowNeeds{Interval: tenth, Latency: -1}},
	} {
		if _, err := ChooseWindow(tc.counts, tc.needs); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
