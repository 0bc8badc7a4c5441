package decide

import (
	"cmp"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
)

// Place is what a target says of its place among the runs that are measured and the targets that are deployed: it has
// one from the start of its deployment until it is ready, or given up. Once it is ready it hardly disturbs, and an
// external one never does.
func Place(t *benchv1alpha1.BenchmarkTarget) queue.State {
	switch {
	case t.Spec.Topology() == benchv1alpha1.TopologyExternal, t.DeletionTimestamp != nil, t.Status.Connection != nil,
		condition.IsTrue(t.Status.Conditions, benchv1alpha1.TargetStalled):
		return queue.Out
	case t.Status.ProvisioningStartTime != nil:
		return queue.Admitted
	default:
		return queue.Waiting
	}
}

// AwaitsTurn says whether it is not a target's turn, or has just become so: its status says that before anything of it
// is made. Whatever happens to the operator in between, a target that has begun is known to have.
func AwaitsTurn(o Observation) bool {
	return Place(o.Target) == queue.Waiting && (!o.Turn.Admitted || !o.Turn.AtOnce)
}

// awaitTurn is the decision on a target that makes nothing yet.
func awaitTurn(o Observation, status benchv1alpha1.BenchmarkTargetStatus) Decision {
	if o.Turn.Admitted {
		status.ProvisioningStartTime = seconds(o.Now)
		return Decision{Status: status}
	}
	conditions := condition.In(&status.Conditions, o.Target.Generation, o.Now)
	conditions.False(benchv1alpha1.TargetReady, benchv1alpha1.ReasonQueued,
		condition.Short(cmp.Or(o.Turn.Position(), "the target is about to get in line")))
	conditions.False(benchv1alpha1.TargetStalled, benchv1alpha1.ReasonNotStalled, "")
	return Decision{Status: status}
}
