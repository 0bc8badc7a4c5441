package validation_test

import (
	"testing"

	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

// withAction is a run of 30 seconds with one action, on a target of its own.
func withAction(action, target string) string {
	return withSteps("{name: s, durationSeconds: 30, actions: [{name: a, "+action+"}], "+insertOnly, "target: "+target)
}

const (
	aloneTarget = `{mongodb: {version: "6.0.5"}}`
	threeOf     = `{mongodb: {version: "6.0.5", replicaSet: {}}}`
	oneOf       = `{mongodb: {version: "6.0.5", replicaSet: {members: 1}}}`
	twoShards   = `{mongodb: {version: "6.0.5", sharded: {}}}`
	byClient    = `{mongodb: {version: "6.0.5", sharded: {router: Client, shards: 4, membersPerShard: 3}}}`
	existing    = `{external: {uriSecretRef: {name: s, key: k}}}`
	theAction   = "spec.workload.steps[0].actions[0]"
)

func TestValidateTheTimesOfActions(t *testing.T) {
	for name, tc := range map[string]testCase{
		"one at the begin is valid":        {spec: withAction("type: StepDown", threeOf)},
		"one in the last second is valid":  {spec: withAction("type: StepDown, afterSeconds: 29", threeOf)},
		"one that ends with it is valid":   {spec: withAction("type: Freeze, afterSeconds: 20", threeOf)},
		"what lasts for no time may be it": {spec: withAction("type: DeletePod, afterSeconds: 29", threeOf)},
		"one that comes after the end": {
			spec: withAction("type: StepDown, afterSeconds: 30", threeOf),
			want: []string{theAction + ".afterSeconds: must be less than the durationSeconds of the step, 30"},
		},
		"one that lasts for longer": {
			spec: withAction("type: Partition, afterSeconds: 20, durationSeconds: 11", threeOf),
			want: []string{theAction + ".durationSeconds: it would end 31 seconds after the start"},
		},
		"one that lasts for longer by default": {
			spec: withAction("type: Freeze, afterSeconds: 21", threeOf),
			want: []string{theAction + ".durationSeconds: it would end 31 seconds after the start"},
		},
		"a step that ends with a number of operations": {
			spec: withSteps("{name: s, operationCount: 9, actions: [{name: a, type: StepDown}], "+insertOnly, ""),
			want: []string{"spec.workload.steps[0].actions: for a step with durationSeconds"},
		},
		"a search": {
			spec: withSteps("{name: s, durationSeconds: 9, search: {limitMicros: 9, maxOperationsPerSecond: 9}, "+
				"actions: [{name: a, type: StepDown}], "+insertOnly, ""),
			want: []string{"spec.workload.steps[0].actions: without a search"},
		},
	} {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}

func TestValidateActionsWithTheTarget(t *testing.T) {
	const inMemory = `, storage: {emptyDir: {}}}}`
	for name, tc := range map[string]testCase{
		"a pod of a standalone with a volume is valid": {spec: withAction("type: DeletePod", aloneTarget)},
		"a pod of a server that knows no engines is valid": {
			spec: withAction("type: DeletePod",
				`{mongodb: {version: "2.4.14", image: a, security: {authentication: Disabled}}}`),
		},
		"a pod of a set in memory is valid": {
			spec: withAction("type: DeletePod", `{mongodb: {version: "6.0.5", replicaSet: {}`+inMemory),
		},
		"a secondary is valid":           {spec: withAction("type: Freeze, member: Secondary", threeOf)},
		"the last shard is valid":        {spec: withAction("type: StepDown, shard: 3", byClient)},
		"a balancer is valid":            {spec: withAction("type: StartBalancer", twoShards)},
		"a database of one's own may do": {spec: withAction("type: StepDown", existing)},
		"a shard key of a collection is valid": {
			spec: withAction("type: RefineShardKey, collection: c, key: [{field: x}]", twoShards),
		},
		"a cluster of one's own may be sharded": {spec: withAction("type: StopBalancer", existing)},
		"a standalone that steps down": {
			spec: withAction("type: StepDown", aloneTarget), want: []string{theAction + ".type: needs a replica set"},
		},
		"a standalone that is cut off": {
			spec: withAction("type: Partition", aloneTarget), want: []string{theAction + ".type: needs a replica set"},
		},
		"the only member without a volume": {
			spec: withAction("type: DeletePod", `{mongodb: {version: "6.0.5"`+inMemory),
			want: []string{theAction + ".type: would come back without"},
		},
		"the only member with an engine in memory": {
			spec: withAction("type: DeletePod", `{mongodb: {version: "6.0.5", engine: {name: EphemeralForTest}}}`),
			want: []string{theAction + ".type: would come back without"},
		},
		"a secondary of one member": {
			spec: withAction("type: Freeze, member: Secondary", oneOf), want: []string{theAction + ".member: one member"},
		},
		"a shard that is not there": {
			spec: withAction("type: StepDown, shard: 2", twoShards), want: []string{theAction + ".shard: must be less than"},
		},
		"a shard of a set": {
			spec: withAction("type: StepDown, shard: 1", threeOf), want: []string{theAction + ".shard: must be less than"},
		},
		"a balancer of a set": {
			spec: withAction("type: StartBalancer", threeOf), want: []string{theAction + ".type: with router Mongos"},
		},
		"a balancer without mongos": {
			spec: withAction("type: StopBalancer", byClient), want: []string{theAction + ".type: with router Mongos"},
		},
		"a pod of an existing database": {
			spec: withAction("type: DeletePod", existing), want: []string{theAction + ".type: not the operator's to touch"},
		},
		"a pod of another operator": {
			spec: withAction("type: Partition", `{mongodb: {version: "6.0.5", replicaSet: {}, provider: MongoDBCommunity}}`),
			want: []string{theAction + ".type: belong to the provider"},
		},
		"a collection that is not there": {
			spec: withAction("type: ReshardCollection, collection: d, key: [{field: x}]", twoShards),
			want: []string{theAction + `.collection: supported values: "c"`},
		},
		"a target that does not tolerate it": {
			spec: withAction("type: DeletePod", `{mongodb: {version: "6.0.5", replicaSet: {}, memberRestarts: Fail}}`),
			want: []string{"spec.target.mongodb.memberRestarts: leave it out, or set it to Tolerate"},
		},
	} {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}

func TestValidateActionsOnATargetThatIsReferredTo(t *testing.T) {
	for name, tc := range map[string]struct {
		action, target string
		want           []string
	}{
		"a step down of any set is valid": {"type: StepDown", threeOf, nil},
		"a pod of a set that tolerates it is valid": {
			"type: DeletePod", `{mongodb: {version: "6.0.5", replicaSet: {}, memberRestarts: Tolerate}}`, nil,
		},
		"a pod of a set that does not": {
			"type: DeletePod", threeOf, []string{"spec.targetRef.name: set its memberRestarts to Tolerate"},
		},
		"a shard that is not there": {"type: StepDown, shard: 1", threeOf, []string{theAction + ".shard: must be less than"}},
	} {
		t.Run(name, func(t *testing.T) {
			run := runOf(t, withAction(tc.action, "null"))
			run.Spec.TargetRef = &benchv1alpha1.NameReference{Name: "t"}
			check(t, validation.ValidateRun(run), nil)
			var target benchv1alpha1.BenchmarkTargetSpec
			if err := yaml.UnmarshalStrict([]byte(tc.target), &target); err != nil {
				t.Fatal(err)
			}
			check(t, validation.ValidateReferring(run, spec.NormaliseOn(run.Spec, target)), tc.want)
		})
	}
}
