package statistics

import (
	_ "embed"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// referenceFile is read into a reference.
//
//go:embed testdata/reference.json
var referenceFile []byte

// reference is what R, SciPy and benchmath say.
type reference struct {
	MannWhitney map[string]struct {
		A     []float64 `json:"a"`
		B     []float64 `json:"b"`
		U     float64   `json:"u"`
		P     float64   `json:"p"`
		Exact bool      `json:"exact"`
	} `json:"mannWhitney"`
	HodgesLehmann map[string]struct {
		Baseline   []float64 `json:"baseline"`
		Candidate  []float64 `json:"candidate"`
		Confidence float64   `json:"confidence"`
		Estimate   float64   `json:"estimate"`
		Low        float64   `json:"low"`
		High       float64   `json:"high"`
		Reached    float64   `json:"reached"`
	} `json:"hodgesLehmann"`
	// Two sizes and a confidence, the order and what it reaches.
	ShiftOrder cases `json:"shiftOrder"`
	// A size and a confidence, the order and what it reaches.
	MedianOrder cases `json:"medianOrder"`
	// A share and its quantile.
	Quantiles cases     `json:"quantiles"`
	Variation variation `json:"variation"`
	Holm      map[string]struct {
		P    []*float64 `json:"p"`
		Want []*float64 `json:"want"`
	} `json:"holm"`
	Nile         []float64 `json:"nile"`
	Permeability []float64 `json:"permeability"`
}

type cases struct {
	Cases [][]float64 `json:"cases"`
}

type variation struct {
	Nile         float64 `json:"nile"`
	Permeability float64 `json:"permeability"`
}

func readReference(t *testing.T) reference {
	t.Helper()
	var r reference
	if err := json.Unmarshal(referenceFile, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// near compares numbers that were printed with 15 digits.
var near = cmp.Options{cmpopts.EquateApprox(1e-12, 1e-12), cmpopts.EquateNaNs()}

func TestMannWhitneyAgreesWithOthers(t *testing.T) {
	for name, tc := range readReference(t).MannWhitney {
		t.Run(name, func(t *testing.T) {
			got, err := MannWhitney(tc.A, tc.B)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(Test{U: tc.U, P: tc.P, Exact: tc.Exact}, got, near); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestHodgesLehmannAgreesWithR(t *testing.T) {
	for name, tc := range readReference(t).HodgesLehmann {
		t.Run(name, func(t *testing.T) {
			got, err := HodgesLehmann(tc.Baseline, tc.Candidate, tc.Confidence)
			if err != nil {
				t.Fatal(err)
			}
			want := Effect{Estimate: tc.Estimate, Interval: Interval{Low: tc.Low, High: tc.High}}
			ignored := cmpopts.IgnoreFields(Interval{}, "Confidence")
			if diff := cmp.Diff(want, got, near, ignored); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if tc.Reached != 0 && math.Abs(got.Confidence-tc.Reached) > 1e-12 {
				t.Errorf("reached %v, want %v", got.Confidence, tc.Reached)
			}
			if tc.Reached == 0 && got.Confidence < tc.Confidence {
				t.Errorf("reached %v of %v", got.Confidence, tc.Confidence)
			}
		})
	}
}

func TestOrderOfShiftIntervalsAgreesWithRAndTables(t *testing.T) {
	for _, tc := range readReference(t).ShiftOrder.Cases {
		k, reached := intervalOrder(int(tc[0]), int(tc[1]), tc[2])
		if diff := cmp.Diff(tc[3:], []float64{float64(k), reached}, near); diff != "" {
			t.Errorf("%v (-want +got)\n%s", tc[:3], diff)
		}
	}
}

func TestOrderOfMedianIntervalsAgreesWithRAndTables(t *testing.T) {
	for _, tc := range readReference(t).MedianOrder.Cases {
		values := make([]float64, int(tc[0]))
		for i := range values {
			values[i] = float64(len(values) - i)
		}
		got, err := MedianInterval(values, tc[1])
		if err != nil {
			t.Fatal(err)
		}
		want := Interval{Low: tc[2], High: tc[0] + 1 - tc[2], Confidence: tc[3]}
		if diff := cmp.Diff(want, got, near); diff != "" {
			t.Errorf("%v values at %v (-want +got)\n%s", tc[0], tc[1], diff)
		}
	}
}

func TestDescriptionsAgreeWithR(t *testing.T) {
	r := readReference(t)
	for _, tc := range r.Quantiles.Cases {
		if got := Quantile(r.Nile, tc[0]); math.Abs(got-tc[1]) > 1e-9 {
			t.Errorf("quantile %v is %v, want %v", tc[0], got, tc[1])
		}
	}
	got := r.Variation
	got.Nile = CoefficientOfVariation(r.Nile)
	got.Permeability = CoefficientOfVariation(r.Permeability)
	if diff := cmp.Diff(r.Variation, got, near); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestHolmAgreesWithR(t *testing.T) {
	numbers := func(values []*float64) []float64 {
		var all []float64
		for _, value := range values {
			if value == nil {
				all = append(all, math.NaN())
				continue
			}
			all = append(all, *value)
		}
		return all
	}
	for name, tc := range readReference(t).Holm {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(numbers(tc.Want), Holm(numbers(tc.P)), near); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestExactDistributionIsThatOfAllChoices(t *testing.T) {
	scores := []int{0, 3, 3, 3, 8, 11, 11, 14}
	for chosen := 1; chosen <= len(scores); chosen++ {
		sums := sumsOfEveryChoice(scores, chosen)
		want := make([]float64, slices.Max(sums)+1)
		for _, sum := range sums {
			want[sum] += 1 / float64(len(sums))
		}
		if diff := cmp.Diff(want, sumsOfChosen(scores, chosen), near); diff != "" {
			t.Errorf("%d chosen (-want +got)\n%s", chosen, diff)
		}
	}
}

func sumsOfEveryChoice(scores []int, chosen int) []int {
	if chosen == 0 {
		return []int{0}
	}
	var sums []int
	for i, score := range scores {
		for _, rest := range sumsOfEveryChoice(scores[i+1:], chosen-1) {
			sums = append(sums, score+rest)
		}
	}
	return sums
}
