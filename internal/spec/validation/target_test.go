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
	return `{topology: Standalone, version: "` + version + `"` + more + `}`
}

const (
	withoutUsers = `, image: own, security: {authentication: Disabled}`
	community    = `{topology: ReplicaSet, version: "6.0.5", provider: MongoDBCommunity`
)

func TestValidateTarget(t *testing.T) {
	tests := map[string]testCase{
		"a target without resources is valid": {spec: ofVersion("6.0.5", "")},
		"an external one is not looked into":  {spec: `{topology: External, external: {uriSecretRef: {name: a, key: b}}}`},
		"the least memory is valid":           {spec: ofVersion("6.0.5", `, resources: {memory: 320Mi}`)},
		"pods of which too much is said": {
			spec: ofVersion("6.0.5", `, podSettings: {annotations: {a: "`+strings.Repeat("x", 17<<10)+`"}}`),
			want: []string{"spec.podSettings: Too long: may not be more than 16384 bytes"},
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
				"spec.podSettings.labels[app.kubernetes.io/name]: is the operator's own",
				"spec.podSettings.labels[job-name]: is the operator's own",
				"spec.podSettings.labels[mongobench.dev/member-of]: is the operator's own",
				"spec.podSettings.annotations[karpenter.sh/do-not-disrupt]: is the operator's own",
			},
		},
		"settings that no pod can have": {
			spec: `{topology: External, external: {uriSecretRef: {name: a, key: b}}, podSettings: {
				nodeSelector: {"a b": c}, labels: {a: "c d"}, annotations: {"a b": c}, imagePullPolicy: Often,
				tolerations: [{operator: Exist, effect: NoRun}, {key: a, operator: Exists, value: b}],
				topologySpreadConstraints: [{topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, minDomains: 2}],
				affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [
					{matchExpressions: [{key: arch, operator: In}]}]}}}}}`,
			want: []string{
				`spec.podSettings.imagePullPolicy: supported values: "Always", "IfNotPresent", "Never"`,
				"spec.podSettings.nodeSelector", "spec.podSettings.labels", "spec.podSettings.annotations",
				`spec.podSettings.tolerations[0].operator: supported values: "Exists", "Equal"`,
				"spec.podSettings.tolerations[0].effect", "spec.podSettings.tolerations[0].operator: must be Exists",
				"spec.podSettings.tolerations[1].value: must be left out",
				"spec.podSettings.topologySpreadConstraints[0].maxSkew: must be 1 or more",
				"spec.podSettings.topologySpreadConstraints[0].minDomains: must be left out",
				"spec.podSettings.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]." +
					"matchExpressions[0].values: must have a value with operator In",
			},
		},
		"a constraint beside that of placement": {
			spec: ofVersion("6.0.5", `, placement: {shardsPerNode: 1}, podSettings: {topologySpreadConstraints: [
				{topologyKey: kubernetes.io/hostname, maxSkew: 1, whenUnsatisfiable: DoNotSchedule}]}`),
			want: []string{"spec.podSettings.topologySpreadConstraints[0]: placement.shardsPerNode and spread Required make"},
		},
		"less of the node's disk than the data takes": {
			spec: ofVersion("6.0.5", `, storage: {medium: EmptyDir, size: 2Gi}, resources: {ephemeralStorage: 2Gi}`),
			want: []string{"spec.resources.ephemeralStorage: must be more than storage.size, 2Gi"},
		},
		"a MongoDB that is later than the operator": {
			spec: ofVersion("9.0.1", ""),
			want: []string{"spec.version: is of a later MongoDB than this version of the operator knows, which is up to 8.x"},
		},
		"a MariaDB that is later than the operator": {
			spec: ofVersion("12.0", ", kind: MariaDB"),
			want: []string{"spec.version: is of a later MariaDB than this version of the operator knows, which is up to 11.x"},
		},
		"a FerretDB that is later than the operator": {
			spec: ofVersion("2.0.0", ", kind: FerretDB, security: {authentication: Disabled}"),
			want: []string{"spec.version: is of a later FerretDB than this version of the operator knows, which is up to 1.x"},
		},
		"too little memory for a mongod": {
			spec: ofVersion("6.0.5", `, resources: {memory: 319Mi}`),
			want: []string{
				"spec.resources.memory: must be at least 320Mi, or a member is killed while it is loaded: 256 Mi of cache + " +
					"64 Mi beside",
			},
		},
		"a cache that its limit has no room for": {
			spec: ofVersion("6.0.5", `, resources: {memory: 1Gi}, engine: {wiredTiger: {cacheMebibytes: 961}}`),
			want: []string{"spec.resources.memory: 961 Mi of cache + 64 Mi beside"},
		},
		"a volume in memory beside the cache is valid": {
			spec: ofVersion("6.0.5", `, resources: {memory: 1344Mi}, storage: {medium: Memory, size: 1Gi}`),
		},
		"a volume in memory that its limit has no room for": {
			spec: ofVersion("6.0.5", `, resources: {memory: 1343Mi}, storage: {medium: Memory, size: 1Gi}`),
			want: []string{
				"spec.resources.memory: must be at least 1344Mi, or a member is killed while it is loaded: 256 Mi of cache + " +
					"1024 Mi of a volume in memory + 64 Mi beside",
			},
		},
		"config servers with too little memory": {
			spec: `{topology: Sharded, version: "6.0.5", sharded: {configServers: {resources: {memory: 200Mi}}}}`,
			want: []string{"spec.sharded.configServers.resources.memory: must be at least 320Mi"},
		},
		"requests above limits that are unset": {
			spec: ofVersion("6.0.5", `, resources: {cpuRequest: 501m, memoryRequest: 2Gi}`),
			want: []string{
				"spec.resources.cpuRequest: must be no more than cpu, which is 500m when unset",
				"spec.resources.memoryRequest: must be no more than memory, which is 1Gi when unset",
			},
		},
		"a request above a default and below its limit is valid": {
			spec: ofVersion("6.0.5", `, resources: {cpu: "2", cpuRequest: "1"}`),
		},
		"a request of mongos above its default": {
			spec: `{topology: Sharded, version: "6.0.5", sharded: {mongos: {resources: {memoryRequest: 1Gi}}}}`,
			want: []string{"spec.sharded.mongos.resources.memoryRequest: must be no more than memory, which is 512Mi"},
		},
		"cores of one's own are valid": {
			spec: ofVersion("6.0.5", `, resources: {cpu: "2", memoryRequest: 1Gi}, placement: {pinning: Exclusive}`),
		},
		"half a core of one's own": {
			spec: ofVersion("6.0.5", `, placement: {pinning: Exclusive}`),
			want: []string{"spec.resources.cpu: must be whole cores"},
		},
		"a core of one's own that is not asked for": {
			spec: ofVersion("6.0.5",
				`, resources: {cpu: "1", cpuRequest: 500m, memoryRequest: 1Mi}, placement: {pinning: Exclusive}`),
			want: []string{"spec.resources.cpuRequest: must equal cpu", "spec.resources.memoryRequest: must equal memory"},
		},
		"a config shard before its time": {
			spec: `{topology: Sharded, version: "7.0", sharded: {configServers: {kind: Shard}}}`,
			want: []string{"spec.sharded.configServers.kind: needs version 8.0"},
		},
		"a config shard is valid": {spec: `{topology: Sharded, version: "8.0", sharded: {configServers: {kind: Shard}}}`},
	}
	validateTargets(t, tests)
}

func TestValidateEngine(t *testing.T) {
	validateTargets(t, map[string]testCase{
		"no journal is valid": {spec: ofVersion("6.0.5", `, engine: {wiredTiger: {journal: Disabled}}`)},
		"no journal where there always is one": {
			spec: ofVersion("6.1", `, engine: {wiredTiger: {journal: Disabled}}`),
			want: []string{"spec.engine.wiredTiger.journal: version 6.1 always has a journal"},
		},
		"no journal in a replica set": {
			spec: `{topology: ReplicaSet, version: "6.0", engine: {wiredTiger: {journal: Disabled}}}`,
			want: []string{"spec.engine.wiredTiger.journal: use topology Standalone"},
		},
		"an engine for tests is valid": {spec: ofVersion("6.0.27", `, engine: {name: EphemeralForTest}`)},
		"an engine for tests after its time": {
			spec: ofVersion("7.0", `, engine: {name: EphemeralForTest}`), want: []string{"spec.engine.name: from 3.2 to 6.0"},
		},
		"an engine in memory of the community": {
			spec: ofVersion("6.0", `, engine: {name: InMemory}`), want: []string{"spec.image: Percona Server for MongoDB"},
		},
		"an engine in memory is valid": {spec: ofVersion("6.0", `, image: percona, engine: {name: InMemory}`)},
		"TokuMX is valid":              {spec: ofVersion("2.0", `, engine: {name: TokuMX}`+withoutUsers)},
		"TokuMX of a version that never was": {
			spec: ofVersion("6.0", `, image: own, engine: {name: TokuMX}`), want: []string{"spec.engine.name: 2.0"},
		},
		"an old version is valid": {spec: ofVersion("2.6", withoutUsers)},
		"an old version with everything of today": {
			spec: `{topology: ReplicaSet, version: "3.6.23", security: {tls: {mode: Required}}}`,
			want: []string{
				"spec.image: name one", "spec.topology: Standalone only", "spec.security.authentication: must be Disabled",
				"spec.security.tls.mode: must be Off",
			},
		},
		"a version that is too old": {
			spec: ofVersion("2.2", withoutUsers), want: []string{"spec.version: must be 2.4 or later"},
		},
		"WiredTiger before its time": {
			spec: ofVersion("2.6", `, engine: {name: WiredTiger}`+withoutUsers),
			want: []string{"spec.engine.name: leave engine out"},
		},
		"merge trees are valid": {spec: ofVersion("5.0.4", `, engine: {wiredTiger: {type: LSM}}`)},
		"merge trees of a server that they end": {
			spec: ofVersion("6.0.5", `, engine: {wiredTiger: {type: LSM}}`),
			want: []string{"spec.engine.wiredTiger.type: use 4.2 to 5.0"},
		},
		"merge trees of a server that is not supported": {
			spec: ofVersion("5.1", `, engine: {wiredTiger: {type: LSM}}`), want: []string{"spec.engine.wiredTiger.type: "},
		},
		"zstd before its time": {
			spec: ofVersion("4.0", `, engine: {wiredTiger: {compressor: Zstd}}`+withoutUsers),
			want: []string{"spec.engine.wiredTiger.compressor: needs version 4.2"},
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
			want: []string{"spec.arguments[1]: use spec.engine.wiredTiger.cacheMebibytes instead"},
		},
		"an argument that is not allowed": {
			spec: ofVersion("6.0.5", `, arguments: [--fork]`),
			want: []string{"spec.arguments[0]: cannot be given: a pod's mongod"},
		},
		"an argument twice": {
			spec: ofVersion("6.0.5", `, arguments: [--slowms=5, --slowms=6]`), want: []string{"spec.arguments[1]: "},
		},
		"a parameter that a field stands for": {
			spec: ofVersion("6.0.5", `, parameters: [{name: syncdelay, value: "5"}]`),
			want: []string{"spec.parameters[syncdelay]: use spec.engine.wiredTiger.checkpointSeconds instead"},
		},
		"a parameter that the operator sets": {
			spec: ofVersion("6.0.5", `, parameters: [{name: orphanCleanupDelaySecs, value: "900"}]`),
			want: []string{"spec.parameters[orphanCleanupDelaySecs]: cannot be given"},
		},
	})
}

func TestValidateProvider(t *testing.T) {
	validateTargets(t, map[string]testCase{
		"what the Community Operator can be told is valid": {
			spec: community +
				`, databases: [shop], parameters: [{name: a, value: b}], engine: {wiredTiger: {compressor: Zstd}}}`,
		},
		"what the Community Operator cannot be told": {
			spec: community + `, image: own, memberRestarts: Tolerate, placement: {}, arguments: [--slowms=5],
				engine: {name: EphemeralForTest}, storage: {medium: EmptyDir}, security: {authentication: Disabled,
				networkPolicy: Enabled, tls: {mode: Required}}}`,
			want: []string{
				"spec.engine.name: deploys WiredTiger", "spec.storage.medium: claims volumes", "spec.image: an image of its own",
				"spec.arguments: use parameters", "spec.security.authentication: always has users",
				"spec.security.tls.mode: certificates of its own", "spec.security.networkPolicy: lets everybody reach",
				"spec.placement: places the members", "spec.memberRestarts: restarts members as it sees fit",
			},
		},
	})
}

// ofMariaDB is a MariaDB, and more.
func ofMariaDB(more string) string {
	return `{kind: MariaDB, topology: Standalone, version: "10.11"` + more + `}`
}

func TestValidateMariaDB(t *testing.T) {
	validateTargets(t, map[string]testCase{
		"a MariaDB is valid": {spec: ofMariaDB("")},
		"one with everything is valid": {
			spec: ofMariaDB(`, durability: OSCache, mariaDB: {engine: MyRocks, handlerSocket: {}}, databases: [shop],
				parameters: [{name: innodb_flush_neighbors, value: "0"}], memberRestarts: Tolerate`),
		},
		"an existing one is not looked into": {
			spec: `{kind: MariaDB, topology: External, external: {uriSecretRef: {name: a, key: b}}}`,
		},
		"the least memory is valid": {spec: ofMariaDB(`, resources: {memory: 288Mi}`)},
		"too little memory": {
			spec: ofMariaDB(`, resources: {memory: 286Mi}`),
			want: []string{"spec.resources.memory: must be at least 287Mi"},
		},
		"too little memory for MyRocks": {
			spec: ofMariaDB(`, mariaDB: {engine: MyRocks}, resources: {memory: 692Mi}`),
			want: []string{"spec.resources.memory: must be at least 693Mi"},
		},
		"a buffer pool that the limit has no room for": {
			spec: ofMariaDB(`, mariaDB: {bufferPoolMebibytes: 1000}`),
			want: []string{"spec.resources.memory: 1000 Mi of buffer pool"},
		},
		"requests above the limits": {
			spec: ofMariaDB(`, resources: {memoryRequest: 2Gi}`), want: []string{"spec.resources.memoryRequest: "},
		},
		"half a core of one's own": {
			spec: ofMariaDB(`, placement: {pinning: Exclusive}`), want: []string{"spec.resources.cpu: whole cores"},
		},
		"databases of its own": {
			spec: ofMariaDB(`, databases: [shop, MySQL, sys]`),
			want: []string{"spec.databases[1]: MariaDB's own", "spec.databases[2]: MariaDB's own"},
		},
		"what it is not deployed with": {
			spec: ofMariaDB(`, mariaDB: {handlerSocket: {}},
				security: {authentication: Disabled, networkPolicy: Disabled, tls: {mode: Required}}`),
			want: []string{
				"spec.security.tls.mode: must be Off", "spec.security.authentication: must be Enabled",
				"spec.security.networkPolicy: whoever reaches its ports can stop it",
			},
		},
		"no policy without HandlerSocket is valid": {spec: ofMariaDB(`, security: {networkPolicy: Disabled}`)},
		"variables that are the operator's": {
			spec: ofMariaDB(`, parameters: [{name: innodb_flush_log_at_trx_commit, value: "2"}, {name: port, value: "1"},
				{name: max_connections, value: "10"}]`),
			want: []string{
				"spec.parameters[innodb_flush_log_at_trx_commit]: use spec.durability instead",
				"spec.parameters[port]: is or stands for port, which cannot be given: the pod",
			},
		},
	})
}

func TestValidateDurability(t *testing.T) {
	validateTargets(t, map[string]testCase{
		"one that is synced is valid":  {spec: ofVersion("6.0.5", `, durability: Synced`)},
		"a majority of a set is valid": {spec: `{topology: ReplicaSet, version: "6.0.5", durability: Majority}`},
		"memory of no disk is valid":   {spec: ofVersion("6.0.5", `, durability: Memory, engine: {name: EphemeralForTest}`)},
		"nothing at all is valid":      {spec: ofVersion("6.0.5", `, durability: None`)},
		"a majority of a single server": {
			spec: ofVersion("6.0.5", `, durability: Majority`), want: []string{"spec.durability: use Synced"},
		},
		"what is synced to no disk": {
			spec: ofVersion("6.0.5", `, durability: Synced, engine: {name: EphemeralForTest}`),
			want: []string{"spec.durability: use Memory"},
		},
		"what is synced without a journal": {
			spec: ofVersion("6.0.5", `, durability: Synced, engine: {wiredTiger: {journal: Disabled}}`),
			want: []string{"spec.durability: journal"},
		},
	})
}

func TestValidateFerretDB(t *testing.T) {
	ofFerretDB := func(authentication, more string) string {
		return `{kind: FerretDB, topology: Standalone, version: 1.24.0, security: {authentication: ` + authentication + more
	}
	validateTargets(t, map[string]testCase{
		"a FerretDB is valid": {spec: ofFerretDB("Disabled", `}}`)},
		"an existing one is not looked into": {
			spec: `{kind: FerretDB, topology: External, external: {uriSecretRef: {name: a, key: b}}}`,
		},
		"the least memory is valid": {spec: ofFerretDB("Disabled", `}, resources: {memory: 256Mi}}`)},
		"too little memory beside a volume": {
			spec: ofFerretDB("Disabled", `}, resources: {memory: 1279Mi}, storage: {medium: Memory, size: 1Gi}}`),
			want: []string{"spec.resources.memory: must be at least 1280Mi"},
		},
		"what it is not deployed with": {
			spec: ofFerretDB("Enabled", `, tls: {mode: Required}}}`),
			want: []string{"spec.security.authentication: must be Disabled", "spec.security.tls.mode: must be Off"},
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
