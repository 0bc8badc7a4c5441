package decide

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
)

// checkComplete holds after every pass of every test: Complete is True exactly when Succeeded is not Unknown, says the
// same as that, and does not become False again.
func (w *world) checkComplete(before benchv1alpha1.BenchmarkRunStatus) {
	w.t.Helper()
	outcome := condition.Find(w.Run.Status.Conditions, succeeded)
	said := condition.Find(w.Run.Status.Conditions, benchv1alpha1.RunComplete)
	if outcome == nil && said == nil {
		return // A run that is deleted before anybody looked.
	}
	if outcome == nil || said == nil {
		w.t.Fatalf("only one of Succeeded and Complete is there:\n%s", w.describe())
	}
	want := *outcome
	want.Type, want.Status = benchv1alpha1.RunComplete, isTrue
	if !condition.Ended(w.Run) {
		want.Status, want.Reason, want.Message = isFalse, benchv1alpha1.ReasonNotEnded, notEnded
		want.LastTransitionTime = said.LastTransitionTime
		if condition.IsTrue(before.Conditions, benchv1alpha1.RunComplete) {
			w.t.Errorf("Complete was True before:\n%s", w.describe())
		}
	}
	if diff := cmp.Diff(want, *said); diff != "" {
		w.t.Errorf("Complete (-want +got):\n%s", diff)
	}
}

func TestCompleteIsTrueOnceARunHasEndedEitherWay(t *testing.T) {
	for name, tc := range map[string]struct {
		play func(*world)
		want string
	}{
		"not while it waits for its turn": {(*world).wait, "False NotEnded"},
		"not while it is measured":        {(*world).toMeasuring, "False NotEnded"},
		"not while it is suspended":       {func(w *world) { w.suspend(true) }, "False NotEnded"},
		"not while it is taken down": {
			func(w *world) { w.toMeasuring(); w.suspend(true); w.settle() }, "False NotEnded",
		},
		"not once it is resumed": {
			func(w *world) { w.toMeasuring(); w.suspend(true); w.gone(); w.settle(); w.suspend(false) }, "False NotEnded",
		},
		"with a success":              {(*world).toVerdict, "True Completed"},
		"with a failure":              {func(w *world) { w.toLoading(); w.lose("Job") }, "True LoadPodLost"},
		"when it is cancelled":        {(*world).cancel, "True Cancelled"},
		"when it is cancelled midway": {func(w *world) { w.toLoading(); w.cancel() }, "True Cancelled"},
		"when it is refused":          {func(w *world) { w.Run.Spec.Workload.Steps[0].Name = "load" }, "True Invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			tc.play(w)
			w.settle()
			if got := w.status(benchv1alpha1.RunComplete); got != tc.want {
				t.Errorf("Complete is %q, want %q; all conditions:\n%s", got, tc.want, w.describe())
			}
		})
	}
}

// TestCompleteIsTrueWithAPlainVerdict: that one takes the place of a status that the API server refused.
func TestCompleteIsTrueWithAPlainVerdict(t *testing.T) {
	w := newWorld(t)
	w.toCollecting()
	before := w.Run.Status
	w.observe()
	w.Run.Status = Plain(&w.Observation, benchv1alpha1.BenchmarkRunStatus{}, errors.New("status.result is invalid"))
	w.checkComplete(before)
	if got := w.status(benchv1alpha1.RunComplete); got != "True ConfigError" {
		t.Errorf("Complete is %q", got)
	}
}
