package decide

import (
	"testing"

	policyv1 "k8s.io/api/policy/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
)

func countBudgets(objects []desired.Object) int {
	count := 0
	for _, object := range objects {
		if _, ok := object.(*policyv1.PodDisruptionBudget); ok {
			count++
		}
	}
	return count
}

// TestWhenPodsMayNotBeEvicted counts the disruption budgets of a run.
func TestWhenPodsMayNotBeEvicted(t *testing.T) {
	for name, tc := range map[string]struct {
		play func(*world)
		want int
	}{
		"before there are load pods":  {func(*world) {}, 0},
		"while the load pods start":   {(*world).toJob, 2},
		"while the dataset is loaded": {(*world).toLoading, 2},
		"while it is measured":        {(*world).toMeasuring, 2},
		"while Kueue holds the Job":   {func(w *world) { w.toJob(); w.Job.Spec.Suspend = new(true) }, 0},
		"of a target of others":       {external, 1},
		"of both sides of a duet":     {func(w *world) { inTurns(w); w.toJob() }, 3},
		"after the end":               {func(w *world) { w.toVerdict(); w.settle() }, 0},
		"after the end, with pods that are kept": {func(w *world) {
			w.Run.Spec.CleanupPolicy = new(benchv1alpha1.CleanupKeep)
			w.toVerdict()
			w.settle()
			if w.Job == nil {
				w.t.Error("nothing is kept")
			}
		}, 0},
		"of a run that starts over": {func(w *world) {
			w.Run.Spec.RetryLimit = new(int32(1))
			w.toMeasuring()
			w.evict()
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			tc.play(w)
			w.settle()
			if got := countBudgets(w.Owned); got != tc.want {
				t.Errorf("%d budgets, want %d", got, tc.want)
			}
		})
	}
}

func external(w *world) {
	refer(w)
	shareTarget(w)
	w.Target.Spec = benchv1alpha1.BenchmarkTargetSpec{External: &benchv1alpha1.ExternalTarget{}}
	w.toJob()
}
