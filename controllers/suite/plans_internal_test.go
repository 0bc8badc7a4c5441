package suite

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/testing/suitetest"
)

func (p *plans) count() (count int) {
	p.all.Range(func(any, any) bool { count++; return true })
	return count
}

func TestPlansAreHeldOfSuitesThatAreUnderWay(t *testing.T) {
	var held plans
	declared := suitetest.Suite("bench", "s")
	complete := func(status metav1.ConditionStatus, generation int64) {
		declared.Status.Conditions = []metav1.Condition{
			{Type: benchv1alpha1.SuiteComplete, Status: status, ObservedGeneration: generation},
		}
	}
	for _, tc := range []struct {
		name       string
		status     metav1.ConditionStatus
		generation int64
		want       int
	}{
		{"its runs go on", metav1.ConditionFalse, declared.Generation, 1},
		{"it is complete", metav1.ConditionTrue, declared.Generation, 0},
		{"it was complete before it was changed", metav1.ConditionTrue, declared.Generation - 1, 1},
	} {
		plan, invalid := held.of(declared)
		if len(plan.Slots) != 4 || len(invalid) > 0 {
			t.Fatalf("%s: %d runs are planned, %v", tc.name, len(plan.Slots), invalid)
		}
		complete(tc.status, tc.generation)
		held.keep(declared)
		if got := held.count(); got != tc.want {
			t.Errorf("%s: %d plans are held, want %d", tc.name, got, tc.want)
		}
	}
	held.of(declared)
	held.forget(client.ObjectKeyFromObject(declared))
	if got := held.count(); got != 0 {
		t.Errorf("it is gone: %d plans are held", got)
	}
}
