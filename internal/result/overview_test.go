package result

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

func TestOverviewIsOfAllSteps(t *testing.T) {
	step := func(name string, rate, count, errors, p99 int64) reportv1alpha1.StepSummary {
		return reportv1alpha1.StepSummary{Name: name, Overall: reportv1alpha1.OperationSummary{
			Count: count, Errors: errors, OperationsPerSecond: rate,
			TimesSummary: reportv1alpha1.TimesSummary{Timed: count + errors, P99Micros: p99},
		}}
	}
	figures := func(name string, rate, timed, p99 int64) reportv1alpha1.StepFigures {
		return reportv1alpha1.StepFigures{
			Step: name, OperationsPerSecond: rate,
			TimesSummary: reportv1alpha1.TimesSummary{Timed: timed, P99Micros: p99},
		}
	}
	for name, tc := range map[string]struct {
		steps []reportv1alpha1.StepSummary
		want  reportv1alpha1.Overview
	}{
		"one step is both": {
			steps: []reportv1alpha1.StepSummary{step("a", 100, 2000, 1, 50)},
			want: reportv1alpha1.Overview{
				Steps: 1, Operations: 2000, Errors: 1, Fastest: figures("a", 100, 2001, 50),
				Slowest: new(figures("a", 100, 2001, 50)),
			},
		},
		"rates are not added up, and percentiles not averaged": {
			steps: []reportv1alpha1.StepSummary{
				step("few", 100, 2000, 0, 50), step("best", 300, 6000, 2, 80), step("many", 250, 5000, 3, 900),
			},
			want: reportv1alpha1.Overview{
				Steps: 3, Operations: 13_000, Errors: 5, Fastest: figures("best", 300, 6002, 80),
				Slowest: new(figures("many", 250, 5003, 900)),
			},
		},
		"of equals the first": {
			steps: []reportv1alpha1.StepSummary{step("a", 100, 2000, 0, 50), step("b", 100, 2000, 0, 50)},
			want: reportv1alpha1.Overview{
				Steps: 2, Operations: 4000, Fastest: figures("a", 100, 2000, 50), Slowest: new(figures("a", 100, 2000, 50)),
			},
		},
		"a p99 of too few operations is none": {
			steps: []reportv1alpha1.StepSummary{step("a", 100, 2000, 0, 50), step("b", 9, 999, 0, 5000)},
			want: reportv1alpha1.Overview{
				Steps: 2, Operations: 2999, Fastest: figures("a", 100, 2000, 50), Slowest: new(figures("a", 100, 2000, 50)),
			},
		},
		"nothing succeeded": {
			steps: []reportv1alpha1.StepSummary{step("a", 0, 0, 7, 50), step("b", 0, 0, 0, 0)},
			want:  reportv1alpha1.Overview{Steps: 2, Errors: 7, Fastest: figures("a", 0, 7, 50)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, overview(reportv1alpha1.Summary{Steps: tc.steps})); diff != "" {
				t.Errorf("overview (-want +got):\n%s", diff)
			}
		})
	}
}
