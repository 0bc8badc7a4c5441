package picture

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/plot/plotter"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

func TestLinesOfARunAreItsIntervals(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	bucket := reportv1.IntervalBucket(1000)
	times := make([]int64, bucket+1)
	times[bucket] = 10
	report := reportv1.Report{Steps: []reportv1.Step{
		{Name: "load", Kind: "Load", Start: start, MeasureStart: start, End: start.Add(time.Second), IntervalMillis: 1000},
		{
			Name: "mixed", Kind: "Measure", Start: start.Add(time.Second), MeasureStart: start.Add(3 * time.Second),
			// Two whole intervals, and a piece.
			End: start.Add(8 * time.Second), IntervalMillis: 2000,
			Operations: []reportv1.Operation{
				{Name: "read", Intervals: []int64{10, 20, 7}, IntervalTimes: [][]int64{times, times, times}},
				{Name: "update", Intervals: []int64{4}},
			},
		},
	}}
	want := []line{
		{"all operations", plotter.XYs{{X: 5, Y: 7}, {X: 7, Y: 10}}},
		{"read", plotter.XYs{{X: 5, Y: 5}, {X: 7, Y: 10}}},
		{"update", plotter.XYs{{X: 5, Y: 2}, {X: 7, Y: 0}}},
	}
	rates, latencies, err := runLines(report)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, rates, cmp.AllowUnexported(line{})); diff != "" {
		t.Errorf("rates: -want +got:\n%s", diff)
	}
	middle := float64(result.IntervalQuantile(times, 0.5))
	for i, name := range []string{"p50", "p99"} {
		want := line{name, plotter.XYs{{X: 5, Y: middle}, {X: 7, Y: middle}}}
		if diff := cmp.Diff(want, latencies[i], cmp.AllowUnexported(line{})); diff != "" {
			t.Errorf("latencies: -want +got:\n%s", diff)
		}
	}
}
