package comparison_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

func finishedRun() *benchv1alpha1.BenchmarkRun {
	run := &benchv1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{
		Name:        "nightly-small-3-ab12",
		Labels:      map[string]string{suite.RepetitionLabel: "3", suite.SpecHashLabel: "ab12"},
		Annotations: map[string]string{suite.VariantAnnotation: "small"},
	}}
	run.Status = benchv1alpha1.BenchmarkRunStatus{
		Conditions: []metav1.Condition{{
			Type: benchv1alpha1.RunTrusted, Status: metav1.ConditionFalse, Reason: benchv1alpha1.ReasonNotSteady,
		}},
		Server: &benchv1alpha1.ServerFingerprint{
			Version: "6.0.5", CacheMebibytes: ptr.To[int64](256), StartupWarnings: []string{"swappiness"},
		},
		Fingerprint: &benchv1alpha1.RunFingerprint{Kernels: []string{"6.1.1", "6.1.0", "6.1.1"}},
		Result: &benchv1alpha1.Result{
			Load: &benchv1alpha1.LoadResult{DocumentsPerSecond: ptr.To[int64](25_000)},
			Steps: []benchv1alpha1.StepResult{{
				Name: "mixed", DurationMillis: ptr.To[int64](10_000),
				Operations: []benchv1alpha1.OperationResult{
					{
						Name: "find", Count: ptr.To[int64](9_996), Errors: ptr.To[int64](4),
						OperationsPerSecond: ptr.To[int64](1000), MeanMicros: ptr.To[int64](500), P50Micros: ptr.To[int64](450),
						P95Micros: ptr.To[int64](900), P99Micros: ptr.To[int64](1500), P999Micros: ptr.To[int64](4000),
						MaxMicros: ptr.To[int64](9000), FirstDocumentP50Micros: ptr.To[int64](440),
					},
					{
						Name: "fire", Count: ptr.To[int64](1_000), Errors: ptr.To[int64](0), Unacknowledged: ptr.To[int64](1_000),
						OperationsPerSecond: ptr.To[int64](100), MeanMicros: ptr.To[int64](0), P50Micros: ptr.To[int64](0),
						P95Micros: ptr.To[int64](0), P99Micros: ptr.To[int64](0), P999Micros: ptr.To[int64](0),
						MaxMicros: ptr.To[int64](0),
					},
				},
			}},
		},
	}
	return run
}

func TestSampleHasEveryFigureOfARun(t *testing.T) {
	of := func(metric benchv1alpha1.Metric, step, operation string, value float64) comparison.Figure {
		return comparison.Figure{Key: comparison.Key{Metric: metric, Step: step, Operation: operation}, Value: value}
	}
	want := comparison.Sample{
		Run: "nightly-small-3-ab12", Variant: "small", SpecHash: "ab12", Repetition: 3,
		Doubts: []string{benchv1alpha1.ReasonNotSteady},
		Figures: []comparison.Figure{
			of(benchv1alpha1.MetricLoadDocumentsPerSecond, "", "", 25_000),
			of(benchv1alpha1.MetricOperationsPerSecond, "mixed", "", 1099.6),
			of(benchv1alpha1.MetricErrorsPerMillion, "mixed", "", 364),
			of(benchv1alpha1.MetricOperationsPerSecond, "mixed", "find", 999.6),
			of(benchv1alpha1.MetricMeanMicros, "mixed", "find", 500),
			of(benchv1alpha1.MetricP50Micros, "mixed", "find", 450),
			of(benchv1alpha1.MetricP95Micros, "mixed", "find", 900),
			of(benchv1alpha1.MetricP99Micros, "mixed", "find", 1500),
			of(benchv1alpha1.MetricP999Micros, "mixed", "find", 4000),
			of(benchv1alpha1.MetricFirstDocumentP50Micros, "mixed", "find", 440),
			of(benchv1alpha1.MetricErrorsPerMillion, "mixed", "find", 400),
			// Unacknowledged writes have no latency.
			of(benchv1alpha1.MetricOperationsPerSecond, "mixed", "fire", 100),
			of(benchv1alpha1.MetricErrorsPerMillion, "mixed", "fire", 0),
		},
		Fingerprint: map[string]string{"version": "6.0.5", "cacheMebibytes": "256", "kernels": "6.1.0, 6.1.1"},
	}
	if diff := cmp.Diff(want, comparison.SampleOf(finishedRun())); diff != "" {
		t.Errorf("sample (-want +got):\n%s", diff)
	}
}

func TestTheThroughputOfUnacknowledgedWritesIsOverTheDrainToo(t *testing.T) {
	run := &benchv1alpha1.BenchmarkRun{}
	run.Status.Result = &benchv1alpha1.Result{Steps: []benchv1alpha1.StepResult{{
		Name: "silent", DurationMillis: ptr.To[int64](1_000), DrainMillis: ptr.To[int64](500),
		Operations: []benchv1alpha1.OperationResult{{
			Name: "insert", Count: ptr.To[int64](1_000), OperationsPerSecond: ptr.To[int64](667),
		}},
	}}}
	got := map[string]float64{}
	for _, figure := range comparison.SampleOf(run).Figures {
		if figure.Metric == benchv1alpha1.MetricOperationsPerSecond {
			got[figure.Operation] = figure.Value
		}
	}
	// Over window and drain, for the step as a whole as well.
	if diff := cmp.Diff(map[string]float64{"": 667, "insert": 667}, got); diff != "" {
		t.Errorf("operations per second (-want +got):\n%s", diff)
	}
}

func TestSizesOfAGrowthAreFiguresOfTheirCheckpoints(t *testing.T) {
	run := &benchv1alpha1.BenchmarkRun{}
	run.Spec.Workload.Growth = &benchv1alpha1.Growth{To: ptr.To[int64](300), Checkpoints: ptr.To[int32](3)}
	run.Status.Result = &benchv1alpha1.Result{Growth: []benchv1alpha1.GrowthResult{
		// What is found is more than what was loaded, when steps insert.
		{Documents: ptr.To[int64](100), StorageBytes: ptr.To[int64](4096), IndexBytes: ptr.To[int64](512)},
		{Documents: ptr.To[int64](217), StorageBytes: ptr.To[int64](9000), IndexBytes: ptr.To[int64](1024)},
	}}
	of := func(metric benchv1alpha1.Metric, step string, value float64) comparison.Figure {
		return comparison.Figure{Key: comparison.Key{Metric: metric, Step: step}, Value: value}
	}
	want := []comparison.Figure{
		of(benchv1alpha1.MetricStorageBytes, "size-100", 4096), of(benchv1alpha1.MetricIndexBytes, "size-100", 512),
		of(benchv1alpha1.MetricStorageBytes, "size-200", 9000), of(benchv1alpha1.MetricIndexBytes, "size-200", 1024),
	}
	if diff := cmp.Diff(want, comparison.SampleOf(run).Figures); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
}

func TestSampleOfWhatIsMissingHasNothing(t *testing.T) {
	tests := map[string]struct {
		change func(*benchv1alpha1.BenchmarkRun)
		check  func(comparison.Sample) bool
	}{
		"a run to be trusted has no doubts": {
			change: func(run *benchv1alpha1.BenchmarkRun) { run.Status.Conditions[0].Status = metav1.ConditionTrue },
			check:  func(sample comparison.Sample) bool { return sample.Doubts == nil },
		},
		"a dataset that lay there already was not loaded": {
			change: func(run *benchv1alpha1.BenchmarkRun) { run.Status.Result.Load = nil },
			check: func(sample comparison.Sample) bool {
				return sample.Figures[0].Metric == benchv1alpha1.MetricOperationsPerSecond
			},
		},
		"a run without a result has no figures": {
			change: func(run *benchv1alpha1.BenchmarkRun) { run.Status.Result = nil },
			check:  func(sample comparison.Sample) bool { return len(sample.Figures) == 0 && sample.Run != "" },
		},
		"a run that was not looked at has no fingerprint": {
			change: func(run *benchv1alpha1.BenchmarkRun) {
				run.Status.Server, run.Status.Fingerprint = nil, nil
			},
			check: func(sample comparison.Sample) bool { return len(sample.Fingerprint) == 0 },
		},
		"a run that no suite made has no repetition": {
			change: func(run *benchv1alpha1.BenchmarkRun) { run.Labels = nil },
			check:  func(sample comparison.Sample) bool { return sample.Repetition == 0 && len(sample.Figures) > 0 },
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			run := finishedRun()
			tc.change(run)
			if sample := comparison.SampleOf(run); !tc.check(sample) {
				t.Errorf("got %+v", sample)
			}
		})
	}
}

// TestSlowRatesKeepTheirFractions has steps of a rate that is rounded to the same whole number, and differ by half.
func TestSlowRatesKeepTheirFractions(t *testing.T) {
	for name, tc := range map[string]struct {
		count, stragglers, stated int64
		want                      float64
	}{
		"one and a half":                   {count: 90, stated: 2, want: 1.5},
		"without what came after its end":  {count: 91, stragglers: 1, stated: 2, want: 1.5},
		"less than one":                    {count: 31, stated: 1, want: 0.517},
		"unacknowledged writes waited for": {count: 90_000, stated: 1200, want: 1200},
	} {
		t.Run(name, func(t *testing.T) {
			run := &benchv1alpha1.BenchmarkRun{}
			run.Status.Result = &benchv1alpha1.Result{Steps: []benchv1alpha1.StepResult{{
				Name: "read", DurationMillis: new(int64(60_000)), OperationsPerSecond: &tc.stated,
				Operations: []benchv1alpha1.OperationResult{{
					Name: "find", Count: &tc.count, Stragglers: &tc.stragglers, OperationsPerSecond: &tc.stated,
				}},
			}}}
			sample := comparison.SampleOf(run)
			for _, operation := range []string{"", "find"} {
				key := comparison.Key{Metric: benchv1alpha1.MetricOperationsPerSecond, Step: "read", Operation: operation}
				if got := sample.Value(key); got == nil || *got != tc.want {
					t.Errorf("the rate of %q is %v, want %v", operation, got, tc.want)
				}
			}
		})
	}
}
