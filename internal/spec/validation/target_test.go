package validation_test

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

// ofVersion is a standalone of this version, and more.
func ofVersion(version, more string) string {
	return `{mongodb: {version: "` + version + `"` + more + `}}`
}

const (
	withoutUsers = `, image: own, security: {authentication: Disabled}`
	community    = `{mongodb: {version: "6.0.5", replicaSet: {}, provider: MongoDBCommunity`
)

func TestValidateTarget(t *testing.T) {
	tests := map[string]testCase{
		"a target without resources is valid": {spec: ofVersion("6.0.5", "")},
		"an external one is not looked into":  {spec: `{external: {uriSecretRef: {name: a, key: b}}}`},
		"the least memory is valid":           {spec: ofVersion("6.0.5", `, resources: {limits: {memory: 320Mi}}`)},
		"two members and an arbiter are valid": {
			spec: ofVersion("6.0.5", `, replicaSet: {members: 2, arbiters: 1}`),
		},
		"a delayed member without a vote is valid": {
			spec: ofVersion("6.0.5", `, replicaSet: {memberSettings: [{member: 2, delaySeconds: 60}]}`),
		},
		"settings of a member that there is not": {
			spec: ofVersion("6.0.5", `, replicaSet: {memberSettings: [{member: 3, priority: 2}]}`),
			want: []string{"spec.mongodb.replicaSet.memberSettings[0].member: must be below members, which is 3"},
		},
		"an arbiter that makes one member no majority": {
			spec: ofVersion("6.0.5", `, replicaSet: {members: 1, arbiters: 1}`),
			want: []string{"spec.mongodb.replicaSet: has 2 votes, of which 2 are a majority, and 1 members with a vote"},
		},
		"delayed members that a majority would wait for": {
			spec: ofVersion("6.0.5", `, replicaSet: {memberSettings: [{member: 1, delaySeconds: 60, votes: 1},
				{member: 2, delaySeconds: 60, votes: 1}]}`),
			want: []string{"spec.mongodb.replicaSet: has 3 votes, of which 2 are a majority, and 1 members with a vote"},
		},
		"pods of which too much is said": {
			spec: ofVersion("6.0.5", `, podSettings: {annotations: {a: "`+strings.Repeat("x", 17<<10)+`"}}`),
			want: []string{"spec.mongodb.podSettings: Too long: may not be more than 16384 bytes"},
		},
		"pods of which everything is said are valid": {
			spec: ofVersion("6.0.5", `, podSettings: {nodeSelector: {pool: bench}, tolerations: [{key: a, operator: Exists}],
				affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [
					{matchExpressions: [{key: kubernetes.io/arch, operator: In, values: [amd64]}]}]}}},
				topologySpreadConstraints: [{topologyKey: topology.kubernetes.io/zone, maxSkew: 1,
					whenUnsatisfiable: DoNotSchedule, minDomains: 3}],
				priorityClassName: high, runtimeClassName: gvisor, imagePullSecrets: [{name: registry}],
				labels: {team: db}, annotations: {sidecar.istio.io/inject: "true"}}`),
		},
		"labels and annotations of the operator": {
			spec: ofVersion("6.0.5", `, podSettings: {labels: {mongobench.dev/member-of: mine, app.kubernetes.io/name: a,
				job-name: b}, annotations: {karpenter.sh/do-not-disrupt: "false"}}`),
			want: []string{
				"spec.mongodb.podSettings.labels[app.kubernetes.io/name]: is the operator's own",
				"spec.mongodb.podSettings.labels[job-name]: is the operator's own",
				"spec.mongodb.podSettings.labels[mongobench.dev/member-of]: is the operator's own",
				"spec.mongodb.podSettings.annotations[karpenter.sh/do-not-disrupt]: is the operator's own",
			},
		},
		"settings that no pod can have": {
			spec: `{external: {uriSecretRef: {name: a, key: b}, podSettings: {
				nodeSelector: {"a b": c}, labels: {a: "c d"}, annotations: {"a b": c}, imagePullPolicy: Often,
				tolerations: [{operator: Exist, effect: NoRun}, {key: a, operator: Exists, value: b}],
				topologySpreadConstraints: [{topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, minDomains: 2}],
				affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [
					{matchExpressions: [{key: arch, operator: In}]}]}}}}}}`,
			want: []string{
				`spec.external.podSettings.imagePullPolicy: supported values: "Always", "IfNotPresent", "Never"`,
				"spec.external.podSettings.nodeSelector", "spec.external.podSettings.labels",
				"spec.external.podSettings.annotations",
				`spec.external.podSettings.tolerations[0].operator: supported values: "Exists", "Equal"`,
				"spec.external.podSettings.tolerations[0].effect",
				"spec.external.podSettings.tolerations[1].value: must be left out",
				"spec.external.podSettings.topologySpreadConstraints[0].maxSkew: must be 1 or more",
				"spec.external.podSettings.topologySpreadConstraints[0].minDomains: must be left out",
				"spec.external.podSettings.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution." +
					"nodeSelectorTerms[0].matchExpressions[0].values: must have a value with operator In",
			},
		},
		"a constraint beside that of placement": {
			spec: ofVersion("6.0.5", `, placement: {membersPerNode: 1}, podSettings: {topologySpreadConstraints: [
				{topologyKey: kubernetes.io/hostname, maxSkew: 1, whenUnsatisfiable: DoNotSchedule}]}`),
			want: []string{
				"spec.mongodb.podSettings.topologySpreadConstraints[0]: placement.membersPerNode and spread Required make",
			},
		},
		"less of the node's disk than the data takes": {
			spec: ofVersion("6.0.5",
				`, storage: {emptyDir: {sizeLimit: 2Gi}}, resources: {limits: {ephemeral-storage: 2Gi}}`),
			want: []string{"spec.mongodb.resources.limits[ephemeral-storage]: must be more than storage.emptyDir.sizeLimit"},
		},
		"too little memory for a mongod": {
			spec: ofVersion("6.0.5", `, resources: {limits: {memory: 319Mi}}`),
			want: []string{
				"spec.mongodb.resources.limits[memory]: must be at least 320Mi, or a member is killed while it is loaded: " +
					"256 Mi of cache + 64 Mi beside",
			},
		},
		"a cache that its limit has no room for": {
			spec: ofVersion("6.0.5", `, resources: {limits: {memory: 1Gi}}, engine: {wiredTiger: {cacheMebibytes: 961}}`),
			want: []string{"spec.mongodb.resources.limits[memory]: 961 Mi of cache + 64 Mi beside"},
		},
		"a volume in memory beside the cache is valid": {
			spec: ofVersion("6.0.5",
				`, resources: {limits: {memory: 1344Mi}}, storage: {emptyDir: {medium: Memory, sizeLimit: 1Gi}}`),
		},
		"a volume in memory that its limit has no room for": {
			spec: ofVersion("6.0.5",
				`, resources: {limits: {memory: 1343Mi}}, storage: {emptyDir: {medium: Memory, sizeLimit: 1Gi}}`),
			want: []string{
				"spec.mongodb.resources.limits[memory]: must be at least 1344Mi, or a member is killed while it is loaded: " +
					"256 Mi of cache + 1024 Mi of a volume in memory + 64 Mi beside",
			},
		},
		"config servers with too little memory": {
			spec: `{mongodb: {version: "6.0.5", sharded: {configServers: {resources: {limits: {memory: 200Mi}}}}}}`,
			want: []string{"spec.mongodb.sharded.configServers.resources.limits[memory]: must be at least 320Mi"},
		},
		"requests above limits that are unset": {
			spec: ofVersion("6.0.5", `, resources: {requests: {cpu: 501m, memory: 2Gi}}`),
			want: []string{
				"spec.mongodb.resources.requests[cpu]: must be no more than the limit, which is 500m when unset",
				"spec.mongodb.resources.requests[memory]: must be no more than the limit, which is 1Gi when unset",
			},
		},
		"a request above a default and below its limit is valid": {
			spec: ofVersion("6.0.5", `, resources: {limits: {cpu: "2"}, requests: {cpu: "1"}}`),
		},
		"a request of mongos above its default": {
			spec: `{mongodb: {version: "6.0.5", sharded: {mongos: {resources: {requests: {memory: 1Gi}}}}}}`,
			want: []string{
				"spec.mongodb.sharded.mongos.resources.requests[memory]: must be no more than the limit, which is 512Mi",
			},
		},
		"cores of one's own are valid": {
			spec: ofVersion("6.0.5",
				`, resources: {limits: {cpu: "2"}, requests: {memory: 1Gi}}, placement: {pinning: Exclusive}`),
		},
		"half a core of one's own": {
			spec: ofVersion("6.0.5", `, placement: {pinning: Exclusive}`),
			want: []string{"spec.mongodb.resources.limits[cpu]: must be whole cores"},
		},
		"a core of one's own that is not asked for": {
			spec: ofVersion("6.0.5",
				`, resources: {limits: {cpu: "1"}, requests: {cpu: 500m, memory: 1Mi}}, placement: {pinning: Exclusive}`),
			want: []string{
				"spec.mongodb.resources.requests[cpu]: must equal the limit",
				"spec.mongodb.resources.requests[memory]: must equal the limit",
			},
		},
		"a config shard before its time": {
			spec: `{mongodb: {version: "7.0", sharded: {configServers: {kind: Shard}}}}`,
			want: []string{"spec.mongodb.sharded.configServers.kind: needs version 8.0"},
		},
		"a config shard is valid": {spec: `{mongodb: {version: "8.0", sharded: {configServers: {kind: Shard}}}}`},
	}
	validateTargets(t, tests)
}

func TestValidateEngine(t *testing.T) {
	validateTargets(t, map[string]testCase{
		"no journal is valid": {spec: ofVersion("6.0.5", `, engine: {wiredTiger: {journal: Disabled}}`)},
		"no journal where there always is one": {
			spec: ofVersion("6.1", `, engine: {wiredTiger: {journal: Disabled}}`),
			want: []string{"spec.mongodb.engine.wiredTiger.journal: version 6.1 always has a journal"},
		},
		"no journal in a replica set": {
			spec: `{mongodb: {version: "6.0", replicaSet: {}, engine: {wiredTiger: {journal: Disabled}}}}`,
			want: []string{"spec.mongodb.engine.wiredTiger.journal: use a standalone"},
		},
		"an engine for tests is valid": {spec: ofVersion("6.0.27", `, engine: {name: EphemeralForTest}`)},
		"an engine for tests after its time": {
			spec: ofVersion("7.0", `, engine: {name: EphemeralForTest}`),
			want: []string{"spec.mongodb.engine.name: from 3.2 to 6.0"},
		},
		"an engine in memory of the community": {
			spec: ofVersion("6.0", `, engine: {name: InMemory}`),
			want: []string{"spec.mongodb.image: Percona Server for MongoDB"},
		},
		"an engine in memory is valid": {spec: ofVersion("6.0", `, image: percona, engine: {name: InMemory}`)},
		"TokuMX is valid":              {spec: ofVersion("2.0", `, engine: {name: TokuMX}`+withoutUsers)},
		"TokuMX of a version that never was": {
			spec: ofVersion("6.0", `, image: own, engine: {name: TokuMX}`), want: []string{"spec.mongodb.engine.name: 2.0"},
		},
		"an old version is valid": {spec: ofVersion("2.6", withoutUsers)},
		"an old version with everything of today": {
			spec: `{mongodb: {version: "3.6.23", replicaSet: {}, security: {tls: {mode: Required}}}}`,
			want: []string{
				"spec.mongodb.image: name one", "spec.mongodb: a standalone only",
				"spec.mongodb.security.authentication: must be Disabled",
				"spec.mongodb.security.tls.mode: must be Disabled",
			},
		},
		"a version that is too old": {
			spec: ofVersion("2.2", withoutUsers), want: []string{"spec.mongodb.version: must be 2.4 or later"},
		},
		"WiredTiger before its time": {
			spec: ofVersion("2.6", `, engine: {name: WiredTiger}`+withoutUsers),
			want: []string{"spec.mongodb.engine.name: leave engine out"},
		},
		"merge trees are valid": {spec: ofVersion("5.0.4", `, engine: {wiredTiger: {type: LSM}}`)},
		"merge trees of a server that they end": {
			spec: ofVersion("6.0.5", `, engine: {wiredTiger: {type: LSM}}`),
			want: []string{"spec.mongodb.engine.wiredTiger.type: use 4.2 to 5.0"},
		},
		"merge trees of a server that is not supported": {
			spec: ofVersion("5.1", `, engine: {wiredTiger: {type: LSM}}`),
			want: []string{"spec.mongodb.engine.wiredTiger.type: "},
		},
		"zstd before its time": {
			spec: ofVersion("4.0", `, engine: {wiredTiger: {compressor: Zstd}}`+withoutUsers),
			want: []string{"spec.mongodb.engine.wiredTiger.compressor: needs version 4.2"},
		},
	})
}

func TestValidateOptions(t *testing.T) {
	validateTargets(t, map[string]testCase{
		"options of one's own are valid": {
			spec: ofVersion("6.0.5",
				`, parameters: [{name: notablescan, value: "1"}], arguments: [--slowms=5, --directoryperdb]`),
		},
		"an argument that a field stands for": {
			spec: ofVersion("6.0.5", `, arguments: [--slowms=5, --wiredTigerCacheSizeGB=2]`),
			want: []string{"spec.mongodb.arguments[1]: use spec.mongodb.engine.wiredTiger.cacheMebibytes instead"},
		},
		"an argument that is not allowed": {
			spec: ofVersion("6.0.5", `, arguments: [--fork]`),
			want: []string{"spec.mongodb.arguments[0]: cannot be given: a pod's mongod"},
		},
		"an argument twice": {
			spec: ofVersion("6.0.5", `, arguments: [--slowms=5, --slowms=6]`), want: []string{"spec.mongodb.arguments[1]: "},
		},
		"a parameter that a field stands for": {
			spec: ofVersion("6.0.5", `, parameters: [{name: syncdelay, value: "5"}]`),
			want: []string{"spec.mongodb.parameters[syncdelay]: use spec.mongodb.engine.wiredTiger.checkpointSeconds instead"},
		},
		"a parameter that the operator sets": {
			spec: ofVersion("6.0.5", `, parameters: [{name: orphanCleanupDelaySecs, value: "900"}]`),
			want: []string{"spec.mongodb.parameters[orphanCleanupDelaySecs]: cannot be given"},
		},
	})
}

func TestValidateProvider(t *testing.T) {
	validateTargets(t, map[string]testCase{
		"what the Community Operator can be told is valid": {
			spec: community +
				`, databases: [shop], parameters: [{name: a, value: b}], engine: {wiredTiger: {compressor: Zstd}}}}`,
		},
		"what the Community Operator cannot be told": {
			spec: community + `, image: own, memberRestarts: Tolerate, placement: {}, arguments: [--slowms=5],
				engine: {name: EphemeralForTest}, storage: {emptyDir: {}}, security: {authentication: Disabled,
				networkPolicy: Enabled, tls: {mode: Required}}}}`,
			want: []string{
				"spec.mongodb.engine.name: deploys WiredTiger", "spec.mongodb.storage.emptyDir: claims volumes",
				"spec.mongodb.image: an image of its own",
				"spec.mongodb.arguments: has parameters alone",
				"spec.mongodb.security.authentication: always has users",
				"spec.mongodb.security.tls.mode: certificates of its own",
				"spec.mongodb.security.networkPolicy: lets everybody reach",
				"spec.mongodb.placement: places the members",
				"spec.mongodb.memberRestarts: restarts members as it sees fit",
			},
		},
		"members unlike the others by the Community Operator": {
			spec: ofVersion("6.0.5", `, provider: MongoDBCommunity,
				replicaSet: {arbiters: 0, memberSettings: [{member: 1, priority: 2}]}`),
			want: []string{
				"spec.mongodb.replicaSet.arbiters: is told the number of members alone",
				"spec.mongodb.replicaSet.memberSettings: is told the number of members alone",
			},
		},
	})
}

// ofMariaDB is a MariaDB, and more.
func ofMariaDB(more string) string {
	return mariaDBOf("10.11", more)
}

// mariaDBOf is a MariaDB of this version, and more.
func mariaDBOf(version, more string) string {
	return `{mariadb: {version: "` + version + `"` + more + `}}`
}

func TestValidateMariaDB(t *testing.T) {
	validateTargets(t, map[string]testCase{
		"a MariaDB is valid": {spec: ofMariaDB("")},
		"one with everything is valid": {
			spec: ofMariaDB(`, durability: OSCache, engine: MyRocks, handlerSocket: {}, databases: [shop],
				parameters: [{name: innodb_flush_neighbors, value: "0"}], memberRestarts: Tolerate`),
		},
		"an existing one is not looked into": {
			spec: `{external: {product: MariaDB, uriSecretRef: {name: a, key: b}}}`,
		},
		"the least memory is valid": {spec: ofMariaDB(`, resources: {limits: {memory: 288Mi}}`)},
		"too little memory": {
			spec: ofMariaDB(`, resources: {limits: {memory: 286Mi}}`),
			want: []string{"spec.mariadb.resources.limits[memory]: must be at least 287Mi"},
		},
		"too little memory for MyRocks": {
			spec: ofMariaDB(`, engine: MyRocks, resources: {limits: {memory: 692Mi}}`),
			want: []string{"spec.mariadb.resources.limits[memory]: must be at least 693Mi"},
		},
		"a buffer pool that the limit has no room for": {
			spec: ofMariaDB(`, bufferPoolMebibytes: 1000`),
			want: []string{"spec.mariadb.resources.limits[memory]: 1000 Mi of buffer pool"},
		},
		"requests above the limits": {
			spec: ofMariaDB(`, resources: {requests: {memory: 2Gi}}`),
			want: []string{"spec.mariadb.resources.requests[memory]: "},
		},
		"half a core of one's own": {
			spec: ofMariaDB(`, placement: {pinning: Exclusive}`),
			want: []string{"spec.mariadb.resources.limits[cpu]: whole cores"},
		},
		"databases of its own": {
			spec: ofMariaDB(`, databases: [shop, MySQL, sys]`),
			want: []string{"spec.mariadb.databases[1]: MariaDB's own", "spec.mariadb.databases[2]: MariaDB's own"},
		},
		"what it is not deployed with": {
			spec: ofMariaDB(`, handlerSocket: {},
				security: {authentication: Disabled, networkPolicy: Disabled, tls: {mode: Required}}`),
			want: []string{
				"spec.mariadb.security.tls.mode: must be Disabled", "spec.mariadb.security.authentication: must be Enabled",
				"spec.mariadb.security.networkPolicy: whoever reaches its ports can stop it",
			},
		},
		"no policy without HandlerSocket is valid": {spec: ofMariaDB(`, security: {networkPolicy: Disabled}`)},
		"variables that are the operator's": {
			spec: ofMariaDB(`, parameters: [{name: innodb_flush_log_at_trx_commit, value: "2"}, {name: port, value: "1"},
				{name: max_connections, value: "10"}]`),
			want: []string{
				"spec.mariadb.parameters[innodb_flush_log_at_trx_commit]: use spec.mariadb.durability instead",
				"spec.mariadb.parameters[port]: is or stands for port, which cannot be given: the pod",
			},
		},
	})
}

func TestValidateDurability(t *testing.T) {
	validateTargets(t, map[string]testCase{
		"one that is synced is valid":  {spec: ofVersion("6.0.5", `, durability: Synced`)},
		"a majority of a set is valid": {spec: `{mongodb: {version: "6.0.5", replicaSet: {}, durability: Majority}}`},
		"memory of no disk is valid":   {spec: ofVersion("6.0.5", `, durability: Memory, engine: {name: EphemeralForTest}`)},
		"nothing at all is valid":      {spec: ofVersion("6.0.5", `, durability: None`)},
		"a majority of a single server": {
			spec: ofVersion("6.0.5", `, durability: Majority`), want: []string{"spec.mongodb.durability: use Synced"},
		},
		"what is synced to no disk": {
			spec: ofVersion("6.0.5", `, durability: Synced, engine: {name: EphemeralForTest}`),
			want: []string{"spec.mongodb.durability: use Memory"},
		},
		"what is synced without a journal": {
			spec: ofVersion("6.0.5", `, durability: Synced, engine: {wiredTiger: {journal: Disabled}}`),
			want: []string{"spec.mongodb.durability: journal"},
		},
	})
}

// ofFerretDB is a FerretDB, and more.
func ofFerretDB(more string) string {
	return `{ferretdb: {version: 1.24.0` + more + `}}`
}

func TestValidateFerretDB(t *testing.T) {
	validateTargets(t, map[string]testCase{
		"a FerretDB is valid":             {spec: ofFerretDB("")},
		"without users, as it is, is too": {spec: ofFerretDB(`, security: {authentication: Disabled}`)},
		"an existing one is not looked into": {
			spec: `{external: {product: FerretDB, uriSecretRef: {name: a, key: b}}}`,
		},
		"the least memory is valid": {spec: ofFerretDB(`, resources: {limits: {memory: 256Mi}}`)},
		"too little memory beside a volume": {
			spec: ofFerretDB(`, resources: {limits: {memory: 1279Mi}}, storage: {emptyDir: {medium: Memory, sizeLimit: 1Gi}}`),
			want: []string{"spec.ferretdb.resources.limits[memory]: must be at least 1280Mi"},
		},
		"what it is not deployed with": {
			spec: ofFerretDB(`, security: {authentication: Enabled, tls: {mode: Required}}`),
			want: []string{
				"spec.ferretdb.security.authentication: must be Disabled", "spec.ferretdb.security.tls.mode: must be Disabled",
			},
		},
	})
}

// TestValidateVersion has the first and the last release that is known of each product, and those beside them.
func TestValidateVersion(t *testing.T) {
	ofFerretDB := func(version string) string { return `{ferretdb: {version: "` + version + `"}}` }
	const own = withoutUsers
	later := func(member, product, major string) []string {
		return []string{"spec." + member + ".version: is of a later " + product +
			" than this version of the operator knows, which is up to " + major + ".x"}
	}
	validateTargets(t, map[string]testCase{
		"the latest MongoDB is valid": {spec: ofVersion("9.9.9", "")},
		"a MongoDB that is later than the operator": {
			spec: ofVersion("10.0.1", ""), want: later("mongodb", "MongoDB", "9"),
		},
		"a MongoDB of before all": {
			spec: ofVersion("1.9.6", own), want: []string{"spec.mongodb.version: must be 2.0 or later for MongoDB"},
		},
		"the last MongoDB 2 is valid": {spec: ofVersion("2.6.12", own)},
		"a MongoDB 2 that never was": {
			spec: ofVersion("2.7", own), want: []string{"spec.mongodb.version: is 2.6"},
		},
		"the last MongoDB 3 is valid": {spec: ofVersion("3.6.23", own)},
		"a MongoDB 3 that never was": {
			spec: ofVersion("3.7.0", own), want: []string{"spec.mongodb.version: is 3.6"},
		},
		"the last MongoDB 4 is valid": {spec: ofVersion("4.4.29", "")},
		"a MongoDB 4 that never was": {
			spec: ofVersion("4.6", ""), want: []string{"spec.mongodb.version: the last series of MongoDB 4 is 4.4"},
		},
		"the last MongoDB 5 is valid": {spec: ofVersion("5.3", "")},
		"a MongoDB 5 that never was": {
			spec: ofVersion("5.4.1", ""), want: []string{"spec.mongodb.version: is 5.3"},
		},
		"a MongoDB 6 that never was": {
			spec: ofVersion("6.4", ""), want: []string{"spec.mongodb.version: is 6.3"},
		},
		"a MongoDB 7 that never was": {
			spec: ofVersion("7.4", ""), want: []string{"spec.mongodb.version: is 7.3"},
		},
		"the last MongoDB 6 is valid": {spec: ofVersion("6.3.2", "")},
		"the last MongoDB 7 is valid": {spec: ofVersion("7.3.4", "")},
		"the oldest MariaDB is valid": {spec: mariaDBOf("10.11.6", "")},
		"a MariaDB 11 is valid":       {spec: mariaDBOf("11.8", "")},
		"a MariaDB of before": {
			spec: mariaDBOf("10.5", ""),
			want: []string{"spec.mariadb.version: must be 10.11 or later"},
		},
		"a MariaDB with MongoDB's": {
			spec: mariaDBOf("6.0", ""),
			want: []string{"spec.mariadb.version: must be 10.11 or later"},
		},
		"a MariaDB that is later":      {spec: mariaDBOf("12.0", ""), want: later("mariadb", "MariaDB", "11")},
		"the oldest FerretDB is valid": {spec: ofFerretDB("1.24.2")},
		"a FerretDB of before": {
			spec: ofFerretDB("1.23.0"),
			want: []string{"spec.ferretdb.version: must be 1.24 or later"},
		},
		"a FerretDB without a patch": {
			spec: ofFerretDB("1.24"),
			want: []string{"spec.ferretdb.version: must have a patch"},
		},
		"a FerretDB that is later": {spec: ofFerretDB("2.0.0"), want: later("ferretdb", "FerretDB", "1")},
		"a MongoDB with FerretDB's": {
			spec: ofVersion("1.24.0", own), want: []string{"spec.mongodb.version: must be 2.0"},
		},
	})
}

func validateTargets(t *testing.T, tests map[string]testCase) {
	t.Helper()
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			target := &benchv1alpha1.BenchmarkTarget{}
			if err := yaml.UnmarshalStrict([]byte(tc.spec), &target.Spec); err != nil {
				t.Fatal(err)
			}
			check(t, validation.ValidateTarget(target), tc.want)
		})
	}
}
