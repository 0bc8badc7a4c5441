package result

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
)

// openLoops is a report of open loops whose times are log-normal, each operation's with another middle.
func openLoops(t *testing.T, steps, operations int) reportv1.Report {
	t.Helper()
	random := rand.New(rand.NewPCG(11, 12))
	report := reportv1.Report{Version: reportv1.Version}
	for step := range steps {
		measured := reportv1.Step{Name: fmt.Sprintf("step-%d", step), Kind: reportv1.KindMeasure, WindowMillis: 10_000}
		for i := range operations {
			times := reportv1.NewHistogram()
			middle := math.Log(200 * float64(1+i+step))
			for range 2000 {
				if err := times.RecordValue(int64(math.Exp(middle + 0.8*random.NormFloat64()))); err != nil {
					t.Fatal(err)
				}
			}
			encoded, err := reportv1.EncodeHistogram(times)
			if err != nil {
				t.Fatal(err)
			}
			measured.Operations = append(measured.Operations, reportv1.Operation{
				Name: fmt.Sprintf("operation-%d", i), Count: 2000, ServiceTime: encoded, ResponseTime: encoded,
			})
		}
		report.Steps = append(report.Steps, measured)
	}
	return report
}

// TestAReportThatIsTooLargeKeepsItsPercentilesOrIsDoubted: two digits are within 0.5 %, and less than that is said.
func TestAReportThatIsTooLargeKeepsItsPercentilesOrIsDoubted(t *testing.T) {
	exact := openLoops(t, 4, 4)
	whole, err := reportv1.Encode(exact)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, share := range []float64{1, 0.7, 0.45} {
		encoded, err := EncodeWithin(exact, int(share*float64(len(whole))))
		if err != nil {
			t.Fatal(err)
		}
		coarse, err := reportv1.Decode(encoded)
		if err != nil {
			t.Fatal(err)
		}
		doubts, err := Doubts(coarse)
		if err != nil {
			t.Fatal(err)
		}
		digits := coarse.Steps[0].Digits
		seen[digits] = true
		if doubted := len(doubts) > 0; doubted != (digits == 1) {
			t.Errorf("with %d digits the doubts are %+v", digits, doubts)
		}
		allowed := map[int]float64{0: 0, 2: 0.005, 1: 0.04}[digits]
		if worst := worstQuantile(t, exact, coarse); worst > allowed {
			t.Errorf("with %d digits a percentile is off by %.2f %%, and %.2f %% are allowed", digits, 100*worst, 100*allowed)
		}
	}
	if !seen[0] || !seen[2] || !seen[1] {
		t.Errorf("the sizes were to give three digits, two and one: %v", seen)
	}
}

// worstQuantile is by how much a percentile of any operation differs at most, as a share of what it is.
func worstQuantile(t *testing.T, exact, coarse reportv1.Report) float64 {
	t.Helper()
	want, err := Summarise(exact)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Summarise(coarse)
	if err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	for i := range want.Steps {
		for k := range want.Steps[i].Operations {
			for _, percentile := range figure.Percentiles {
				w := *percentile.Of(&want.Steps[i].Operations[k].TimesSummary)
				g := *percentile.Of(&got.Steps[i].Operations[k].TimesSummary)
				// A microsecond is what a report can tell.
				if off := math.Abs(float64(w-g)) - 1; w > 0 && off/float64(w) > worst {
					worst = off / float64(w)
				}
			}
		}
	}
	return worst
}
