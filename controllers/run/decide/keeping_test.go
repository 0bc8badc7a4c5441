package decide

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

func TestWhenAFinishedRunIsRemoved(t *testing.T) {
	const ttl = time.Minute
	pinned := func(w *world) {
		w.Run.Annotations = map[string]string{benchv1alpha1.PinAnnotation: "true"}
	}
	for name, tc := range map[string]struct {
		change  func(*world)
		seconds *int32
		passed  time.Duration
		removed bool
		wait    time.Duration
	}{
		"without a time it stays for ever":      {nil, nil, 1000 * time.Hour, false, 0},
		"before its time is over it stays":      {nil, new(int32(60)), ttl - time.Second, false, time.Second},
		"when its time is over it goes":         {nil, new(int32(60)), ttl, true, 0},
		"with no time at all it goes at once":   {nil, new(int32(0)), 0, true, 0},
		"one that is pinned stays":              {pinned, new(int32(60)), ttl, false, 0},
		"a time that is over long ago":          {nil, new(int32(5)), ttl, true, 0},
		"one of a suite is left to its suite":   {ofASuite, new(int32(60)), ttl, false, 0},
		"what it keeps for longer goes with it": {keepFor(120), new(int32(60)), ttl, true, 0},
		"what it keeps goes before":             {keepFor(30), new(int32(60)), 20 * time.Second, false, 10 * time.Second},
		"it is looked at again after that":      {keepFor(30), new(int32(60)), 40 * time.Second, false, 20 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Run.Spec.TTLSecondsAfterFinished = tc.seconds
			if tc.change != nil {
				tc.change(w)
			}
			w.toVerdict()
			w.Pods = nil
			if tc.seconds == nil || *tc.seconds > 0 {
				w.settle()
			}
			w.pass(tc.passed)
			decision := w.settle()
			if decision.Remove != tc.removed || decision.Wait != tc.wait {
				t.Errorf("removed %v, and looked at again after %s; want %v, %s", decision.Remove, decision.Wait, tc.removed,
					tc.wait)
			}
		})
	}
}

func ofASuite(w *world) {
	w.Run.OwnerReferences = []metav1.OwnerReference{{Kind: "BenchmarkSuite", Name: "s", Controller: new(true)}}
}

func keepFor(seconds int32) func(*world) {
	return func(w *world) {
		w.Run.Spec.CleanupPolicy, w.Run.Spec.KeepSeconds = new(benchv1alpha1.CleanupKeep), &seconds
	}
}

// TestARunThatWasRefusedIsRemovedToo has a run that never began.
func TestARunThatWasRefusedIsRemovedToo(t *testing.T) {
	w := newWorld(t)
	w.Run.Spec.TTLSecondsAfterFinished = new(int32(60))
	w.Run.Spec.Workload.Steps[0].Name = "load" // The name of a step that every run has.
	w.settle()
	if got := w.status(benchv1alpha1.RunAccepted); got != "False Invalid" {
		t.Fatalf("Accepted is %q", got)
	}
	w.pass(time.Minute)
	if !w.settle().Remove {
		t.Error("it stays")
	}
}
