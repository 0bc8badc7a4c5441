package decide

import (
	"slices"
	"testing"
	"time"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
)

// repeat is what a user does to have a run repeated.
func (w *world) repeat(name string) {
	w.Runs[name].Annotations[benchv1alpha1.RepeatAnnotation] = "true"
}

// oneFails plays a suite of which the second run fails.
func oneFails(t *testing.T, change ...func(*benchv1alpha1.BenchmarkSuite)) (w *world, failed string) {
	t.Helper()
	w = newWorld(t, change...)
	w.play(func(*benchv1alpha1.BenchmarkRun) int64 {
		if len(w.made) == 2 {
			return 0
		}
		return 10_000
	})
	return w, w.made[1]
}

func TestAFailedRunOfACompleteSuiteIsRepeated(t *testing.T) {
	w, failed := oneFails(t)
	w.want(complete, "True SomeFailed")
	w.want(passed, "False SomeFailed")
	made := len(w.made)
	w.repeat(failed)
	w.play(steady)
	w.want(complete, "True AllSucceeded")
	w.want(passed, "True NoBaseline")
	if again := w.made[made:]; !slices.Equal(again, []string{failed}) {
		t.Errorf("made again: %v, want %s alone", again, failed)
	}
	if runs := w.Suite.Status.Runs; *runs.Succeeded != 4 || *runs.Failed != 0 {
		t.Errorf("%d runs succeeded and %d failed", *runs.Succeeded, *runs.Failed)
	}
}

func TestAFailedRunIsRepeatedBeforeTheSuiteIsComplete(t *testing.T) {
	w := newWorld(t)
	w.settle()
	failed := w.made[0]
	w.fail(w.Runs[failed])
	w.repeat(failed)
	w.play(steady)
	w.want(complete, "True AllSucceeded")
	if len(w.made) != 5 {
		t.Errorf("made %v", w.made)
	}
}

// TestASuiteThatStoppedGoesOnWithTheRunThatStoppedIt repeats the failure that ended a revision early.
func TestASuiteThatStoppedGoesOnWithTheRunThatStoppedIt(t *testing.T) {
	w, failed := oneFails(t, func(s *benchv1alpha1.BenchmarkSuite) {
		s.Spec.StopOnFailure = new(true)
		s.Spec.TimeoutSeconds = new(int32(3600))
	})
	w.want(complete, "True StoppedOnFailure")
	w.Now = w.Now.Add(10 * time.Hour) // The time of the revision counts from the repetition.
	w.repeat(failed)
	w.play(steady)
	w.want(complete, "True AllSucceeded")
}

func TestARunThatSucceededIsNotRepeated(t *testing.T) {
	w, _ := oneFails(t)
	made := len(w.made)
	w.repeat(w.made[0])
	w.play(steady)
	w.want(complete, "True SomeFailed")
	if len(w.made) != made || len(w.removed) > 0 {
		t.Errorf("made %v and removed %v", w.made[made:], w.removed)
	}
}

// TestARepetitionOutlivesTheOperator has the status say that the suite is not complete before the run is removed: an
// operator that ends between the two would leave a suite that is complete without the run.
func TestARepetitionOutlivesTheOperator(t *testing.T) {
	w, failed := oneFails(t)
	w.repeat(failed)
	w.step()
	if w.Runs[failed] == nil || condition.IsTrue(w.Suite.Status.Conditions, complete) || w.wait == 0 {
		t.Errorf("after the first step the run is there: %v; Complete is %q; looked at again after %s", w.Runs[failed] != nil,
			w.status(complete), w.wait)
	}
	w.step()
	if w.Runs[failed] != nil {
		t.Error("after the second step the run is still there")
	}
}
