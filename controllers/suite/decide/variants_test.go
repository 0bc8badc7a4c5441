package decide

import (
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
)

// TestAVariantShowsOneStepOfAllItsRuns: also of one in which another step was the fastest, and of one that is gone.
func TestAVariantShowsOneStepOfAllItsRuns(t *testing.T) {
	figure := func(step, operation string, value int64) comparison.Figure {
		key := comparison.Key{Metric: benchv1alpha1.MetricOperationsPerSecond, Step: step, Operation: operation}
		return comparison.Figure{Key: key, Value: float64(value)}
	}
	run := func(fastest string, read, write int64) *benchv1alpha1.BenchmarkRun {
		step := func(name string, rate int64) benchv1alpha1.StepResult {
			return benchv1alpha1.StepResult{Name: name, OperationsPerSecond: &rate, P99Micros: new(1_000_000 / rate)}
		}
		shown := map[string]int64{"read": read, "write": write}[fastest]
		return &benchv1alpha1.BenchmarkRun{Status: benchv1alpha1.BenchmarkRunStatus{
			Summary: &benchv1alpha1.RunSummary{
				Step: fastest, OperationsPerSecond: &shown, P99Micros: new(1_000_000 / shown),
			},
			Result: &benchv1alpha1.Result{Steps: []benchv1alpha1.StepResult{step("read", read), step("write", write)}},
		}}
	}
	sample := &comparison.Sample{Figures: []comparison.Figure{
		figure("read", "", 400), figure("read", "find", 9000), figure("write", "", 500),
	}}
	omitted := run("read", 800, 200)
	omitted.Status.Result.Steps = omitted.Status.Result.Steps[1:]
	for name, tc := range map[string]struct {
		slot                slot
		fastest             string
		throughput, latency int64
	}{
		"the fastest one":                           {slot{run: run("read", 1000, 100)}, "read", 1000, 1000},
		"one that is not the fastest here":          {slot{run: run("write", 500, 600)}, "write", 500, 2000},
		"one that the status left out for its size": {slot{run: omitted}, "read", 800, 1250},
		"of a run of which a sample is kept":        {slot{sample: sample}, "write", 400, 0},
		"of a run that has no summary": {slot{run: &benchv1alpha1.BenchmarkRun{
			Status: benchv1alpha1.BenchmarkRunStatus{Result: &benchv1alpha1.Result{}},
		}}, "", 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := fastest(tc.slot); got != tc.fastest {
				t.Errorf("the fastest step is %q, want %q", got, tc.fastest)
			}
			throughput, latency := figuresOf(tc.slot, "read")
			if got := value(throughput); got != tc.throughput {
				t.Errorf("the throughput of read is %d, want %d", got, tc.throughput)
			}
			if got := value(latency); got != tc.latency {
				t.Errorf("the p99 of read is %d, want %d", got, tc.latency)
			}
		})
	}
}

// value is 0 of a figure that is not there.
func value(figure *int64) int64 {
	if figure == nil {
		return 0
	}
	return *figure
}
