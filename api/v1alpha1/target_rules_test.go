package v1alpha1_test

import (
	"maps"
	"strings"
	"testing"
)

const (
	mongoDB  = "spec.mongodb."
	mariaDB  = "spec.mariadb."
	ferretDB = "spec.ferretdb."
	engine   = mongoDB + "engine"
	security = mongoDB + "security"
	pods     = mongoDB + "podSettings"
	external = "external: {uriSecretRef: {name: a, key: uri}}"
)

// withSharding is a collection that is spread like this.
func withSharding(settings string) changes {
	return changes{collection + "sharding": "{" + settings + "}"}
}

// shardedWith is a sharded target with these settings.
func shardedWith(settings string) changes {
	return changes{mongoDB + "sharded": "{" + settings + "}"}
}

// asMariaDB is a MariaDB with more changes.
func asMariaDB(more changes) changes {
	return inPlace(changes{"spec.mariadb": `{version: "10.11"}`}, more)
}

// asFerretDB is a FerretDB with more changes.
func asFerretDB(more changes) changes {
	return inPlace(changes{"spec.ferretdb": "{version: 1.24.0}"}, more)
}

// inPlace is another product in place of the base's MongoDB.
func inPlace(of, more changes) changes {
	all := changes{"spec.mongodb": ""}
	maps.Copy(all, of)
	maps.Copy(all, more)
	return all
}

// membersWith is a replica set with the settings of one member.
func membersWith(settings string) changes {
	return changes{mongoDB + "replicaSet": "{memberSettings: [{" + settings + "}]}"}
}

// targetRules are those about how a target is deployed.
var targetRules = map[string]rule{
	"exactly one of the fields in [mongodb mariadb ferretdb external] must be set": {
		"target",
		changes{"spec": "{" + external + "}"},
		changes{"spec": "{" + external + `, mongodb: {version: "6.0"}}`},
	},
	"at most one of the fields in [standalone replicaSet sharded] may be set": {
		"target",
		changes{mongoDB + "replicaSet": "{members: 3}"},
		changes{mongoDB + "replicaSet": "{members: 3}", mongoDB + "standalone": "{}"},
	},
	"at most one of the fields in [volumeClaimTemplate emptyDir] may be set": {
		"target",
		changes{mongoDB + "storage": "{volumeClaimTemplate: {spec: {storageClassName: fast}}}"},
		changes{mongoDB + "storage": "{emptyDir: {}, volumeClaimTemplate: {spec: {storageClassName: fast}}}"},
	},
	"provider MongoDBCommunity deploys a replicaSet only; set replicaSet, or use provider Operator": {
		"target",
		changes{mongoDB + "replicaSet": "{}", mongoDB + "provider": "MongoDBCommunity"},
		changes{mongoDB + "provider": "MongoDBCommunity"},
	},
	"member 0 must be able to become primary: give priority 0, votes 0, Hidden and delaySeconds to another one": {
		"target",
		membersWith("member: 0, priority: 2, votes: 1, visibility: Visible"),
		membersWith("member: 0, visibility: Hidden"),
	},
	"a member that is hidden, delayed or without a vote never becomes primary; leave priority out": {
		"target",
		membersWith("member: 1, priority: 0, votes: 0, visibility: Hidden, delaySeconds: 5"),
		membersWith("member: 1, priority: 1, delaySeconds: 5"),
	},
	"a delayed member is Hidden, or clients would read old data; leave visibility out": {
		"target",
		membersWith("member: 1, delaySeconds: 5, visibility: Hidden"),
		membersWith("member: 1, delaySeconds: 5, visibility: Visible"),
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
		changes{pods: "{securityContext: {runAsUser: 1000, fsGroup: 0}}"},
		changes{pods: "{securityContext: {ids: Namespace, fsGroup: 0}}"},
	},
	"issuerRef may be set only with mode Preferred or Required": {
		"target",
		changes{security: "{tls: {mode: Preferred, issuerRef: {name: a, kind: ClusterIssuer}}}"},
		changes{security: "{tls: {issuerRef: {name: a}}}"},
	},
	"databases must not be MongoDB's own: admin, config, local": {
		"target",
		changes{mongoDB + "databases": "[shop, administration]"},
		changes{mongoDB + "databases": "[shop, admin]"},
	},
	"with router Client, mongos, configServers, balancer and chunkSizeMebibytes must be left out: there are none": {
		"target",
		shardedWith("router: Client, membersPerShard: 3"),
		shardedWith("router: Client, chunkSizeMebibytes: 1"),
	},
	"with kind Shard, members and resources must be left out: the config servers are the members of the first shard": {
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

// TestTargetsThatAreAccepted has what TestRules has no room for.
func TestTargetsThatAreAccepted(t *testing.T) {
	for name, accepted := range map[string]changes{
		"a standalone that says so": {mongoDB + "standalone": "{}"},
		"an empty replica set":      {mongoDB + "replicaSet": "{}"},
		"an empty sharded cluster":  {mongoDB + "sharded": "{}"},
		"a durability of MongoDB":   {mongoDB + "version": "8.0.4", mongoDB + "durability": "None"},
		"a MariaDB with everything of its own": asMariaDB(changes{
			mariaDB + "durability": "OSCache", mariaDB + "engine": "MyRocks",
			mariaDB + "bufferPoolMebibytes": "64", mariaDB + "handlerSocket": "{readThreads: 2}",
			mariaDB + "parameters": "[{name: innodb_flush_neighbors, value: '0'}]",
		}),
		"an existing MariaDB": {
			"spec": "{external: {product: MariaDB, durability: OSCache, uriSecretRef: {name: a, key: uri}, " +
				"tls: {caSecretRef: {name: b}}}}",
		},
		"an existing FerretDB": {"spec": "{external: {product: FerretDB, uriSecretRef: {name: a, key: uri}}}"},
		// Whether it knows a release is for the operator to judge, which may be later than the schema.
		"a MongoDB of the future":  {mongoDB + "version": "10.1.3"},
		"a MariaDB of the future":  asMariaDB(changes{mariaDB + "version": "12.0.2"}),
		"a FerretDB of the future": asFerretDB(changes{ferretDB + "version": "2.0.0"}),
		"resources as any pod has": {
			mongoDB + "resources": `{limits: {cpu: 2, memory: 4Gi}, requests: {cpu: "1", ephemeral-storage: 1Gi}}`,
		},
		"a volume in memory": {mongoDB + "storage": "{emptyDir: {medium: Memory, sizeLimit: 2Gi}}"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := create(t, object(t, "target", accepted)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestSettingsOfOneProductCannotBeWrittenForAnother holds the members of the union apart: what a product cannot do has
// no field.
func TestSettingsOfOneProductCannotBeWrittenForAnother(t *testing.T) {
	for name, reject := range map[string]changes{
		"a MariaDB as a replica set":        asMariaDB(changes{mariaDB + "replicaSet": "{}"}),
		"arguments of a MariaDB":            asMariaDB(changes{mariaDB + "arguments": "[--verbose]"}),
		"a provider of a MariaDB":           asMariaDB(changes{mariaDB + "provider": "Operator"}),
		"a buffer pool of MongoDB":          {mongoDB + "bufferPoolMebibytes": "64"},
		"a FerretDB as a replica set":       asFerretDB(changes{ferretDB + "replicaSet": "{}"}),
		"an engine of FerretDB":             asFerretDB(changes{ferretDB + "engine": "{name: InMemory}"}),
		"arguments of a FerretDB":           asFerretDB(changes{ferretDB + "arguments": "[--verbose]"}),
		"parameters of a FerretDB":          asFerretDB(changes{ferretDB + "parameters": "[{name: a, value: '0'}]"}),
		"a provider of a FerretDB":          asFerretDB(changes{ferretDB + "provider": "Operator"}),
		"durability of a FerretDB":          asFerretDB(changes{ferretDB + "durability": "Synced"}),
		"a version of an existing database": {"spec": "{" + external + "}", "spec.external.version": `"6.0"`},
		"databases of an existing database": {"spec": "{" + external + "}", "spec.external.databases": "[shop]"},
		"restarts of an existing database":  {"spec": "{" + external + "}", "spec.external.memberRestarts": "Tolerate"},
		"an engine of an existing database": {"spec": "{" + external + "}", "spec.external.engine": "{}"},
	} {
		t.Run(name, func(t *testing.T) {
			err := create(t, object(t, "target", reject))
			if err == nil || !strings.Contains(err.Error(), "unknown field") {
				t.Errorf("got error %v, want an unknown field", err)
			}
		})
	}
}

// shardingRules are those about how a collection is spread.
var shardingRules = map[string]rule{
	"initialChunks needs a key of type Hashed; splitPoints divide other keys": {
		"run",
		withSharding("key: [{field: a}, {field: b, type: Hashed}], initialChunks: 4"),
		withSharding("key: [{field: a}], initialChunks: 4"),
	},
	"at most one key can be Hashed": {
		"run",
		withSharding("key: [{field: a, type: Hashed}, {field: b}]"),
		withSharding("key: [{field: a, type: Hashed}, {field: b, type: Hashed}]"),
	},
	"the type of a shard key must be Ascending or Hashed": {
		"run",
		withSharding("key: [{field: a, type: Ascending}]"),
		withSharding("key: [{field: a, type: Text}]"),
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
	"key is required with RefineShardKey, ReshardCollection and AnalyzeShardKey and forbidden with any other type": {
		"run", withAction("type: ReshardCollection, key: [{field: a}]"), withAction("type: ReshardCollection"),
	},
	"collection is for actions on a collection": {
		"run",
		withAction("type: RefineShardKey, collection: people, key: [{field: a}, {field: b}]"),
		withAction("type: StartBalancer, collection: people"),
	},
	"index is required with CreateIndex and forbidden with any other type": {
		"run",
		withAction("type: CreateIndex, index: {keys: [{field: a}], partialFilter: {n: 1}}"),
		withAction("type: CreateIndex"),
	},
	"indexName is required with DropIndex and forbidden with any other type": {
		"run", withAction("type: DropIndex, collection: people, indexName: a_1"),
		withAction("type: StepDown, indexName: a_1"),
	},
	"member may be set only with type Freeze, DeletePod, Partition or Compact": {
		"run", withAction("type: Compact, member: Secondary"), withAction("type: StepDown, member: Primary"),
	},
	"shard is for actions on members, MoveCollection and UnshardCollection": {
		"run", withAction("type: MoveCollection, shard: 1"), withAction("type: StopBalancer, shard: 1"),
	},
	"either sizes alone, or to and checkpoints, must be set": {
		"run",
		changes{"spec.workload.growth": "{to: 2000000, checkpoints: 5}"},
		changes{"spec.workload.growth": "{sizes: [10, 20], to: 20}"},
	},
}
