package decide

import (
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/act"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/load"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// runObjects lists what a run needs until it ends, in the order in which it is made. Only the load pods wait for the
// target.
func runObjects(s *state) []desired.Object {
	var objects []desired.Object
	if s.inline() {
		objects = append(objects, inlineTarget(s.Run))
	}
	objects = append(objects, load.PlanConfigMap(s.Run, s.load.Encoded), gateConfigMap(s))
	objects = append(objects, load.Account(s.Run, s.load.Plan.Pods)...)
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

// gateLead is how far ahead a start instant is published: five times the pods' polling.
const gateLead = time.Second

// gateConfigMap holds the start instants of the steps, and which pods actions are done to. An instant is published once
// every load pod has reached the step, a little ahead, and never changed: pods may have read it. So the object carries
// the version that was observed, and a write that rests on an older one is refused by the API server.
func gateConfigMap(s *state) *corev1.ConfigMap {
	gate := &corev1.ConfigMap{
		ObjectMeta: desired.OfRun(s.Run, naming.GateConfigMap(s.Run.Name), naming.ComponentGate),
	}
	observed := s.ConfigMaps[gate.Name]
	if observed == nil {
		return gate
	}
	gate.ResourceVersion = observed.ResourceVersion
	gate.Data = maps.Clone(observed.Data)
	s.actions().Record(gate)
	if !s.load.Waiting() || s.load.Plan.Pods < 2 {
		return gate
	}
	key := planv1alpha1.GateKey(s.load.Index())
	if _, published := gate.Data[key]; published {
		return gate
	}
	if gate.Data == nil {
		gate.Data = map[string]string{}
	}
	gate.Data[key] = planv1alpha1.FormatStart(s.Now.Add(gateLead))
	return gate
}
