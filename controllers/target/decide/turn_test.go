package decide

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// behind is a target that waits while a run of its namespace is measured.
func behind() Observation {
	o := observe(targettest.ReplicaSet("bench", "set", 3))
	o.Turn = queue.Turn{
		Group: "g", Exact: true, Measured: []types.NamespacedName{{Namespace: "bench", Name: "run"}},
	}
	return o
}

func queueCases() map[string]readinessCase {
	return map[string]readinessCase{
		"a target waits for the runs that are measured": {
			o:    behind(),
			want: want{reason: benchv1alpha1.ReasonQueued, message: "measured now: bench/run"},
		},
		"its deadline does not begin before its turn": {
			o: with(behind(), func(o *Observation) {
				o.Target.Status = decided(*o).Status
				o.Now = start.Add(24 * time.Hour)
			}),
			want: want{reason: benchv1alpha1.ReasonQueued, message: "measured now: bench/run"},
		},
	}
}

// TestNothingIsMadeBeforeTheTurnIsWritten: a manager that ends between the two must not leave members of a target that
// the next one takes for queued.
func TestNothingIsMadeBeforeTheTurnIsWritten(t *testing.T) {
	o := behind()
	waiting := decided(o)
	o.Target.Status = waiting.Status
	o.Turn = queue.Turn{Admitted: true, Group: "g"}
	o.Now = start.Add(time.Hour)
	admitted := decided(o)
	if len(waiting.Desired)+len(admitted.Desired) > 0 {
		t.Errorf("%d objects are made before the turn, and %d before it is written", len(waiting.Desired),
			len(admitted.Desired))
	}
	if began := admitted.Status.ProvisioningStartTime; began == nil || !began.Time.Equal(o.Now) {
		t.Fatalf("it is deployed since %v, want %s", began, o.Now)
	}
	o.Target.Status = admitted.Status
	o.Turn = queue.Turn{}
	if begun := decided(o); len(begun.Desired) == 0 ||
		condition.Reason(begun.Status.Conditions, benchv1alpha1.TargetReady) != benchv1alpha1.ReasonPodsStarting {
		t.Errorf("%d objects are made after the turn was written, conditions %v", len(begun.Desired),
			begun.Status.Conditions)
	}
}

func TestWhenATargetHasAPlace(t *testing.T) {
	target := func(o Observation) *benchv1alpha1.BenchmarkTarget { return o.Target }
	stalled := starting(tooLate)
	stalled.Target.Status = decided(stalled).Status
	deleted := starting(0)
	deleted.Target.DeletionTimestamp = seconds(start)
	for name, tc := range map[string]struct {
		target *benchv1alpha1.BenchmarkTarget
		want   queue.State
	}{
		"before its turn":        {target(behind()), queue.Waiting},
		"while it is deployed":   {target(starting(0)), queue.Admitted},
		"once it is ready":       {target(ready(0)), queue.Out},
		"once it was given up":   {target(stalled), queue.Out},
		"while it is deleted":    {target(deleted), queue.Out},
		"when it is not its own": {targettest.External("bench", "theirs"), queue.Out},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Place(tc.target); got != tc.want {
				t.Errorf("the place is %d, want %d", got, tc.want)
			}
		})
	}
}
