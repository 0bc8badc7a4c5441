package v1alpha1_test

import (
	"maps"
	"testing"
)

const (
	engine  = "spec.engine"
	sharded = "spec.sharded"
)

// withSharding is a collection that is spread like this.
func withSharding(settings string) changes {
	return changes{collection + "sharding": "{" + settings + "}"}
}

// shardedWith is a sharded target with these settings.
func shardedWith(settings string) changes {
	return changes{"spec.topology": "Sharded", sharded: "{" + settings + "}"}
}

// targetRules are those about how a target is deployed.
var targetRules = map[string]rule{
	"sharded may be set only with topology Sharded": {
		"target", shardedWith("shards: 3"), changes{sharded: "{shards: 3}"},
	},
	"engine, parameters, arguments, placement, security, memberRestarts and provider describe a deployment, and " +
		"topology External deploys nothing": {
		"target",
		changes{"spec": "{topology: External, databases: [shop], external: {uriSecretRef: {name: a, key: uri}}}"},
		changes{"spec": "{topology: External, memberRestarts: Tolerate, external: {uriSecretRef: {name: a, key: uri}}}"},
	},
	"provider MongoDBCommunity deploys topology ReplicaSet only": {
		"target",
		changes{"spec.topology": "ReplicaSet", "spec.provider": "MongoDBCommunity"},
		changes{"spec.provider": "MongoDBCommunity"},
	},
	"wiredTiger may be set only with name WiredTiger": {
		"target",
		changes{engine: "{wiredTiger: {journal: Disabled}}"},
		changes{engine: "{name: InMemory, wiredTiger: {journal: Disabled}}"},
	},
	"inMemory may be set only with name InMemory": {
		"target",
		changes{engine: "{name: InMemory, inMemory: {sizeMebibytes: 256}}"},
		changes{engine: "{inMemory: {sizeMebibytes: 256}}"},
	},
	"tokuMX may be set only with name TokuMX": {
		"target",
		changes{engine: "{name: TokuMX, tokuMX: {directIO: Enabled}}"},
		changes{engine: "{name: WiredTiger, tokuMX: {directIO: Enabled}}"},
	},
	"runAsUser, runAsGroup and fsGroup cannot be given with ids Namespace, which leaves them to the namespace": {
		"target",
		changes{"spec.podSettings": "{securityContext: {runAsUser: 1000, fsGroup: 0}}"},
		changes{"spec.podSettings": "{securityContext: {ids: Namespace, fsGroup: 0}}"},
	},
	"ephemeralStorage must be at least 64Mi": {
		"target",
		changes{"spec.resources": "{ephemeralStorage: 64Mi}"},
		changes{"spec.resources": "{ephemeralStorage: 63Mi}"},
	},
	"reservedCPUs must not be negative": {
		"target", changes{"spec.placement": "{reservedCPUs: 0}"}, changes{"spec.placement": `{reservedCPUs: "-1m"}`},
	},
	"issuerRef may be set only with mode Preferred or Required": {
		"target",
		changes{"spec.security": "{tls: {mode: Preferred, issuerRef: {name: a, kind: ClusterIssuer}}}"},
		changes{"spec.security": "{tls: {issuerRef: {name: a}}}"},
	},
	"databases must not be MongoDB's own: admin, config, local": {
		"target",
		changes{"spec.databases": "[shop, administration]"},
		changes{"spec.databases": "[shop, admin]"},
	},
	"with router Client there are no mongos, configServers, balancer and chunks": {
		"target",
		shardedWith("router: Client, membersPerShard: 3"),
		shardedWith("router: Client, chunkSizeMebibytes: 1"),
	},
	"the config servers of kind Shard are the members of the first shard": {
		"target",
		shardedWith("configServers: {kind: Dedicated, members: 3}"),
		shardedWith("configServers: {kind: Shard, members: 3}"),
	},
	"windowStart and windowStop are required with mode Window and forbidden with any other": {
		"target",
		shardedWith(`balancer: {mode: Window, windowStart: "23:00", windowStop: "05:59"}`),
		shardedWith(`balancer: {mode: Window, windowStart: "23:00"}`),
	},
}

// asMariaDB is a target of kind MariaDB with more changes.
func asMariaDB(more changes) changes {
	all := changes{"spec.kind": "MariaDB", "spec.version": `"10.11"`}
	maps.Copy(all, more)
	return all
}

// asFerretDB is a target of kind FerretDB with more changes.
func asFerretDB(more changes) changes {
	all := changes{"spec.kind": "FerretDB", "spec.version": "1.24.0"}
	maps.Copy(all, more)
	return all
}

// kindRules are those about which database a target is.
var kindRules = map[string]rule{
	"kind MariaDB has topology Standalone or External": {
		"target", asMariaDB(nil), asMariaDB(changes{"spec.topology": "ReplicaSet"}),
	},
	"engine, provider and arguments are for kind MongoDB; what can be said of a MariaDB is in mariaDB and parameters": {
		"target",
		asMariaDB(changes{"spec.parameters": "[{name: innodb_flush_neighbors, value: '0'}]"}),
		asMariaDB(changes{"spec.arguments": "[--verbose]"}),
	},
	"mariaDB may be set only with kind MariaDB": {
		"target",
		asMariaDB(changes{"spec.mariaDB": "{engine: MyRocks, handlerSocket: {readThreads: 2}}"}),
		changes{"spec.mariaDB": "{engine: InnoDB}"},
	},
	"mariaDB describes a deployment, and topology External deploys nothing": {
		"target",
		changes{
			"spec": "{kind: MariaDB, topology: External, durability: OSCache, external: {uriSecretRef: {name: a, key: uri}}}",
		},
		changes{
			"spec": "{kind: MariaDB, topology: External, mariaDB: {}, external: {uriSecretRef: {name: a, key: uri}}}",
		},
	},
	"kind FerretDB has topology Standalone or External": {
		"target", asFerretDB(nil), asFerretDB(changes{"spec.topology": "ReplicaSet"}),
	},
	"engine, provider, arguments, parameters and durability cannot be had with kind FerretDB": {
		"target",
		changes{"spec": "{kind: FerretDB, topology: External, external: {uriSecretRef: {name: a, key: uri}}}"},
		asFerretDB(changes{"spec.parameters": "[{name: a, value: '0'}]"}),
	},
	"version must be one of MongoDB, 2.0 or later, with kind MariaDB one of MariaDB, 10.11 or later, or with kind " +
		"FerretDB one of FerretDB, 1.24.x or later": {
		"target", asMariaDB(changes{"spec.version": "11.4.2"}), changes{"spec.version": "1.9.6"},
	},
	"durability is None, Memory, Synced or Majority with kind MongoDB, and Memory, OSCache or Synced with kind MariaDB": {
		"target", changes{"spec.durability": "None"}, asMariaDB(changes{"spec.durability": "Majority"}),
	},
}

// TestVersionsAndDurabilitiesOfEachKind has the cases that TestRules has no room for.
func TestVersionsAndDurabilitiesOfEachKind(t *testing.T) {
	for _, accepted := range []changes{
		asMariaDB(changes{"spec.version": "10.11.6", "spec.durability": "Memory"}),
		asMariaDB(changes{"spec.version": `"11.8"`, "spec.durability": "OSCache"}),
		{"spec.version": "8.0.4", "spec.durability": "Synced"},
		asFerretDB(changes{"spec.version": "1.24.2"}),
		// What came after this version of the kinds is for the operator to judge, which may be a later one.
		{"spec.version": `"9.0"`},
		{"spec.version": "10.1.3"},
		asMariaDB(changes{"spec.version": "12.0.2"}), asFerretDB(changes{"spec.version": "2.0.0"}),
	} {
		if err := create(t, object(t, "target", accepted)); err != nil {
			t.Errorf("%v: %v", accepted, err)
		}
	}
	for field, refused := range map[string][]changes{
		"spec.version: ": {
			asMariaDB(changes{"spec.version": `"6.0"`}), asMariaDB(changes{"spec.version": `"10.5"`}),
			asFerretDB(changes{"spec.version": `"1.24"`}), asFerretDB(changes{"spec.version": "1.23.0"}),
			{"spec.version": "1.24.0"},
		},
		"spec.kind: ": {
			asFerretDB(changes{"spec.durability": "Synced"}), asFerretDB(changes{"spec.engine": "{name: InMemory}"}),
			asFerretDB(changes{"spec.arguments": "[--verbose]"}), asFerretDB(changes{"spec.provider": "Operator"}),
		},
		"spec.durability: ": {asMariaDB(changes{"spec.durability": "None"}), {"spec.durability": "OSCache"}},
	} {
		for _, changed := range refused {
			wantRefusal(t, create(t, object(t, "target", changed)), field)
		}
	}
}

// shardingRules are those about how a collection is spread.
var shardingRules = map[string]rule{
	"initialChunks needs a Hashed key": {
		"run",
		withSharding("key: [{field: a}, {field: b, type: Hashed}], initialChunks: 4"),
		withSharding("key: [{field: a}], initialChunks: 4"),
	},
	"at most one key can be Hashed": {
		"run",
		withSharding("key: [{field: a, type: Hashed}, {field: b}]"),
		withSharding("key: [{field: a, type: Hashed}, {field: b, type: Hashed}]"),
	},
	"a shard key is Ascending or Hashed": {
		"run",
		withSharding("key: [{field: a, type: Ascending}]"),
		withSharding("key: [{field: a, type: Descending}]"),
	},
}

// withAction is a step with one action.
func withAction(settings string) changes {
	return withStep("durationSeconds: 1, actions: [{name: fault, " + settings + "}]")
}

// actionRules are those about what is done to a target, and about what is repeated.
var actionRules = map[string]rule{
	"durationSeconds is for Freeze and Partition": {
		"run", withAction("type: Freeze, durationSeconds: 5"), withAction("type: StepDown, durationSeconds: 5"),
	},
	"key is required with RefineShardKey and ReshardCollection and forbidden with any other type": {
		"run", withAction("type: ReshardCollection, key: [{field: a}]"), withAction("type: ReshardCollection"),
	},
	"collection is for RefineShardKey and ReshardCollection": {
		"run",
		withAction("type: RefineShardKey, collection: people, key: [{field: a}, {field: b}]"),
		withAction("type: StartBalancer, collection: people"),
	},
	"member is for Freeze, DeletePod and Partition": {
		"run", withAction("type: DeletePod, member: Secondary"), withAction("type: StepDown, member: Primary"),
	},
	"shard is for actions on members": {
		"run", withAction("type: StepDown, shard: 1"), withAction("type: StopBalancer, shard: 1"),
	},
	"either sizes alone, or to and checkpoints, must be set": {
		"run",
		changes{"spec.workload.growth": "{to: 2000000, checkpoints: 5}"},
		changes{"spec.workload.growth": "{sizes: [10, 20], to: 20}"},
	},
}
