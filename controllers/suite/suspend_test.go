package suite_test

import (
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/testing/suitetest"
)

// TestARunThatBeginsAsItsSuiteIsSuspendedGoesOn has a run's turn come between the look at it and its suspension, which
// the API server then refuses.
func TestARunThatBeginsAsItsSuiteIsSuspendedGoesOn(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.settle()
	run := p.active()[0]
	p.edit(func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Suspend = new(true) })
	attempts := 0
	p.writes.Refuse = func(write string) error {
		if !strings.HasPrefix(write, "apply BenchmarkRun") {
			return nil
		}
		if attempts++; attempts > 1 {
			return nil
		}
		run.Status = suitetest.Measuring(p.now)
		return environment.Client.Status().Update(t.Context(), run)
	}
	p.idle()
	p.want(benchv1alpha1.SuiteComplete, "False Suspended")
	if now := p.active()[0]; attempts != 1 || ptr.Deref(now.Spec.Suspend, false) || len(now.Annotations) != 1 {
		t.Errorf("after %d attempts to suspend it the run has suspend %v and annotations %v", attempts, now.Spec.Suspend,
			now.Annotations)
	}
	p.end(run, 10_000)
	p.edit(func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Suspend = nil })
	p.toEnd(steady)
	p.want(benchv1alpha1.SuiteComplete, "True AllSucceeded")
}
