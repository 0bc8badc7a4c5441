package v1alpha1_test

import (
	"testing"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
)

func TestMostSeconds(t *testing.T) {
	tests := map[string]struct {
		step planv1alpha1.Step
		want int64
	}{
		"a closed loop takes its warm-up and its window": {
			step: planv1alpha1.Step{WarmupSeconds: 5, DurationSeconds: 60}, want: 65,
		},
		"an open loop has time to work off its queue": {
			step: planv1alpha1.Step{DurationSeconds: 60, Arrival: &planv1alpha1.Arrival{}}, want: 90,
		},
		"a search has its two ends, the bisection twice, and four confirmations": {
			// From 1000 to 16000 there are 57 steps of 5 %, which six bisections make one.
			step: planv1alpha1.Step{WarmupSeconds: 5, DurationSeconds: 60, Search: &planv1alpha1.Search{
				Lowest: 1000, Highest: 16000, TrialSeconds: 10, TolerancePercent: 5,
			}},
			want: 5 + (2+2*6)*13 + 4*63,
		},
		"a search that makes no sense does not panic": {
			step: planv1alpha1.Step{Search: &planv1alpha1.Search{TrialSeconds: 1}}, want: 2*4 + 4*3,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tc.step.MostSeconds(); got != tc.want {
				t.Errorf("got %d, want %d", got, tc.want)
			}
		})
	}
}

func TestStepsOfOnePodAlone(t *testing.T) {
	for kind, want := range map[planv1alpha1.StepKind]bool{
		planv1alpha1.StepPrepare: true, planv1alpha1.StepIndex: true, planv1alpha1.StepVerify: true,
		planv1alpha1.StepLoad: false, planv1alpha1.StepMeasure: false,
	} {
		if got := kind.Alone(); got != want {
			t.Errorf("%s alone is %t", kind, got)
		}
	}
}
