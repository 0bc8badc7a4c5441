package decide

import (
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/testing/suitetest"
)

// suspendedWorld is a suite that was suspended, of which one run measures and another waits for its turn.
func suspendedWorld(
	t *testing.T, policy *benchv1alpha1.SuspendPolicy,
) (w *world, begun, waits *benchv1alpha1.BenchmarkRun) {
	t.Helper()
	w = newWorld(t, func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Parallelism = new(int32(2)) })
	w.settle()
	begun, waits = w.Runs[w.made[0]], w.Runs[w.made[1]]
	begun.Status = suitetest.Measuring(w.Now)
	w.edit(func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Suspend, s.Spec.SuspendPolicy = new(true), policy })
	w.settle()
	w.want(complete, "False Suspended")
	return w, begun, waits
}

func TestSuspendLeavesWhatHasBegunAlone(t *testing.T) {
	w, begun, waits := suspendedWorld(t, nil)
	if ptr.Deref(begun.Spec.Suspend, false) || !ptr.Deref(waits.Spec.Suspend, false) {
		t.Errorf("the run that measures: suspend %v, the one that waits: %v", begun.Spec.Suspend, waits.Spec.Suspend)
	}
	if said := w.message(complete); !strings.Contains(said, "1 run in progress") {
		t.Errorf("Complete says %q", said)
	}
	w.succeed(begun, 10_000)
	w.settle()
	if said := w.message(complete); len(w.made) != 2 || strings.Contains(said, "in progress") {
		t.Errorf("made %v, and Complete says %q", w.made, said)
	}
	if *w.Suite.Status.Runs.Succeeded != 1 {
		t.Error("the run that went on is not counted")
	}
	w.edit(func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Suspend = nil })
	w.play(steady)
	w.want(complete, "True AllSucceeded")
}

func TestSuspendNowStopsWhatHasBegun(t *testing.T) {
	_, begun, waits := suspendedWorld(t, new(benchv1alpha1.SuspendNow))
	if !ptr.Deref(begun.Spec.Suspend, false) || !ptr.Deref(waits.Spec.Suspend, false) {
		t.Errorf("the run that measures: suspend %v, the one that waits: %v", begun.Spec.Suspend, waits.Spec.Suspend)
	}
}

func TestTheSuspendPolicyMayChangeWhileASuiteIsSuspended(t *testing.T) {
	w, begun, _ := suspendedWorld(t, new(benchv1alpha1.SuspendAfterCurrent))
	for _, policy := range []benchv1alpha1.SuspendPolicy{benchv1alpha1.SuspendNow, benchv1alpha1.SuspendAfterCurrent} {
		w.edit(func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.SuspendPolicy = &policy })
		w.settle()
		if !ptr.Deref(begun.Spec.Suspend, false) { // What is being taken down does not go on.
			t.Errorf("with %s the run goes on", policy)
		}
	}
}

// TestSuspendRestsOnTheRunNotHavingBegun has the suspension of a run that waits name the version in which it does.
func TestSuspendRestsOnTheRunNotHavingBegun(t *testing.T) {
	for policy, want := range map[benchv1alpha1.SuspendPolicy]string{
		benchv1alpha1.SuspendAfterCurrent: "7", benchv1alpha1.SuspendNow: "",
	} {
		w := newWorld(t)
		w.settle()
		w.Runs[w.made[0]].ResourceVersion = "7"
		w.Suite.Spec.Suspend, w.Suite.Spec.SuspendPolicy = new(true), &policy
		changes := Decide(w.Observation).Changes
		if len(changes) != 1 || !changes[0].Suspend || changes[0].Version != want {
			t.Errorf("with %s the changes are %+v, want one of version %q", policy, changes, want)
		}
	}
}
