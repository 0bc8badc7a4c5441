package decide

import (
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/act"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/load"
)

// runObjects lists what a run needs until it ends, in the order in which it is made. Only the load pods wait for the
// target.
func runObjects(s *state) []desired.Object {
	var objects []desired.Object
	if s.inline() {
		objects = append(objects, inlineTarget(s.Run))
	}
	objects = append(objects,
		load.PlanConfigMap(s.Run, s.load.Encoded),
		gateConfigMap(s),
		load.ServiceAccount(s.Run), load.Role(s.Run, s.load.Plan.Pods), load.RoleBinding(s.Run),
	)
	for i := range s.load.Plan.Pods {
		objects = append(objects, load.PodConfigMap(s.Run, i))
	}
	if s.actions().NeedsPolicy() {
		objects = append(objects, act.NetworkPolicy(s.Run))
	}
	switch {
	case s.Job != nil: // It is never changed: what has begun goes on as it began.
		objects = append(objects, s.Job)
	case s.targetReady() && !s.began() && planStored(s):
		objects = append(objects, load.Pods{
			Run: s.Run, Target: s.Target, Plan: s.load.Plan, Encoded: s.load.Encoded,
			Image: s.LoadgenImage, Time: s.deadlines().job(),
		}.Job())
	}
	return objects
}

// planStored says whether the status names the plan. The Job is made only then, so that an operator of another
// version, which may compile another plan, finds the one that the pods were given.
func planStored(s *state) bool {
	return s.Run.Status.PlanHash == s.load.Hash &&
		condition.Find(s.Run.Status.Conditions, benchv1alpha1.RunAccepted) != nil
}
