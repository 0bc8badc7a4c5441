package statistics

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	nan      = math.NaN()
	infinite = math.Inf(1)
)

func TestWhatHasNoAnswerIsAnError(t *testing.T) {
	good, long := []float64{1, 2, 3, 4, 5, 6}, make([]float64, mostPaired+1)
	mannWhitney := func(a, b []float64) error { _, err := MannWhitney(a, b); return err }
	median := func(values []float64, confidence float64) error {
		_, err := MedianInterval(values, confidence)
		return err
	}
	shift := func(a, b []float64, confidence float64) error { _, err := HodgesLehmann(a, b, confidence); return err }
	ratio := func(a, b []float64) error { _, err := HodgesLehmannPercent(a, b, 0.95); return err }
	smallest := func(confidence float64, tests int) error { _, err := SmallestSamples(confidence, tests); return err }
	power := func(effect, variation, alpha, power float64) error {
		_, err := SamplesForPower(effect, variation, alpha, power)
		return err
	}
	for name, err := range map[string]error{
		"test: first empty":             mannWhitney(nil, good),
		"test: second empty":            mannWhitney(good, []float64{}),
		"test: NaN":                     mannWhitney(good, []float64{1, nan}),
		"test: infinity":                mannWhitney([]float64{infinite}, good),
		"median: empty":                 median(nil, 0.95),
		"median: NaN":                   median([]float64{nan}, 0.95),
		"median: confidence of 0":       median(good, 0),
		"median: confidence of 1":       median(good, 1),
		"median: confidence of 95":      median(good, 95),
		"median: confidence NaN":        median(good, nan),
		"shift: empty":                  shift(nil, nil, 0.95),
		"shift: negative infinity":      shift(good, []float64{-infinite}, 0.95),
		"shift: confidence":             shift(good, good, -0.5),
		"shift: more pairs than allows": shift(good, long, 0.95),
		"ratio: empty":                  ratio(good, nil),
		"ratio: zero":                   ratio([]float64{0, 1}, good),
		"ratio: negative":               ratio(good, []float64{-1}),
		"ratio: NaN":                    ratio(good, []float64{nan}),
		"smallest: confidence":          smallest(1, 1),
		"smallest: no test":             smallest(0.95, 0),
		"power: no effect":              power(0, 1, 0.05, 0.8),
		"power: NaN effect":             power(nan, 1, 0.05, 0.8),
		"power: infinite variation":     power(5, infinite, 0.05, 0.8),
		"power: negative variation":     power(5, -1, 0.05, 0.8),
		"power: alpha of 0":             power(5, 1, 0, 0.8),
		"power: power of 1":             power(5, 1, 0.05, 1),
		"power: power NaN":              power(5, 1, 0.05, nan),
		"power: more than anybody runs": power(0.001, 100, 0.05, 0.8),
		"power: vanishing effect":       power(5e-324, 1e300, 0.05, 0.8),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestWhatHasNoAnswerAmongPairsAndSeriesIsAnError(t *testing.T) {
	nan, infinite, good := math.NaN(), math.Inf(1), []float64{1, 2, 3}
	signed := func(differences []float64) error { _, err := SignedRank(differences); return err }
	pairs := func(a, b []float64) error { _, err := HodgesLehmannPairedPercent(a, b, 0.95); return err }
	fewest := func(confidence float64, tests int) error { _, err := SmallestPairs(confidence, tests); return err }
	equivalence := func(limit, variation, alpha, power float64) error {
		_, err := SamplesForEquivalence(limit, variation, alpha, power)
		return err
	}
	detector := func(design Design, alpha float64) error { _, err := NewDetector(design, alpha); return err }
	sequence := func(alpha float64) error { _, err := NewSequence(alpha, MostLooked); return err }
	points := func(series []float64) error {
		_, err := sequenceOf(t, 0.05).Points(series, anyChange)
		return err
	}
	shorter := func(series []float64) error {
		sequence, err := NewSequence(0.05, 10)
		if err != nil {
			t.Fatal(err)
		}
		_, err = sequence.Points(series, anyChange)
		return err
	}
	for name, err := range map[string]error{
		"signed: empty":               signed(nil),
		"signed: NaN":                 signed([]float64{1, nan}),
		"signed: too many":            signed(make([]float64, mostDifferences+1)),
		"pairs: not as many":          pairs(good, good[1:]),
		"pairs: zero":                 pairs([]float64{0, 1, 2}, []float64{1, 2, 3}),
		"pairs smallest: no test":     fewest(0.95, 0),
		"pairs smallest: confidence":  fewest(0, 1),
		"equivalence: no limit":       equivalence(0, 5, 0.05, 0.8),
		"equivalence: NaN":            equivalence(5, nan, 0.05, 0.8),
		"equivalence: alpha":          equivalence(5, 5, 1, 0.8),
		"equivalence: more than ever": equivalence(0.001, 100, 0.05, 0.8),
		"detector: no values":         detector(Design{}, 0.05),
		"detector: uneven pairs":      detector(Design{5, 6, true}, 0.05),
		"detector: alpha":             detector(Design{5, 5, false}, 0),
		"detector: too few values":    detector(Design{5, 5, true}, 0.05),
		"sequence: alpha of 0":        sequence(0),
		"sequence: alpha NaN":         sequence(nan),
		"points: NaN":                 points([]float64{1, nan, 2}),
		"points: infinity":            points([]float64{1, infinite}),
		"points: too many":            points(make([]float64, MostLooked+1)),
		"points: longer than said":    shorter(make([]float64, 11)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestWhatHasNoNumberIsNaN(t *testing.T) {
	for name, got := range map[string]float64{
		"median of none":            Median(nil),
		"median with NaN":           Median([]float64{1, nan, 3}),
		"median with infinity":      Median([]float64{1, infinite, 3}),
		"quantile below 0":          Quantile([]float64{1, 2}, -0.1),
		"quantile above 1":          Quantile([]float64{1, 2}, 1.1),
		"quantile NaN":              Quantile([]float64{1, 2}, nan),
		"variation of none":         CoefficientOfVariation(nil),
		"variation of one":          CoefficientOfVariation([]float64{1}),
		"variation with NaN":        CoefficientOfVariation([]float64{1, nan}),
		"variation with a mean of0": CoefficientOfVariation([]float64{-1, 1}),
	} {
		if !math.IsNaN(got) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestUnusualInputHasAnAnswer(t *testing.T) {
	huge := []float64{math.MaxFloat64, math.MaxFloat64, math.MaxFloat64 / 2}
	for name, tc := range map[string]struct{ got, want float64 }{
		"median of one":                {Median([]float64{4}), 4},
		"median of two":                {Median([]float64{4, 1}), 2.5},
		"median of huge values":        {Median(huge[:2]), math.MaxFloat64},
		"variation of equal values":    {CoefficientOfVariation([]float64{3, 3, 3}), 0},
		"variation of negative values": {CoefficientOfVariation([]float64{-1, -3}), math.Sqrt2 / 2},
		"variation of huge values":     {CoefficientOfVariation(huge), math.Sqrt(1./12) / (2.5 / 3)},
		"test of equal values":         {pOf(t, []float64{2, 2, 2}, []float64{2, 2}), 1},
		"test of many equal values":    {pOf(t, make([]float64, 80), make([]float64, 70)), 1},
		"test of one against one":      {pOf(t, []float64{1}, []float64{2}), 1},
		"test of zeros of either sign": {pOf(t, []float64{0}, []float64{math.Copysign(0, -1)}), 1},
	} {
		if diff := cmp.Diff(tc.want, tc.got, near); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

func pOf(t *testing.T, a, b []float64) float64 {
	t.Helper()
	test, err := MannWhitney(a, b)
	if err != nil {
		t.Fatal(err)
	}
	return test.P
}

func TestTooFewValuesGiveTheWholeRangeAndSaySo(t *testing.T) {
	median, err1 := MedianInterval([]float64{5, 3, 4, 9, 1}, 0.95)
	one, err2 := MedianInterval([]float64{5}, 0.95)
	shift, err3 := HodgesLehmann([]float64{1, 2}, []float64{4, 7}, 0.95)
	pair, err4 := HodgesLehmann([]float64{1}, []float64{4}, 0.95)
	if err1 != nil || err2 != nil || err3 != nil || err4 != nil {
		t.Fatal(err1, err2, err3, err4)
	}
	want := []Interval{{1, 9, 0.9375}, {5, 5, 0}, {2, 6, 1 - 2./6}, {3, 3, 0}}
	if diff := cmp.Diff(want, []Interval{median, one, shift.Interval, pair.Interval}, near); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Who asks for 96.875% of six values gets it, and may compare with < what was reached.
func TestWhatIsReachedExactlyIsReached(t *testing.T) {
	for count := 6; count < 40; count++ {
		values := make([]float64, count)
		exactly := 1 - math.Ldexp(1, 1-count)
		got, err := MedianInterval(values, exactly)
		if err != nil || got.Confidence < exactly {
			t.Errorf("%d values reach %v of %v, %v", count, got.Confidence, exactly, err)
		}
	}
}

func TestPercentOfAReference(t *testing.T) {
	effect := Effect{Estimate: 5, Interval: Interval{Low: -1, High: 10, Confidence: 0.95}}
	want := Effect{Estimate: 2.5, Interval: Interval{Low: -0.5, High: 5, Confidence: 0.95}}
	if diff := cmp.Diff(want, effect.PercentOf(200), near); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := effect.PercentOf(0).Estimate; !math.IsInf(got, 1) {
		t.Errorf("percent of 0 is %v", got)
	}
}

func TestArgumentsAreLeftAlone(t *testing.T) {
	a, b := []float64{5, 3, 4, 4, 9, 1}, []float64{8, 2, 4, 7}
	firstBefore, secondBefore := slices.Clone(a), slices.Clone(b)
	Median(a)
	CoefficientOfVariation(a)
	Holm(a)
	_, _ = MedianInterval(a, 0.9)
	_, _ = MannWhitney(a, b)
	_, _ = HodgesLehmannPercent(a, b, 0.9)
	if diff := cmp.Diff([][]float64{firstBefore, secondBefore}, [][]float64{a, b}); diff != "" {
		t.Errorf("(-before +after)\n%s", diff)
	}
}

func TestHolmOfNothing(t *testing.T) {
	if got := Holm(nil); len(got) != 0 {
		t.Errorf("adjusted are %v", got)
	}
	want := []float64{nan, nan, nan, 0.3}
	if diff := cmp.Diff(want, Holm([]float64{-0.1, 1.1, infinite, 0.3}), near); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
