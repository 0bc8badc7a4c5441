package decide

import (
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
)

// desired lists what a run needs until it ends, in the order in which it is made. Only the load pods wait for the
// target.
func (v *view) desired() []desired.Object {
	var objects []desired.Object
	if v.inline() {
		objects = append(objects, inlineTarget(v.Run))
	}
	objects = append(objects,
		planConfigMap(v.Run, v.encoded),
		v.gateConfigMap(),
		loadServiceAccount(v.Run), loadRole(v.Run, v.plan.Pods), loadRoleBinding(v.Run),
	)
	for i := range v.plan.Pods {
		objects = append(objects, podConfigMap(v.Run, i))
	}
	if v.needsPolicy() {
		objects = append(objects, partitionNetworkPolicy(v.Run))
	}
	switch {
	case v.Job != nil: // It is never changed: what has begun goes on as it began.
		objects = append(objects, v.Job)
	case v.targetReady() && !v.began() && v.planStored():
		objects = append(objects, v.loadJob())
	}
	return objects
}

// planStored says whether the status names the plan. The Job is made only then, so that an operator of another
// version, which may compile another plan, finds the one that the pods were given.
func (v *view) planStored() bool {
	return v.Run.Status.PlanHash == v.hash &&
		condition.Find(v.Run.Status.Conditions, benchv1alpha1.RunAccepted) != nil
}
