package spec_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

func TestNormaliseChangesNothingThatIsNormalised(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("finding specifications: %d files, error %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			declared := readSpec(t, file)
			before := declared.DeepCopy()
			once := spec.Normalise(declared)
			if diff := cmp.Diff(*before, declared); diff != "" {
				t.Errorf("what was declared has changed (-before +after):\n%s", diff)
			}
			if diff := cmp.Diff(once, spec.Normalise(once)); diff != "" {
				t.Errorf("normalised twice (-once +twice):\n%s", diff)
			}
			if diff := cmp.Diff(spec.Compile(declared), spec.Compile(once)); diff != "" {
				t.Errorf("plan (-declared +normalised):\n%s", diff)
			}
		})
	}
}

func TestNormaliseTarget(t *testing.T) {
	const surroundings = `
databases: [mongobench]
resources: {cpu: 500m, memory: 1Gi, cpuRequest: 500m, memoryRequest: 1Gi}
placement: {spread: Preferred, pinning: None, reservedCPUs: "0"}
security: {authentication: Enabled, networkPolicy: Enabled, tls: {mode: "Off"}}
storage: {medium: PersistentVolume, size: 10Gi}
memberRestarts: Fail
provisioningSeconds: 600
provider: Operator
`
	const wiredTiger = `
kind: MongoDB
engine: {name: WiredTiger, wiredTiger: {type: BTree, indexPrefixCompression: Enabled, journal: Enabled}}
`
	tests := map[string]struct{ declared, want string }{
		"a Standalone": {
			"{topology: Standalone, version: 6.0.5}",
			"topology: Standalone\nversion: 6.0.5" + wiredTiger + surroundings,
		},
		"a replica set": {
			"{topology: ReplicaSet, version: 6.0.5}",
			"topology: ReplicaSet\nversion: 6.0.5\nreplicaSet: {members: 3}" + wiredTiger + surroundings,
		},
		"a sharded cluster": {"{topology: Sharded, version: 6.0.5}", `
topology: Sharded
version: 6.0.5
sharded:
  shards: 2
  membersPerShard: 1
  router: Mongos
  mongos: {replicas: 1, resources: {cpu: 500m, memory: 512Mi, cpuRequest: 500m, memoryRequest: 512Mi}}
  configServers:
    kind: Dedicated
    members: 1
    resources: {cpu: 250m, memory: 512Mi, cpuRequest: 250m, memoryRequest: 512Mi}
  balancer: {mode: "Off"}` + wiredTiger + surroundings},
		"a sharded cluster without mongos": {"{topology: Sharded, version: 6.0.5, sharded: {router: Client}}", `
topology: Sharded
version: 6.0.5
sharded: {shards: 2, membersPerShard: 1, router: Client}` + wiredTiger + surroundings},
		"a MongoDB with the engine of its time": {
			"{topology: Standalone, version: 2.4.14}", "topology: Standalone\nversion: 2.4.14\nkind: MongoDB" + surroundings,
		},
		"a MariaDB": {"{kind: MariaDB, topology: Standalone, mariaDB: {handlerSocket: {}}}", `
kind: MariaDB
topology: Standalone
durability: Synced
mariaDB: {engine: InnoDB, handlerSocket: {readThreads: 4, writeThreads: 1}}` + surroundings},
		"an existing database": {
			"{topology: External, external: {uriSecretRef: {name: a, key: b}}}",
			`{topology: External, external: {uriSecretRef: {name: a, key: b}, allowExisting: false}, kind: MongoDB,
			provider: Operator, memberRestarts: Fail, provisioningSeconds: 600}`,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := spec.NormaliseTarget(target(t, tc.declared))
			if diff := cmp.Diff(target(t, tc.want), got); diff != "" {
				t.Errorf("target (-want +got):\n%s", diff)
			}
		})
	}
}

func target(t *testing.T, text string) benchv1alpha1.BenchmarkTargetSpec {
	t.Helper()
	var declared benchv1alpha1.BenchmarkTargetSpec
	if err := yaml.UnmarshalStrict([]byte(text), &declared); err != nil {
		t.Fatal(err)
	}
	return declared
}
