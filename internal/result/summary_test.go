package result_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

func TestSummarise(t *testing.T) {
	report := podReport(t, 100, 100, 100, 500)
	report.Steps[1].Operations = append(report.Steps[1].Operations, reportv1alpha1.Operation{
		Name: "write", Kind: "UpdateOne", Count: 1, Errors: 2, ServiceTime: histogram(t, 2000),
	})
	got, err := result.Summarise(report)
	if err != nil {
		t.Fatal(err)
	}
	want := reportv1alpha1.Summary{
		Load: &reportv1alpha1.LoadSummary{Documents: 1000, DurationMillis: 2000, DocumentsPerSecond: 500, Threads: 2},
		Steps: []reportv1alpha1.StepSummary{{
			Name:           "mixed",
			DurationMillis: 10_000,
			Threads:        4,
			// Four operations in the first of ten seconds.
			DispersionMillis: 3600,
			NotChecked:       "10.0 s were measured, and it takes 30.0 s",
			Operations: []reportv1alpha1.OperationSummary{
				{
					Name: "read", Kind: "FindOne", Count: 4, OperationsPerSecond: 0,
					TimesSummary: reportv1alpha1.TimesSummary{
						Timed: 4, MeanMicros: 200, P50Micros: 100, P95Micros: 500, P99Micros: 500, P999Micros: 500,
						P9999Micros: 500, MaxMicros: 500, StdDevMicros: 173,
					},
				},
				{
					Name: "write", Kind: "UpdateOne", Count: 1, Errors: 2, OperationsPerSecond: 0,
					TimesSummary: reportv1alpha1.TimesSummary{
						Timed: 1, MeanMicros: 2000, P50Micros: 2000, P95Micros: 2000, P99Micros: 2000, P999Micros: 2000,
						P9999Micros: 2000, MaxMicros: 2000,
					},
				},
			},
			Overall: reportv1alpha1.OperationSummary{
				Count: 5, Errors: 2, OperationsPerSecond: 1,
				TimesSummary: reportv1alpha1.TimesSummary{
					Timed: 5, MeanMicros: 560, P50Micros: 100, P95Micros: 2000, P99Micros: 2000, P999Micros: 2000,
					P9999Micros: 2000, MaxMicros: 2000, StdDevMicros: 736,
				},
			},
		}},
	}
	got.Steps[0].LimitedBy = nil // Has tests of its own.
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
}

func TestSummariseOfNothing(t *testing.T) {
	report := podReport(t)
	report.Steps[0].Documents = 0
	report.Steps[1].Operations[0].ServiceTime = ""
	report.Steps[1].End = report.Steps[1].MeasureStart
	got, err := result.Summarise(report)
	if err != nil {
		t.Fatal(err)
	}
	if got.Load != nil {
		t.Errorf("got %+v for a load of nothing", got.Load)
	}
	if diff := cmp.Diff(reportv1alpha1.OperationSummary{}, got.Steps[0].Overall); diff != "" {
		t.Errorf("overall (-want +got):\n%s", diff)
	}
}

func TestDurationOfAStepLeavesOutTheWarmUp(t *testing.T) {
	if got := podReport(t).Steps[1].Duration(); got != 10*time.Second {
		t.Errorf("got %s, want 10s", got)
	}
}
