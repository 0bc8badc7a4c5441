package comparison_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

var update = flag.Bool("update", false, "write the golden files")

// twoVariants is a result with what the tables have to bear: a step and operations, a loading, doubts, a field of the
// fingerprint that only one side has, and a value with a comma.
func twoVariants() comparison.Result {
	result := comparison.Result{Suite: "nightly", Revision: "5d8f"}
	for v, name := range []string{"small", "large-cache"} {
		side := comparison.Side{Name: name}
		for i := range 6 {
			grown := float64(100 + 10*v + i)
			sample := comparison.Sample{
				Run: fmt.Sprintf("nightly-%s-%d", name, i+1), Variant: name, Repetition: i + 1,
				Figures: []comparison.Figure{
					{Key: comparison.Key{Metric: benchv1alpha1.MetricLoadDocumentsPerSecond}, Value: 20_000 + grown},
					{Key: readRate, Value: 10 * grown},
					{Key: readError, Value: float64(i)},
					{Key: keyOf(benchv1alpha1.MetricMeanMicros), Value: 7 * grown},
					{Key: keyOf(benchv1alpha1.MetricP50Micros), Value: 6 * grown},
					{Key: keyOf(benchv1alpha1.MetricP95Micros), Value: 9 * grown},
					{Key: readP99, Value: 15 * grown},
					{Key: keyOf(benchv1alpha1.MetricP999Micros), Value: 30 * grown},
					{Key: keyOf(benchv1alpha1.MetricFirstDocumentP50Micros), Value: 5 * grown},
				},
				Fingerprint: map[string]string{"version": "6.0.5", "cpuModels": "Some CPU, 2 cores"},
			}
			if v == 1 {
				sample.Fingerprint["gitVersion"] = "c9a99c1"
			}
			if i == 5 {
				sample.Doubts = []string{benchv1alpha1.ReasonNotSteady}
			}
			side.Samples = append(side.Samples, sample)
		}
		result.Sides = append(result.Sides, side)
	}
	return result
}

func keyOf(metric benchv1alpha1.Metric) comparison.Key {
	return comparison.Key{Metric: metric, Step: "read", Operation: "find"}
}

// steppedHistory has a latency that becomes longer with the eleventh of twenty revisions, a throughput that does not
// change, and from the third revision on a further figure and a further variant.
func steppedHistory() comparison.History {
	var history comparison.History
	start := time.Date(2026, time.November, 1, 3, 0, 0, 0, time.UTC)
	for i := range 20 {
		latency := float64(1500 + 7*(i%3))
		if i >= 10 {
			latency += 300
		}
		point := comparison.Point{Revision: fmt.Sprintf("r%02d", i), Time: start.AddDate(0, 0, i)}
		point.Medians = append(point.Medians,
			comparison.Median{Variant: "small", Figure: comparison.Figure{Key: readRate, Value: float64(1000 + 3*(i%4))}},
			comparison.Median{Variant: "small", Figure: comparison.Figure{Key: readP99, Value: latency}})
		if i >= 2 {
			// A variant that was added later, and a figure that only it and a part of the other's revisions have.
			point.Medians = append(point.Medians,
				comparison.Median{Variant: "small", Figure: comparison.Figure{Key: readError, Value: 1}},
				comparison.Median{Variant: "large", Figure: comparison.Figure{Key: readError, Value: 2}},
				comparison.Median{Variant: "large", Figure: comparison.Figure{Key: readRate, Value: float64(2000 + i%3)}})
		}
		history.Points = append(history.Points, point)
	}
	return history
}

func TestTablesForOtherTools(t *testing.T) {
	result, history := twoVariants(), steppedHistory()
	result.Lines = comparison.Compare(
		[]comparison.Pair{{Baseline: result.Sides[0], Candidate: result.Sides[1]}},
		comparison.Settings{
			IgnoreDifferences: []string{"gitVersion"}, AllowDoubts: []string{benchv1alpha1.ReasonNotSteady},
			Thresholds: append(spec.Thresholds(nil),
				benchv1alpha1.Threshold{Metric: benchv1alpha1.MetricLoadDocumentsPerSecond, Step: new("none")}),
		},
	)
	tests := map[string]struct {
		golden string
		write  func(io.Writer) error
	}{
		"the samples are a table": {
			golden: "samples.csv",
			write:  func(w io.Writer) error { return comparison.WriteCSV(w, result) },
		},
		"the comparison is a table": {
			golden: "comparison.csv",
			write:  func(w io.Writer) error { return comparison.WriteComparison(w, result) },
		},
		"the samples are benchmarks": {
			golden: "benchstat.txt",
			write:  func(w io.Writer) error { return comparison.WriteBenchstat(w, result) },
		},
		"the history is a table without gaps": {
			golden: "otava.csv",
			write:  func(w io.Writer) error { return comparison.WriteOtava(w, history) },
		},
		"the history's configuration names what the table has": {
			golden: "otava.yaml",
			write: func(w io.Writer) error {
				return comparison.WriteOtavaConfig(w, history, comparison.Settings{}, "otava.csv")
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			compareWithGolden(t, filepath.Join("testdata", tc.golden), tc.write)
			if err := tc.write(brokenWriter{}); !errors.Is(err, errBroken) {
				t.Errorf("writing to what cannot be written gives %v", err)
			}
		})
	}
}

func compareWithGolden(t *testing.T, golden string, write func(io.Writer) error) {
	t.Helper()
	var got bytes.Buffer
	if err := write(&got); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", golden, diff)
	}
}

var errBroken = errors.New("broken")

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }
