package validation_test

import (
	"testing"

	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

func TestValidateActionsOnPlacesAndFiles(t *testing.T) {
	const (
		eight       = `{mongodb: {version: "8.0.4", sharded: {}}}`
		configShard = `{mongodb: {version: "8.0.4", sharded: {configServers: {kind: Shard}}}}`
		analysis    = "type: AnalyzeShardKey, key: [{field: name}]"
	)
	for name, tc := range map[string]testCase{
		"a collection that moves is valid": {spec: withAction("type: MoveCollection, shard: 1", eight)},
		"config servers that become a shard are valid": {
			spec: withAction("type: TransitionFromDedicatedConfigServer", eight),
		},
		"a config shard that becomes config servers is valid": {
			spec: withAction("type: TransitionToDedicatedConfigServer", configShard),
		},
		"a compaction of a server that is alone is valid": {spec: withAction("type: Compact", aloneTarget)},
		"a compaction of a shard without mongos is valid": {
			spec: withAction("type: Compact, shard: 3, member: Secondary", byClient),
		},
		"an analysis on a replica set of 7.0 is valid": {
			spec: withAction(analysis, `{mongodb: {version: "7.0.9", replicaSet: {}}}`),
		},
		"all of it on a database that exists is valid": {spec: withAction("type: UnshardCollection", existing)},
		"a collection that moves to a shard that there is not": {
			spec: withAction("type: UnshardCollection, shard: 2", eight),
			want: []string{theAction + ".shard: must be less than the number of shards, 2"},
		},
		"a version that moves no collections": {
			spec: withAction("type: MoveCollection", twoShards),
			want: []string{theAction + ".type: needs version 8.0 or later of the target, which is 6.0"},
		},
		"a collection that moves without mongos": {
			spec: withAction("type: MoveCollection", byClient),
			want: []string{theAction + ".type: needs a sharded target with router Mongos"},
		},
		"config servers that are a shard already": {
			spec: withAction("type: TransitionFromDedicatedConfigServer", configShard),
			want: []string{theAction + ".type: needs config servers of kind Dedicated to begin with"},
		},
		"config servers that are no shard": {
			spec: withAction("type: TransitionToDedicatedConfigServer", eight),
			want: []string{theAction + ".type: needs config servers of kind Shard to begin with"},
		},
		"an analysis on a server that is alone": {
			spec: withAction(analysis, aloneTarget), want: []string{theAction + ".type: needs a replica set"},
		},
		"an analysis without mongos": {
			spec: withAction(analysis, byClient), want: []string{theAction + ".type: needs a replica set"},
		},
		"an analysis by a version that knows none": {
			spec: withAction(analysis, threeOf),
			want: []string{theAction + ".type: needs version 7.0 or later of the target, which is 6.0"},
		},
		"a compaction of the only secondary, which is hidden": {
			spec: withAction("type: Compact, member: Secondary",
				`{mongodb: {version: "6.0.5", replicaSet: {members: 2, memberSettings: [{member: 1, visibility: Hidden}]}}}`),
			want: []string{theAction + ".member: the set has one member"},
		},
	} {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}
