package validation

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// ValidateReferring finds what of a run cannot be done to a target which the run only refers to.
func ValidateReferring(run *benchv1alpha1.BenchmarkRun, target *benchv1alpha1.BenchmarkTarget) field.ErrorList {
	path := field.NewPath("spec")
	normal, on := spec.Normalise(run.Spec), spec.NormaliseTarget(target.Spec)
	errs := validateDatabase(&normal, &on, path)
	if run.Spec.Preset != nil {
		for _, err := range errs {
			fromPreset(err)
		}
	}
	errs = append(errs, validateActionsOn(normal.Workload.Steps, &on, path.Child("workload", "steps"))...)
	if spec.ActsOnMembers(normal.Workload.Steps) && *on.MemberRestarts == benchv1alpha1.MemberRestartsFail {
		errs = append(errs, field.Invalid(path.Child("targetRef", "name"), target.Name,
			"an action deletes or cuts off a member, which this target does not tolerate; set its spec.memberRestarts to "+
				"Tolerate"))
	}
	return errs
}

// validateInlineActions looks at the actions of a run together with the target that it declares.
func validateInlineActions(run *benchv1alpha1.BenchmarkRunSpec, path *field.Path) field.ErrorList {
	if run.Target == nil {
		return nil
	}
	errs := validateActionsOn(run.Workload.Steps, run.Target, path.Child("workload", "steps"))
	restarts := *run.Target.MemberRestarts
	if spec.ActsOnMembers(run.Workload.Steps) && restarts == benchv1alpha1.MemberRestartsFail {
		errs = append(errs, field.Invalid(path.Child("target", "memberRestarts"), restarts,
			"an action deletes or cuts off a member; leave it out, or set it to Tolerate"))
	}
	return errs
}

func validateActionsOn(
	steps []benchv1alpha1.Step, target *benchv1alpha1.BenchmarkTargetSpec, path *field.Path,
) field.ErrorList {
	var errs field.ErrorList
	for i := range steps {
		for j := range steps[i].Actions {
			check := actionOnTarget{
				action: &steps[i].Actions[j], target: target, path: path.Index(i).Child("actions").Index(j),
			}
			errs = append(errs, check.run()...)
		}
	}
	return errs
}

// actions checks what can be said of a step's actions without knowing the target.
func (c stepCheck) actions() field.ErrorList {
	if len(c.step.Actions) == 0 {
		return nil
	}
	path := c.path.Child("actions")
	if c.step.DurationSeconds == nil || c.step.Search != nil {
		return field.ErrorList{field.Forbidden(path,
			"actions are for a step with durationSeconds and without a search: they are done at a time within it")}
	}
	var errs field.ErrorList
	for i := range c.step.Actions {
		errs = append(errs, c.actionTimes(&c.step.Actions[i], path.Index(i))...)
		errs = append(errs, c.actionCollection(&c.step.Actions[i], path.Index(i))...)
	}
	return errs
}

// actionTimes wants an action to begin and to end while the step is measured.
func (c stepCheck) actionTimes(action *benchv1alpha1.Action, path *field.Path) field.ErrorList {
	after := ptr.Deref(action.AfterSeconds, 0)
	if after >= *c.step.DurationSeconds {
		return field.ErrorList{field.Invalid(path.Child("afterSeconds"), after, fmt.Sprintf(
			"must be less than the durationSeconds of the step, %d", *c.step.DurationSeconds))}
	}
	if action.Type != benchv1alpha1.ActionFreeze && action.Type != benchv1alpha1.ActionPartition {
		return nil
	}
	lasts := *action.DurationSeconds
	if int64(after)+int64(lasts) <= int64(*c.step.DurationSeconds) {
		return nil
	}
	return field.ErrorList{field.Invalid(path.Child("durationSeconds"), lasts, fmt.Sprintf(
		"it would end %d seconds after the begin of the measure window, and the durationSeconds of the step is %d",
		int64(after)+int64(lasts), *c.step.DurationSeconds))}
}

func (c stepCheck) actionCollection(action *benchv1alpha1.Action, path *field.Path) field.ErrorList {
	if action.Collection == nil || slices.ContainsFunc(c.spec.Dataset.Collections, func(
		collection benchv1alpha1.Collection,
	) bool {
		return collection.Name == *action.Collection
	}) {
		return nil
	}
	return field.ErrorList{field.Invalid(path.Child("collection"), *action.Collection,
		"is none of spec.dataset.collections")}
}

// actionOnTarget checks one action against the target that it is done to.
type actionOnTarget struct {
	action *benchv1alpha1.Action
	target *benchv1alpha1.BenchmarkTargetSpec
	path   *field.Path
}

func (c actionOnTarget) run() field.ErrorList {
	if !catalogue.Of(*c.target).Traits().Actions {
		return c.refused("is for targets of kind MongoDB")
	}
	switch c.action.Type {
	case benchv1alpha1.ActionStepDown, benchv1alpha1.ActionFreeze, benchv1alpha1.ActionDeletePod,
		benchv1alpha1.ActionPartition:
		return c.onMember()
	default:
		return c.onCluster()
	}
}

func (c actionOnTarget) byOperator() bool {
	return planv1.ActionType(c.action.Type).ByOperator()
}

// refused is an error about the type of the action.
func (c actionOnTarget) refused(why string) field.ErrorList {
	return field.ErrorList{field.Invalid(c.path.Child("type"), c.action.Type, why)}
}

// onCluster checks what is done through a mongos. What an existing database is cannot be known here.
func (c actionOnTarget) onCluster() field.ErrorList {
	switch {
	case c.target.Topology == benchv1alpha1.TopologyExternal:
		return nil
	case c.target.Topology == benchv1alpha1.TopologySharded && *c.target.Sharded.Router == benchv1alpha1.RouterMongos:
		return c.byVersion()
	}
	return c.refused("needs a target of topology Sharded with router Mongos")
}

// byVersion refuses changes of a shard key that the version does not know.
func (c actionOnTarget) byVersion() field.ErrorList {
	release := mongod.ParseRelease(ptr.Deref(c.target.Version, ""))
	switch {
	case c.action.Type == benchv1alpha1.ActionRefineShardKey && !release.AtLeast(firstRefine):
		return c.refused("needs version 4.4 or later of the target, which is " + release.String())
	case c.action.Type == benchv1alpha1.ActionReshardCollection && !release.AtLeast(firstReshard):
		return c.refused("needs version 5.0 or later of the target, which is " + release.String())
	default:
		return compoundHashed(c.action.Key, c.target, c.path.Child("key"))
	}
}

func (c actionOnTarget) onMember() field.ErrorList {
	switch {
	case c.target.Topology == benchv1alpha1.TopologyExternal && c.byOperator():
		return c.refused("the pods of an existing database are not the operator's to touch")
	case c.target.Topology == benchv1alpha1.TopologyExternal:
		return nil
	case *c.target.Provider != benchv1alpha1.ProviderOperator && c.byOperator():
		return c.refused("the pods belong to the provider of the target")
	case c.target.Topology == benchv1alpha1.TopologyStandalone && c.action.Type != benchv1alpha1.ActionDeletePod:
		return c.refused("needs a replica set: a standalone has no other member to take its place")
	}
	return c.onShape()
}

// onShape checks whether the target has such a member, and whether it may lose it.
func (c actionOnTarget) onShape() field.ErrorList {
	shards, members := shape(c.target)
	var errs field.ErrorList
	if shard := ptr.Deref(c.action.Shard, 0); shard >= shards {
		errs = append(errs, field.Invalid(c.path.Child("shard"), shard, fmt.Sprintf(
			"must be less than the number of shards, %d; without shards it is 0", shards)))
	}
	member := *c.action.Member
	if member == benchv1alpha1.ActionMemberSecondary && members < 2 {
		errs = append(errs, field.Invalid(c.path.Child("member"), member, "the set has one member, which is primary"))
	}
	if c.action.Type == benchv1alpha1.ActionDeletePod && members < 2 && transient(c.target) {
		errs = append(errs, c.refused("the only member keeps its data in its pod, and would come back without; use a "+
			"PersistentVolume, or more members")...)
	}
	return errs
}

// shape is how many shards a target has, of how many members each.
func shape(target *benchv1alpha1.BenchmarkTargetSpec) (shards, members int32) {
	switch target.Topology {
	case benchv1alpha1.TopologySharded:
		return *target.Sharded.Shards, *target.Sharded.MembersPerShard
	case benchv1alpha1.TopologyReplicaSet:
		return 1, *target.ReplicaSet.Members
	default:
		return 1, 1
	}
}

// transient says whether a member's data goes with its pod.
func transient(target *benchv1alpha1.BenchmarkTargetSpec) bool {
	if *target.Storage.Medium != benchv1alpha1.StorageMediumPersistentVolume {
		return true
	}
	engine := mongod.Engine(*target)
	return engine == benchv1alpha1.EngineInMemory || engine == benchv1alpha1.EngineEphemeralForTest
}
