package result_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// drained is a step of ten seconds that ends some time after others, with reads and unacknowledged writes.
func drained(later time.Duration, drain *reportv1alpha1.Drain) reportv1alpha1.Step {
	start := time.Date(2026, time.January, 2, 3, 4, 5, 0, time.UTC)
	return reportv1alpha1.Step{
		Name: "mixed", Kind: "Measure", Start: start, MeasureStart: start, End: start.Add(10*time.Second + later),
		IntervalMillis: 1000, Drain: drain,
		Operations: []reportv1alpha1.Operation{
			{Name: "stream", Kind: "ChangeStream", Count: 1000, Unacknowledged: 1000},
			{Name: "log", Kind: "InsertOne", Count: 3000, Unacknowledged: 3000},
		},
	}
}

func TestThroughputOfUnacknowledgedWritesIsOverTheDrainToo(t *testing.T) {
	drain := &reportv1alpha1.Drain{
		Operations: []string{"log"}, Micros: 5_000_000, Counted: true, Sent: 3000, Arrived: 3000,
	}
	for name, tc := range map[string]struct {
		drain *reportv1alpha1.Drain
		want  []int64
	}{
		"with a drain":    {drain, []int64{100, 200, 300}},
		"without a drain": {nil, []int64{100, 300, 400}},
	} {
		t.Run(name, func(t *testing.T) {
			summary, err := result.Summarise(reportv1alpha1.Report{Steps: []reportv1alpha1.Step{drained(0, tc.drain)}})
			if err != nil {
				t.Fatal(err)
			}
			step := summary.Steps[0]
			got := []int64{
				step.Operations[0].OperationsPerSecond, step.Operations[1].OperationsPerSecond, step.Overall.OperationsPerSecond,
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("operations per second of the stream, the writes and all (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.drain, step.Drain); diff != "" || step.DurationMillis != 10_000 {
				t.Errorf("a window of %d ms, drain (-want +got):\n%s", step.DurationMillis, diff)
			}
		})
	}
}

func TestADrainOfSeveralPodsEndsWithTheLast(t *testing.T) {
	log := []string{"log"}
	reports := []reportv1alpha1.Report{
		{Pods: 1, Steps: []reportv1alpha1.Step{drained(0, &reportv1alpha1.Drain{Operations: log, Micros: 3_500_000})}},
		{Pods: 1, Steps: []reportv1alpha1.Step{drained(2*time.Second, &reportv1alpha1.Drain{
			Operations: log, Micros: 1_000_000, Failed: "it broke",
		})}},
		{Pods: 1, Steps: []reportv1alpha1.Step{drained(0, nil)}},
	}
	merged, err := result.Merge(reports)
	if err != nil {
		t.Fatal(err)
	}
	want := &reportv1alpha1.Drain{Operations: log, Micros: 1_500_000, Failed: "it broke"}
	if diff := cmp.Diff(want, merged.Steps[0].Drain); diff != "" {
		t.Errorf("drain (-want +got):\n%s", diff)
	}
}
