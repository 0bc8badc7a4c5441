package result

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// largeReport has random counts and times, which compress badly.
func largeReport(t *testing.T, operations, intervals, times int) reportv1.Report {
	t.Helper()
	random := rand.New(rand.NewPCG(5, 6))
	step := reportv1.Step{
		Name: "long", Kind: reportv1.KindMeasure, IntervalMillis: 1000, End: time.Unix(int64(intervals), 0),
	}
	for i := range operations {
		operation := reportv1.Operation{Name: fmt.Sprintf("operation-%d", i), Kind: "FindOne"}
		for range intervals {
			count := random.Int64N(1_000_000)
			operation.Intervals = append(operation.Intervals, count)
			operation.CarriedOver += count
		}
		// As many times as operations would take long to record: the intervals are mostly of others.
		operation.CarriedOver = max(0, operation.CarriedOver-int64(times))
		histogram := reportv1.NewHistogram()
		for range times {
			operation.Count++
			if err := histogram.RecordValue(1 + random.Int64N(1_000_000)); err != nil {
				t.Fatal(err)
			}
		}
		var err error
		if operation.ServiceTime, err = reportv1.EncodeHistogram(histogram); err != nil {
			t.Fatal(err)
		}
		step.Operations = append(step.Operations, operation)
	}
	return reportv1.Report{Version: reportv1.Version, Steps: []reportv1.Step{step}}
}

func TestAReportThatIsTooLargeGetsLongerIntervals(t *testing.T) {
	report := largeReport(t, 4, 20_000, 100)
	encoded, err := EncodeWithin(report, 100<<10)
	if err != nil {
		t.Fatal(err)
	}
	if len(encoded) > 100<<10 {
		t.Fatalf("%d bytes, and %d are allowed", len(encoded), 100<<10)
	}
	got, err := reportv1.Decode(encoded)
	if err != nil {
		t.Fatal(err)
	}
	step := got.Steps[0]
	if step.IntervalMillis != 4000 {
		t.Errorf("intervals of %d ms, want 4000", step.IntervalMillis)
	}
	for i, operation := range step.Operations {
		if want, sum := total(report.Steps[0].Operations[i].Intervals), total(operation.Intervals); sum != want {
			t.Errorf("intervals of %s sum up to %d, want %d", operation.Name, sum, want)
		}
		if operation.ServiceTime != report.Steps[0].Operations[i].ServiceTime {
			t.Errorf("the histogram of %s changed, and longer intervals were enough", operation.Name)
		}
	}
	if report.Steps[0].IntervalMillis != 1000 {
		t.Error("the report that was given changed")
	}
}

func total(counts []int64) int64 {
	var sum int64
	for _, count := range counts {
		sum += count
	}
	return sum
}

func TestAReportOfManyOperationsGetsCoarserHistograms(t *testing.T) {
	report := largeReport(t, 100, 0, 3000)
	const limit = 150 << 10
	encoded, err := EncodeWithin(report, limit)
	if err != nil {
		t.Fatal(err)
	}
	got, err := reportv1.Decode(encoded)
	if err != nil {
		t.Fatal(err)
	}
	for i, operation := range got.Steps[0].Operations {
		coarse, err := reportv1.DecodeHistogram(operation.ServiceTime)
		if err != nil {
			t.Fatal(err)
		}
		fine, err := reportv1.DecodeHistogram(report.Steps[0].Operations[i].ServiceTime)
		if err != nil {
			t.Fatal(err)
		}
		if coarse.TotalCount() != operation.Count {
			t.Errorf("%s: %d times, want %d", operation.Name, coarse.TotalCount(), operation.Count)
		}
		exact, rough := fine.ValueAtQuantile(99), coarse.ValueAtQuantile(99)
		if diff := max(exact-rough, rough-exact); diff*50 > exact {
			t.Errorf("%s: p99 is %d, want %d within 2 %%", operation.Name, rough, exact)
		}
	}
	if _, err := Doubts(got); err != nil {
		t.Errorf("coarser histograms no longer agree with the counts: %v", err)
	}
}

func TestAReportThatCannotBeMadeSmallEnoughIsAnError(t *testing.T) {
	if _, err := EncodeWithin(largeReport(t, 2, 10, 10), 10); err == nil {
		t.Error("got no error")
	}
}
