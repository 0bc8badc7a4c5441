//go:build e2e

package e2e

import (
	"testing"

	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// TestFaultsAreMeasured makes a primary step down and deletes the pod of the next one: the run goes on, and tells how
// long nothing was answered.
func TestFaultsAreMeasured(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	run := harness.Run("bench", harness.ReplicaSet("6.0.5"))
	step := &run.Spec.Workload.Steps[0]
	step.DurationSeconds = new(int32(30))
	step.Retry = new(benchv1alpha1.RetryOnce)
	step.Actions = []benchv1alpha1.Action{
		{Name: "step-down", Type: benchv1alpha1.ActionStepDown, AfterSeconds: new(int32(4))},
		{Name: "delete", Type: benchv1alpha1.ActionDeletePod, AfterSeconds: new(int32(14))},
	}
	n.Apply(t, run)

	ended := n.WaitSuccess(t, run)
	result := ended.Status.Result.Steps[0]
	if len(result.Actions) != len(step.Actions) {
		t.Fatalf("the status tells of %d actions, want %d: %+v", len(result.Actions), len(step.Actions), result.Actions)
	}
	members := map[string]bool{}
	for i, action := range result.Actions {
		if action.Error != "" || action.Member == "" || ptr.Deref(action.OutageMillis, 0) == 0 {
			t.Errorf("action %s has member %q, an outage of %d ms and error %q, want a member, an outage and no error",
				action.Name, action.Member, ptr.Deref(action.OutageMillis, 0), action.Error)
		}
		if due := int64(*step.Actions[i].AfterSeconds) * 1000; ptr.Deref(action.AtMillis, 0) < due {
			t.Errorf("action %s was done %d ms after the start, and was due after %d", action.Name, *action.AtMillis, due)
		}
		members[action.Member] = true
		recovered := "never"
		if action.RecoveryMillis != nil {
			recovered = present.Millis(*action.RecoveryMillis)
		}
		cluster.Summary.Figure("action %s on a set of three: outage %s, recovered after %s", action.Name,
			present.Millis(ptr.Deref(action.OutageMillis, 0)), recovered)
	}
	if len(members) != 2 {
		t.Errorf("the actions were done to %v, want to one primary and then to the next", members)
	}
	if result.ReplicationLagMillis == nil {
		t.Error("the status has no replication lag of a set of three")
	} else {
		cluster.Summary.Figure("replication lag of a set of three, at most %s", present.Millis(*result.ReplicationLagMillis))
	}
	n.WaitLeft(t, removalDeadline, "ConfigMap bench-report")
}
