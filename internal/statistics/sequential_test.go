package statistics

import (
	_ "embed"
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sequentialFile was written by testdata/sequential.py, which says what comes from where.
//
//go:embed testdata/sequential.json
var sequentialFile []byte

func TestSequentialAgreesWithOthers(t *testing.T) {
	var others struct {
		// TForm has n, nu, alpha, g and the radius; Mixed has n, nu, alpha, the share of the second of two g, both, and
		// the radius; Narrowest has n, alpha and the smallest radius; KnownVariance has n, alpha, g and the radius.
		TForm         [][]float64 `json:"tForm"`
		Mixed         [][]float64 `json:"mixed"`
		Narrowest     [][]float64 `json:"narrowest"`
		KnownVariance [][]float64 `json:"knownVariance"`
	}
	if err := json.Unmarshal(sequentialFile, &others); err != nil {
		t.Fatal(err)
	}
	agree := func(want, got float64, which []float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-6*want) {
			t.Errorf("%v: the radius is %v, want %v", which, got, want)
		}
	}
	for _, tc := range others.TForm {
		agree(tc[4], radius(tc[0], tc[1], tc[2], tc[3]), tc)
		agree(tc[4], mixture{{1, tc[3]}}.radius(tc[0], tc[1], tc[2]), tc)
	}
	for _, tc := range others.Mixed {
		agree(tc[6], mixture{{1 - tc[3], tc[4]}, {tc[3], tc[5]}}.radius(tc[0], tc[1], tc[2]), tc)
	}
	for _, tc := range others.Narrowest {
		// The minimum of the other was found on a flat curve, so the g may differ while the radius does not.
		got := radius(tc[0], tc[0]-1, tc[1], narrowestAt(tc[0], tc[1]))
		if got > tc[2] || got < tc[2]*(1-1e-4) {
			t.Errorf("%v: the smallest radius is %v", tc, got)
		}
	}
	for _, tc := range others.KnownVariance {
		const degrees = 1e8 // As good as a known variance.
		agree(tc[3], radius(tc[0], degrees, tc[1], tc[2]), tc)
		agree(tc[3], mixture{{1, tc[2]}}.radius(tc[0], degrees, tc[1]), tc)
	}
	if len(others.TForm)*len(others.Mixed)*len(others.Narrowest)*len(others.KnownVariance) == 0 {
		t.Error("a part has no cases")
	}
}

// TestMixturesCostLittleAndTellEarly has what each part is for: the first, how wide the interval is after as many
// values as one expects to need, and the second, that there is one after few.
func TestMixturesCostLittleAndTellEarly(t *testing.T) {
	for _, alpha := range []float64{0.05, 0.005, 0.0005} {
		mixed := mixtureFor(100, alpha)
		for _, n := range []float64{66, 100, 200, 1000} {
			best := radius(n, n-1, alpha, narrowestAt(100, alpha))
			if got := mixed.radius(n, n-1, alpha); !(got < 1.015*best) {
				t.Errorf("after %v values at %v the radius is %.3f, and %.3f with one part", n, alpha, got, best)
			}
		}
		if got := mixed.radius(10, 9, alpha); !(got < 15) {
			t.Errorf("after ten values at %v the radius is %v", alpha, got)
		}
	}
}

func sequentialOf(t *testing.T, values []float64) *Sequential {
	t.Helper()
	sequential, err := NewSequential(0.95, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range values {
		if err := sequential.Add(value); err != nil {
			t.Fatal(err)
		}
	}
	return sequential
}

func TestSequentialSaysNothingOfTooLittle(t *testing.T) {
	for name, values := range map[string][]float64{
		"none":            nil,
		"seven":           {1, 2, 3, 4, 5, 6, 7},
		"equal ones":      make([]float64, 100),
		"all in one rise": {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
		"an overflow":     {1e308, -1e308, 1e308, -1e308, 1e308, -1e308, 1e308, -1e308, 1e308},
	} {
		t.Run(name, func(t *testing.T) {
			if interval, bounded := sequentialOf(t, values).Interval(); bounded {
				t.Errorf("the interval is %+v", interval)
			}
		})
	}
	if got := sequentialOf(t, nil).Estimate(); !math.IsNaN(got) {
		t.Errorf("the mean of nothing is %v", got)
	}
}

func TestWhatIsNoSequenceIsAnError(t *testing.T) {
	made := func(confidence float64, narrowest int) error {
		_, err := NewSequential(confidence, narrowest)
		return err
	}
	compared := func(rule Rule) error { _, err := NewComparison(rule, 0.95, 100); return err }
	for name, err := range map[string]error{
		"a confidence of 0":       made(0, 100),
		"a confidence of 1":       made(1, 100),
		"a confidence NaN":        made(nan, 100),
		"narrowest after one":     made(0.95, 1),
		"NaN":                     sequentialOf(t, nil).Add(nan),
		"an infinity":             sequentialOf(t, nil).Add(-infinite),
		"no direction":            compared(Rule{MinEffectPercent: 5}),
		"a negative margin":       compared(Rule{HigherIsBetter, -1}),
		"a margin that is NaN":    compared(Rule{HigherIsBetter, nan}),
		"an infinite margin":      compared(Rule{LowerIsBetter, infinite}),
		"no confidence of a line": func() error { _, err := NewComparison(Rule{LowerIsBetter, 5}, 0, 100); return err }(),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestSequentialFollowsShiftsAndScales tells that an interval follows its values, and forgets nothing of them.
func TestSequentialFollowsShiftsAndScales(t *testing.T) {
	values := sample(rand.New(rand.NewPCG(2, 2)), (*rand.Rand).NormFloat64, 50)
	plain, ok := sequentialOf(t, values).Interval()
	moved, alsoOk := sequentialOf(t, mapped(values, func(v float64) float64 { return 1000 - 3*v })).Interval()
	want := Interval{Low: 1000 - 3*plain.High, High: 1000 - 3*plain.Low, Confidence: 0.95}
	if !ok || !alsoOk || !cmp.Equal(want, moved, near) {
		t.Errorf("got %+v, want %+v", moved, want)
	}
}

func TestInflationIsThatOfTheCorrelation(t *testing.T) {
	for phi, want := range map[float64][2]float64{-0.5: {1, 1}, 0: {1, 1.15}, 0.4: {2.2, 2.9}, 0.6: {3.6, 5}} {
		values := correlated(phi)(rand.New(rand.NewPCG(3, 3)), 5000)
		if got := inflation(around(values, meanFrom(values, 0))); got < want[0] || got > want[1] {
			t.Errorf("of a correlation of %v it is %.2f, want about %.2f", phi, got, (1+phi)/(1-phi))
		}
	}
}

func TestInflationSeesWhatFallsSlowly(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	slow, quick := correlated(0.9)(random, 5000), correlated(0)(random, 5000)
	for i := range slow {
		slow[i] = math.Sqrt(0.3)*slow[i] + math.Sqrt(0.7)*quick[i]
	}
	// By the neighbours alone it would be 1.27/0.73 = 1.7, while it is 0.7 + 0.3*19 = 6.4.
	if got := inflation(around(slow, meanFrom(slow, 0))); got < 4 {
		t.Errorf("it is %.2f, want about 6.4", got)
	}
}

// TestLooksRaiseNoFalseAlarm is the short form of the simulation.
func TestLooksRaiseNoFalseAlarm(t *testing.T) {
	const trials = 300
	for _, noise := range noises {
		if noise.beyond {
			continue
		}
		t.Run(noise.name, func(t *testing.T) {
			missed := 0
			for trial := range trials {
				if everMisses(t, noise.draw(rand.New(rand.NewPCG(11, uint64(trial))), 150)) {
					missed++
				}
			}
			if limit := atMost(trials, 0.05); missed > limit {
				t.Errorf("%d of %d miss, want no more than %d", missed, trials, limit)
			}
		})
	}
}

// TestLookingAtAnOrdinaryIntervalIsSeen tells that the simulation sees what it looks for: the interval of one look
// misses often when it is looked at after each value.
func TestLookingAtAnOrdinaryIntervalIsSeen(t *testing.T) {
	const trials = 200
	missed := 0
	for trial := range trials {
		values := correlated(0)(rand.New(rand.NewPCG(12, uint64(trial))), 150)
		for n := fewestSequential; n <= len(values); n++ {
			deviations := around(values[:n], meanFrom(values[:n], 0))
			if math.Abs(meanFrom(values[:n], 0)) > 1.96*math.Sqrt(products(deviations, 0))/float64(n) {
				missed++
				break
			}
		}
	}
	if missed < trials/5 {
		t.Errorf("%d of %d miss: it sees nothing", missed, trials)
	}
}
