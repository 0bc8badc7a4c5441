package suite_test

import (
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/suite"
	"github.com/mongobench/mongobench-operator/internal/testing/suitetest"
)

func TestRepetitionsThatCanFindNothingAreToldBeforeTheFirstRun(t *testing.T) {
	value := int64(1)
	for name, tc := range map[string]struct {
		repetitions int32
		baseline    *benchv1alpha1.Baseline
		want        string
	}{
		"three of two lines": {
			3, &benchv1alpha1.Baseline{Variant: new("few")},
			"3 repetitions can find nothing at 95 % confidence over 2 compared lines: that takes 5 of each variant",
		},
		"five are enough": {5, &benchv1alpha1.Baseline{Variant: new("few")}, ""},
		"both variants against the revision before": {
			4, nil, "4 repetitions can find nothing at 95 % confidence over 4 compared lines: that takes 5 of each variant",
		},
		"a fixed figure takes more": {
			6, &benchv1alpha1.Baseline{Figures: []benchv1alpha1.Figure{
				{Metric: benchv1alpha1.MetricOperationsPerSecond, Value: &value},
			}},
			"6 repetitions can find nothing at 95 % confidence over 2 compared lines: that takes 7 of each variant",
		},
	} {
		t.Run(name, func(t *testing.T) {
			made := suitetest.Suite("bench", "s")
			made.Spec.Repetitions, made.Spec.Baseline, made.Spec.Thresholds = &tc.repetitions, tc.baseline, nil
			plan, errs := suite.Compile(made)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			if got := suite.Warning(made, plan); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
