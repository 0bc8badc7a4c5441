package validation

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// ValidateReferring finds what of a run cannot be done to the target which it only refers to. The specification of both
// is what spec.NormaliseOn returns.
func ValidateReferring(run *benchv1alpha1.BenchmarkRun, normal benchv1alpha1.BenchmarkRunSpec) field.ErrorList {
	path, found, on := field.NewPath("spec"), &product.Findings{}, normal.Target
	if on.Member() == "" {
		found.Refuse(true, path.Child("targetRef", "name"), run.Spec.TargetRef.Name,
			"declares no database that this version of the operator knows; upgrade the operator, or name another target")
		return found.ErrorList
	}
	validateDatabase(found, &normal, on, path)
	if run.Spec.Preset != nil {
		fromPreset(found.ErrorList)
	}
	validateActionsOn(found, normal.Workload.Steps, on, path.Child("workload", "steps"))
	found.Refuse(spec.ActsOnMembers(normal.Workload.Steps) && on.MemberRestarts() == benchv1alpha1.MemberRestartsFail,
		path.Child("targetRef", "name"), run.Spec.TargetRef.Name,
		"an action deletes or cuts off a member, which this target does not tolerate; set its memberRestarts to "+
			"Tolerate")
	return found.ErrorList
}

// validateInlineActions looks at the actions of a run together with the target that it declares.
func validateInlineActions(found *product.Findings, run *benchv1alpha1.BenchmarkRunSpec, path *field.Path) {
	if run.Target == nil {
		return
	}
	validateActionsOn(found, run.Workload.Steps, run.Target, path.Child("workload", "steps"))
	restarts := run.Target.MemberRestarts()
	found.Refuse(spec.ActsOnMembers(run.Workload.Steps) && restarts == benchv1alpha1.MemberRestartsFail,
		path.Child("target", run.Target.Member(), "memberRestarts"), restarts,
		"an action deletes or cuts off a member; leave it out, or set it to Tolerate")
}

func validateActionsOn(
	found *product.Findings, steps []benchv1alpha1.Step, target *benchv1alpha1.BenchmarkTargetSpec, path *field.Path,
) {
	for i := range steps {
		for j := range steps[i].Actions {
			actionOnTarget{found, &steps[i].Actions[j], target, path.Index(i).Child("actions").Index(j)}.run()
		}
	}
}

// actions checks what can be said of a step's actions without knowing the target.
func (c stepCheck) actions() {
	if len(c.step.Actions) == 0 {
		return
	}
	path := c.path.Child("actions")
	if c.step.DurationSeconds == nil || c.step.Search != nil {
		c.Forbid(true, path,
			"actions are for a step with durationSeconds and without a search: they are done at a time within it")
		return
	}
	for i := range c.step.Actions {
		c.actionTimes(&c.step.Actions[i], path.Index(i))
		c.actionCollection(&c.step.Actions[i], path.Index(i))
		c.actionIndex(&c.step.Actions[i], path.Index(i))
	}
}

// actionTimes wants an action to begin and to end while the step is measured.
func (c stepCheck) actionTimes(action *benchv1alpha1.Action, path *field.Path) {
	after, measured := ptr.Deref(action.AfterSeconds, 0), *c.step.DurationSeconds
	if after >= measured {
		c.Refuse(true, path.Child("afterSeconds"), after, "must be less than the durationSeconds of the step, %d", measured)
		return
	}
	if action.Type != benchv1alpha1.ActionFreeze && action.Type != benchv1alpha1.ActionPartition {
		return
	}
	end := int64(after) + int64(*action.DurationSeconds)
	c.Refuse(end > int64(measured), path.Child("durationSeconds"), *action.DurationSeconds,
		"it would end %d seconds after the start of the measure window, and the durationSeconds of the step is %d; "+
			"shorten it, or begin earlier",
		end, measured)
}

func (c stepCheck) actionCollection(action *benchv1alpha1.Action, path *field.Path) {
	if action.Collection == nil {
		return
	}
	at := slices.IndexFunc(c.spec.Dataset.Collections, func(collection benchv1alpha1.Collection) bool {
		return collection.Name == *action.Collection
	})
	if at < 0 {
		c.Add(noCollection(*action.Collection, c.spec.Dataset, path))
		return
	}
	c.Refuse(c.spec.Dataset.Collections[at].Copies != nil, path.Child("collection"), *action.Collection,
		"stands for several collections, and an action is done to one")
}

// actionOnTarget checks one action against the target that it is done to.
type actionOnTarget struct {
	*product.Findings
	action *benchv1alpha1.Action
	target *benchv1alpha1.BenchmarkTargetSpec
	path   *field.Path
}

func (c actionOnTarget) run() {
	if !catalogue.Of(*c.target).Traits().Actions {
		c.refuse("is for MongoDB")
		return
	}
	switch c.action.Type {
	case benchv1alpha1.ActionCreateIndex:
		c.indexByVersion()
	case benchv1alpha1.ActionDropIndex, benchv1alpha1.ActionReconnect:
	case benchv1alpha1.ActionStepDown, benchv1alpha1.ActionFreeze, benchv1alpha1.ActionDeletePod,
		benchv1alpha1.ActionPartition, benchv1alpha1.ActionCompact:
		c.onMember()
	case benchv1alpha1.ActionAnalyzeShardKey:
		c.analysis()
	default:
		c.onCluster()
	}
}

// refuse adds an error about the type of the action.
func (c actionOnTarget) refuse(why string) {
	c.Refuse(true, c.path.Child("type"), c.action.Type, "%s", why)
}

// onCluster checks what is done through a mongos. What an existing database is cannot be known here.
func (c actionOnTarget) onCluster() {
	switch {
	case c.target.Topology() == benchv1alpha1.TopologyExternal:
	case c.target.Topology() == benchv1alpha1.TopologySharded &&
		*c.target.MongoDB.Sharded.Router == benchv1alpha1.RouterMongos:
		c.byVersion()
	default:
		c.refuse("needs a sharded target with router Mongos")
	}
}

// byVersion refuses what the version does not know.
func (c actionOnTarget) byVersion() {
	release, since := mongod.ParseRelease(c.target.Version()), mongod.ActionSince(c.action.Type)
	if !release.AtLeast(since) {
		c.refuse(fmt.Sprintf("needs version %s or later of the target, which is %s", since, release))
		return
	}
	compoundHashed(c.Findings, c.action.Key, c.target, c.path.Child("key"))
	shards := *c.target.MongoDB.Sharded.Shards
	shard := ptr.Deref(c.action.Shard, 0)
	c.Refuse(shard >= shards, c.path.Child("shard"), shard, "must be less than the number of shards, %d", shards)
	c.transition(*c.target.MongoDB.Sharded.ConfigServers.Kind)
}

// transition refuses to make config servers what they are.
func (c actionOnTarget) transition(kind benchv1alpha1.ConfigServersKind) {
	is := map[benchv1alpha1.ActionType]benchv1alpha1.ConfigServersKind{
		benchv1alpha1.ActionTransitionFromDedicatedConfigServer: benchv1alpha1.ConfigServersDedicated,
		benchv1alpha1.ActionTransitionToDedicatedConfigServer:   benchv1alpha1.ConfigServersShard,
	}
	if begins, changes := is[c.action.Type]; changes && kind != begins {
		c.refuse(fmt.Sprintf("needs config servers of kind %s to begin with, and those of the target are %s", begins, kind))
	}
}

// analysis checks what any member of a replica set, and a mongos, can do.
func (c actionOnTarget) analysis() {
	release, since := mongod.ParseRelease(c.target.Version()), mongod.ActionSince(c.action.Type)
	switch {
	case c.target.Topology() == benchv1alpha1.TopologyExternal:
	case c.target.Topology() == benchv1alpha1.TopologyStandalone,
		c.target.Topology() == benchv1alpha1.TopologySharded &&
			*c.target.MongoDB.Sharded.Router == benchv1alpha1.RouterClient:
		c.refuse("needs a replica set, or a sharded target with router Mongos")
	case !release.AtLeast(since):
		c.refuse(fmt.Sprintf("needs version %s or later of the target, which is %s", since, release))
	}
}

func (c actionOnTarget) onMember() {
	byOperator := c.action.Type.ByOperator()
	switch {
	case c.target.Topology() == benchv1alpha1.TopologyExternal && byOperator:
		c.refuse("the pods of an existing database are not the operator's to touch")
	case c.target.Topology() == benchv1alpha1.TopologyExternal:
	case *c.target.MongoDB.Provider != benchv1alpha1.ProviderOperator && byOperator:
		c.refuse("the pods belong to the provider of the target")
	case c.target.Topology() == benchv1alpha1.TopologyStandalone && c.action.Type != benchv1alpha1.ActionDeletePod &&
		c.action.Type != benchv1alpha1.ActionCompact:
		c.refuse("needs a replica set: a standalone has no other member to take its place")
	default:
		c.onShape()
	}
}

// onShape checks whether the target has such a member, and whether it may lose it.
func (c actionOnTarget) onShape() {
	shards, members := shape(c.target)
	shard, member := ptr.Deref(c.action.Shard, 0), *c.action.Member
	c.Refuse(shard >= shards, c.path.Child("shard"), shard,
		"must be less than the number of shards, %d; without shards it is 0", shards)
	c.Refuse(member == benchv1alpha1.ActionMemberSecondary && members < 2, c.path.Child("member"), member,
		"the set has one member, which is primary")
	if c.action.Type == benchv1alpha1.ActionDeletePod && members < 2 && transient(c.target) {
		c.refuse("the only member keeps its data in its pod, and would come back without; use a " +
			"storage.volumeClaimTemplate, or more members")
	}
}

// shape is how many shards a target has, of how many members that clients see each.
func shape(target *benchv1alpha1.BenchmarkTargetSpec) (shards, members int32) {
	switch target.Topology() {
	case benchv1alpha1.TopologySharded:
		return *target.MongoDB.Sharded.Shards, *target.MongoDB.Sharded.MembersPerShard
	case benchv1alpha1.TopologyReplicaSet:
		members = *target.MongoDB.ReplicaSet.Members
		for _, member := range target.MongoDB.ReplicaSet.MemberSettings {
			if *member.Visibility == benchv1alpha1.MemberHidden {
				members--
			}
		}
		return 1, members
	default:
		return 1, 1
	}
}

// transient says whether a member's data goes with its pod.
func transient(target *benchv1alpha1.BenchmarkTargetSpec) bool {
	if product.VolumeOf(*target).Medium != product.MediumPersistentVolume {
		return true
	}
	engine := mongod.Engine(*target)
	return engine == benchv1alpha1.EngineInMemory || engine == benchv1alpha1.EngineEphemeralForTest
}
