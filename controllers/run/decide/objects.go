package decide

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/internal/partition"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/admit"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/collect"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/load"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

// runObjects lists what a run needs until it ends, in the order in which it is made. Only the load pods wait for the
// target.
func runObjects(s *state) []desired.Object {
	var objects []desired.Object
	if s.inline() {
		objects = append(objects, inlineTarget(s))
	}
	objects = append(objects, load.PlanConfigMap(s.Run, s.load.Encoded, s.load.Hash), gateConfigMap(s))
	objects = append(objects, load.Account(s.Run, s.load.Plan)...)
	for i := range s.load.Plan.Pods {
		objects = append(objects, load.PodConfigMap(s.Run, i))
	}
	objects = append(objects, collect.Answer(s.Run))
	for _, job := range s.collecting().jobs() {
		objects = append(objects, job)
	}
	if members := s.actions().ToCutOff(); len(members) > 0 {
		objects = append(objects, partition.Policy(s.Run, TargetName(s.Run), members))
	}
	objects = append(objects, s.gateway().objects()...)
	job := s.Job // It is never changed: what has begun goes on as it began.
	if job == nil && s.mayBegin() && s.gateway().serves() {
		job = pods(s).Job()
	}
	if job == nil {
		return objects
	}
	if !load.Suspended(job) {
		objects = append(objects, budgets(s)...)
	}
	return append(objects, job)
}

// pods are what the load pods are made of.
func pods(s *state) load.Pods {
	return load.Pods{
		Run: s.Run, Target: s.Target, Baseline: s.Baseline, Plan: s.load.Plan, Hash: s.load.Hash,
		Image: s.Settings.LoadgenImage, Time: jobTime, Settings: podSettings(s), Gateways: s.gateway().addresses(),
		Whole: s.Quota.Asked,
	}
}

// mayBegin says whether pods may be made that work with the target.
func (s *state) mayBegin() bool { return s.targetReady() && !s.began() && planStored(s) }

// podSettings are those of the load pods, and of the one that collects in their place.
func podSettings(s *state) benchv1alpha1.PodSettings {
	return s.Quota.PlaceLoad(s.Settings.Pods(s.normal().LoadGenerator.PodSettings))
}

// planStored says whether the status names the plan. The Job is made only then, so that an operator of another
// version, which may compile another plan, finds the one that the pods were given.
func planStored(s *state) bool {
	return s.Run.Status.PlanHash == s.load.Hash &&
		condition.Find(s.Run.Status.Conditions, benchv1alpha1.RunAccepted) != nil
}

// gateLead is how far ahead a start instant is published. The pods watch for it; one whose watch has just ended looks
// again within this time.
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
	if order := s.collecting().order(); order != "" {
		if gate.Data == nil {
			gate.Data = map[string]string{}
		}
		gate.Data[reportv1alpha1.CollectKey] = order
	}
	if !s.load.Waiting() || s.load.Plan.Pods < 2 || s.Job == nil || !s.losses().complete() {
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

// inlineTarget is the BenchmarkTarget of a run that declares its own.
func inlineTarget(s *state) *benchv1alpha1.BenchmarkTarget {
	meta := desired.OfRun(s.Run, naming.InlineTarget(s.Run.Name), naming.ComponentTarget)
	if !s.Quota.Asked {
		meta.Labels = naming.Queued(meta.Labels, s.Run.Labels)
	}
	return &benchv1alpha1.BenchmarkTarget{ObjectMeta: meta, Spec: s.Quota.PlaceTarget(spec.InlineTarget(s.Run.Spec))}
}

// databaseClosed decides on a run whose database the load user of a shared target may not write.
func databaseClosed(s *state) *Decision {
	if s.inline() || s.Target == nil || s.Target.Spec.Topology() == benchv1alpha1.TopologyExternal || s.began() {
		return nil
	}
	deployment := s.normal().Target.Deployment()
	if deployment == nil { // It is none that this version of the operator knows, which targetRefuses says.
		return nil
	}
	open := deployment.Databases
	if slices.Contains(open, s.load.Plan.Database) {
		return nil
	}
	closed := field.Invalid(field.NewPath("spec", "dataset", "database"), s.load.Plan.Database, fmt.Sprintf(
		"the load user of BenchmarkTarget %s may write %s only; name one of these, or declare it in the target's "+
			"databases", s.Target.Name, strings.Join(open, ", ")))
	return &Decision{Leave: true, Status: rejected(&s.Observation, field.ErrorList{closed}), Unplace: true}
}

// targetRefuses decides on a run of which something cannot be done to the target that it refers to.
func targetRefuses(s *state) *Decision {
	if s.inline() || s.Target == nil || s.began() {
		return nil
	}
	if errs := validation.ValidateReferring(s.Run, s.normal()); len(errs) > 0 {
		return &Decision{Leave: true, Status: rejected(&s.Observation, errs), Unplace: true}
	}
	return nil
}

// nameTaken decides on a run whose own target would have the name of a target that is there. One that an earlier run of
// the same name left is waited for; any other stays.
func nameTaken(s *state) *Decision {
	if !s.inline() || s.Target == nil || metav1.IsControlledBy(s.Target, s.Run) {
		return nil
	}
	if s.Job != nil || s.began() { // Its own was there, and was replaced: it is lost.
		s.Target = nil
		return nil
	}
	owner := metav1.GetControllerOf(s.Target)
	if owner != nil && owner.Kind == "BenchmarkRun" && owner.Name == s.Run.Name {
		s.Target = nil
		if !admit.Holds(s.Run) {
			return nil
		}
		status := s.running()
		c := condition.In(&status.Conditions, s.Run.Generation, s.Now)
		c.True(benchv1alpha1.RunProgressing, s.stage.name, "the target of an earlier run of the same name is being removed")
		if cause := late(s); cause != nil {
			return &Decision{Leave: true, Status: s.failed(cause)}
		}
		return &Decision{Leave: true, Status: status, Wait: pollPeriod}
	}
	taken := field.Invalid(field.NewPath("metadata", "name"), s.Run.Name,
		fmt.Sprintf("a BenchmarkTarget %q exists that is not this run's own; choose another name, or measure it by "+
			"spec.targetRef", s.Run.Name))
	return &Decision{Leave: true, Status: rejected(&s.Observation, field.ErrorList{taken})}
}
