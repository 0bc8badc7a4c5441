package pacer_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/pacer"
)

func byFormula(text string) planv1.Arrival {
	return planv1.Arrival{Process: benchv1alpha1.ArrivalConstant, Formula: text}
}

func TestAFormulaIsTheRate(t *testing.T) {
	for text, due := range map[string]func(until float64) float64{
		"100": func(until float64) float64 { return 100 * until },
		// The integral of a sine.
		"100 + 50 * sin(2 * pi * t / 20)": func(until float64) float64 {
			return 100*until + 50*10/math.Pi*(1-math.Cos(math.Pi*until/10))
		},
		// Three seconds in ten. The rate rises and falls within a tenth of a second, so that 50
		// operations are missing after each spike, until the next one comes as much earlier.
		"1000 * (t % 10 < 3)": func(until float64) float64 {
			return 1000 * (3*math.Floor(until/10) + min(math.Mod(until, 10), 3))
		},
		// What is below 0 is 0.
		"100 * (t - 30)": func(until float64) float64 { return 50 * math.Pow(max(until-30, 0), 2) },
	} {
		all := dues(schedule(t, byFormula(text)), 10_000)
		if !slices.IsSorted(all) {
			t.Fatalf("%s: due times go back", text)
		}
		for until := 0.5; until < min(all[len(all)-1].Seconds(), 50); until += 0.5 {
			place, _ := slices.BinarySearch(all, time.Duration(until*float64(time.Second)))
			allowed := 2.0
			if strings.Contains(text, "%") {
				allowed += 50
			}
			if want := due(until); math.Abs(float64(place)-want) > allowed {
				t.Errorf("%s: %d operations are due until %.1f s, want %.1f", text, place, until, want)
			}
		}
	}
}

func TestAFormulaWithoutARateIsNeverDue(t *testing.T) {
	for _, text := range []string{"0", "-5", "1 / 0", "0 / 0"} {
		if _, due := schedule(t, byFormula(text)).Cursor(0, 1).Next(); due != pacer.Never {
			t.Errorf("%s: due after %s", text, due)
		}
	}
	// The last operation of a rate that goes down to nothing.
	all := dues(schedule(t, byFormula("10 * (t < 2)")), 30)
	if all[15] > 2200*time.Millisecond || all[29] != pacer.Never {
		t.Errorf("operation 15 is due after %s, and operation 29 after %s", all[15], all[29])
	}
}

func TestTheWarmupOfAFormulaIsItsFirstRate(t *testing.T) {
	for text, want := range map[string]int64{"100 + t": 100, "1000 * (t > 5)": 1000, "t / 2": 1} {
		warmup := pacer.Warmup(byFormula(text))
		if len(warmup.Stages) != 1 || warmup.Stages[0].From != want || warmup.Formula != "" {
			t.Errorf("%s: the warm-up is %+v, want a rate of %d", text, warmup, want)
		}
	}
}

func BenchmarkNextOfAFormula(b *testing.B) {
	cursor := schedule(b, byFormula("10000 + 5000 * sin(2 * pi * t / 60)")).Cursor(0, 1)
	b.ReportAllocs()
	for b.Loop() {
		cursor.Next()
	}
}
