package v1alpha1_test

import (
	"testing"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
)

func TestStepsOfOnePodAlone(t *testing.T) {
	for kind, want := range map[planv1alpha1.StepKind]bool{
		planv1alpha1.StepPrepare: true, planv1alpha1.StepIndex: true, planv1alpha1.StepVerify: true,
		planv1alpha1.StepBalance: true, planv1alpha1.StepSize: true, planv1alpha1.StepLoad: false,
		planv1alpha1.StepMeasure: false,
	} {
		if got := kind.Alone(); got != want {
			t.Errorf("%s alone is %t", kind, got)
		}
	}
}
