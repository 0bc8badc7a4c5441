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
	const (
		some         = "cpu: 500m, memory: 1Gi"
		surroundings = `
    databases: [mongobench]
    resources: {limits: {` + some + `}, requests: {` + some + `}}
    placement: {spread: Preferred, pinning: None, reservedCPUs: "0"}
    storage:
      volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 10Gi}}}}
    memberRestarts: Fail
    provisioningSeconds: 600
`
		secured    = `    security: {authentication: Enabled, networkPolicy: Enabled, tls: {mode: Disabled}}` + surroundings
		wiredTiger = `
    provider: Operator
    engine: {name: WiredTiger, wiredTiger: {type: BTree, indexPrefixCompression: Enabled, journal: Enabled}}
` + secured
	)
	tests := map[string]struct{ declared, want string }{
		"a standalone": {
			"{mongodb: {version: 6.0.5}}", "mongodb:\n    version: 6.0.5\n    standalone: {}" + wiredTiger,
		},
		"a standalone that says so": {
			"{mongodb: {version: 6.0.5, standalone: {}}}", "mongodb:\n    version: 6.0.5\n    standalone: {}" + wiredTiger,
		},
		"a replica set": {
			"{mongodb: {version: 6.0.5, replicaSet: {}}}",
			"mongodb:\n    version: 6.0.5\n    replicaSet: {members: 3}" + wiredTiger,
		},
		"a sharded cluster": {"{mongodb: {version: 6.0.5, sharded: {}}}", `
mongodb:
    version: 6.0.5
    sharded:
      shards: 2
      membersPerShard: 1
      router: Mongos
      mongos:
        replicas: 1
        resources: {limits: {cpu: 500m, memory: 512Mi}, requests: {cpu: 500m, memory: 512Mi}}
      configServers:
        kind: Dedicated
        members: 1
        resources: {limits: {cpu: 250m, memory: 512Mi}, requests: {cpu: 250m, memory: 512Mi}}
      balancer: {mode: Disabled}` + wiredTiger},
		"a sharded cluster without mongos": {"{mongodb: {version: 6.0.5, sharded: {router: Client}}}", `
mongodb:
    version: 6.0.5
    sharded: {shards: 2, membersPerShard: 1, router: Client}` + wiredTiger},
		"a MongoDB with the engine of its time": {
			"{mongodb: {version: 2.4.14}}",
			"mongodb:\n    version: 2.4.14\n    standalone: {}\n    provider: Operator\n" + secured,
		},
		"a MariaDB": {"{mariadb: {handlerSocket: {}}}", `
mariadb:
    durability: Synced
    engine: InnoDB
    handlerSocket: {readThreads: 4, writeThreads: 1}
` + secured},
		"a FerretDB, which has no users": {"{ferretdb: {version: 1.24.0}}", `
ferretdb:
    version: 1.24.0
    security: {authentication: Disabled, networkPolicy: Enabled, tls: {mode: Disabled}}` + surroundings},
		"an existing database": {
			"{external: {uriSecretRef: {name: a, key: b}}}",
			"{external: {uriSecretRef: {name: a, key: b}, product: MongoDB, allowExisting: false, provisioningSeconds: 600}}",
		},
		"none": {"{}", "{}"},
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

// TestNormaliseResourcesAndStorage has what is declared of resources and storage, and what becomes of the rest.
func TestNormaliseResourcesAndStorage(t *testing.T) {
	tests := map[string]struct{ declared, want string }{
		"limits alone are requested": {
			"resources: {limits: {cpu: 2, ephemeral-storage: 1Gi}}",
			"resources: {limits: {cpu: 2, memory: 1Gi, ephemeral-storage: 1Gi}, " +
				"requests: {cpu: 2, memory: 1Gi, ephemeral-storage: 1Gi}}",
		},
		"requests alone have the limits of the default": {
			"resources: {requests: {cpu: 100m, ephemeral-storage: 2Gi}}",
			"resources: {limits: {cpu: 500m, memory: 1Gi}, requests: {cpu: 100m, memory: 1Gi, ephemeral-storage: 2Gi}}",
		},
		"a claim keeps what it says": {
			"storage: {volumeClaimTemplate: {spec: {storageClassName: fast, accessModes: [ReadWriteOncePod]}}}",
			"storage: {volumeClaimTemplate: {spec: {storageClassName: fast, accessModes: [ReadWriteOncePod], " +
				"resources: {requests: {storage: 10Gi}}}}}",
		},
		"the size of a claim": {
			"storage: {volumeClaimTemplate: {spec: {resources: {requests: {storage: 20Gi}}}}}",
			"storage: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 20Gi}}}}}",
		},
		"a directory": {"storage: {emptyDir: {}}", "storage: {emptyDir: {sizeLimit: 10Gi}}"},
		"one in memory": {
			"storage: {emptyDir: {medium: Memory}}", "storage: {emptyDir: {medium: Memory, sizeLimit: 10Gi}}",
		},
		"one with a limit": {"storage: {emptyDir: {sizeLimit: 2Gi}}", "storage: {emptyDir: {sizeLimit: 2Gi}}"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := spec.NormaliseTarget(target(t, "ferretdb: {"+tc.declared+"}")).FerretDB
			want := target(t, "ferretdb: {"+tc.want+"}").FerretDB
			if want.Resources == nil {
				got.Resources = nil
			}
			if want.Storage == nil {
				got.Storage = nil
			}
			if diff := cmp.Diff(want.Resources, got.Resources); diff != "" {
				t.Errorf("resources (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(want.Storage, got.Storage); diff != "" {
				t.Errorf("storage (-want +got):\n%s", diff)
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
