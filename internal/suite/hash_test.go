package suite_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/suite"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// hashWith is the hash of the small run with a patch.
func hashWith(t *testing.T, patch string) string {
	t.Helper()
	return compiled(t, with(t, patch)).Variants[0].Hash
}

// asMariaDB is a patch that makes a MariaDB of the target, with these fields more, and asks what a table can be asked.
func asMariaDB(fields string) string {
	return "patch: {target: {mongodb: null, mariadb: {version: 10.11.6" + fields + "}}, " +
		`workload: {steps: [{name: read, operations: [{name: find, filter: '{"a": 5}'}]}]}}`
}

func TestAnotherSpellingIsNoOtherContent(t *testing.T) {
	tests := map[string][2]string{
		"a default of the workload": {"patch: {}", "patch: {workload: {steps: [{name: read, threads: 1}]}}"},
		"a default of the dataset":  {"patch: {}", "patch: {seed: 1, dataset: {database: mongobench, load: {threads: 4}}}"},
		"a default of the target": {
			"patch: {}",
			"patch: {target: {mongodb: {provider: Operator, memberRestarts: Fail, engine: {name: WiredTiger, wiredTiger: {}}, " +
				"standalone: {}, resources: {limits: {cpu: 500m}, requests: {memory: 1024Mi}}, storage: {volumeClaimTemplate: " +
				"{spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 10Gi}}}}}, " +
				"placement: {spread: Preferred, reservedCPUs: \"0\"}, security: {tls: {mode: Disabled}}}}}",
		},
		"defaults of a replica set": {
			"patch: {target: {mongodb: {replicaSet: {}}}}", "patch: {target: {mongodb: {replicaSet: {members: 3}}}}",
		},
		"defaults of a sharded cluster": {
			"patch: {target: {mongodb: {sharded: {}}}}",
			"patch: {target: {mongodb: {sharded: {shards: 2, membersPerShard: 1, router: Mongos, " +
				"mongos: {replicas: 1, resources: {limits: {memory: 0.5Gi}}}, configServers: {kind: Dedicated, members: 1, " +
				"resources: {limits: {cpu: 0.25}}}, balancer: {mode: Disabled}}}}}",
		},
		"a default of the load generator": {
			"patch: {}",
			"patch: {loadGenerator: {pods: 1, client: Application, resources: {limits: {cpu: \"0.5\", memory: 256Mi}}}}",
		},
		"a quantity": {
			"patch: {target: {mongodb: {resources: {limits: {cpu: \"1\", memory: 2Gi}}}}}",
			"patch: {target: {mongodb: {resources: {limits: {cpu: 1000m, memory: \"2147483648\"}}}}}",
		},
		"a standalone that says so": {"patch: {}", "patch: {target: {mongodb: {standalone: {}}}}"},
		"the size of a claim": {
			"patch: {target: {mongodb: {storage: {volumeClaimTemplate: {spec: {resources: {requests: {storage: 2Gi}}}}}}}}",
			"patch: {target: {mongodb: {storage: {volumeClaimTemplate: {spec: {resources: {requests: {storage: 2048Mi}}}}}}}}",
		},
		"the size of a directory": {
			"patch: {target: {mongodb: {storage: {emptyDir: {sizeLimit: 2Gi}}}}}",
			"patch: {target: {mongodb: {storage: {emptyDir: {sizeLimit: 2048Mi}}}}}",
		},
		"the default size of a directory": {
			"patch: {target: {mongodb: {storage: {emptyDir: {}}}}}",
			"patch: {target: {mongodb: {storage: {emptyDir: {sizeLimit: 10Gi}}}}}",
		},
		"the disk of a node": {
			"patch: {target: {mongodb: {resources: {limits: {ephemeral-storage: 1Gi}}}}}",
			"patch: {target: {mongodb: {resources: {limits: {ephemeral-storage: 1024Mi}, " +
				"requests: {ephemeral-storage: 1Gi}}}}}",
		},
		"defaults of a MariaDB": {
			asMariaDB(""), asMariaDB(", engine: InnoDB, durability: Synced, resources: {limits: {memory: 1024Mi}}"),
		},
		"users that a FerretDB has not": {
			"patch: {target: {mongodb: null, ferretdb: {version: 1.24.0}}}",
			"patch: {target: {mongodb: null, ferretdb: {version: 1.24.0, security: {authentication: Disabled}}}}",
		},
		"defaults of an existing database": {
			"patch: {target: {$patch: replace, external: {uriSecretRef: {name: a, key: b}}}}",
			"patch: {target: {$patch: replace, external: {product: MongoDB, allowExisting: false, provisioningSeconds: 9, " +
				"uriSecretRef: {name: a, key: b}}}}",
		},
		"the order of parameters of mariadbd": {
			asMariaDB(", parameters: [{name: query_cache_type, value: a}, {name: innodb_flush_neighbors, value: b}]"),
			asMariaDB(", parameters: [{name: innodb_flush_neighbors, value: b}, {name: query_cache_type, value: a}]"),
		},
		"a request that is the limit": {
			"patch: {target: {mongodb: {resources: {limits: {cpu: \"1\"}}}}}",
			"patch: {target: {mongodb: {resources: {limits: {cpu: \"1\"}, requests: {cpu: 1000m}}}}}",
		},
		"the order of parameters of mongod": {
			"patch: {target: {mongodb: {parameters: [{name: notablescan, value: a}, {name: ttlMonitorSleepSecs, value: b}]}}}",
			"patch: {target: {mongodb: {parameters: [{name: ttlMonitorSleepSecs, value: b}, {name: notablescan, value: a}]}}}",
		},
		"a patch and a JSON patch": {"patch: {seed: 5}", "jsonPatch: [{op: add, path: /seed, value: 5}]"},
		"when a run is made and what becomes of it": {
			"patch: {}",
			"patch: {cleanupPolicy: Keep, keepSeconds: 5, retryLimit: 2, concurrency: {group: a}, " +
				"deadlines: {loadingSeconds: 99}, target: {mongodb: {provisioningSeconds: 99}}}",
		},
		"which databases the user may write": {"patch: {}", "patch: {target: {mongodb: {databases: [mongobench, other]}}}"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if one, other := hashWith(t, tc[0]), hashWith(t, tc[1]); one != other {
				t.Errorf("hashes %s and %s", one, other)
			}
		})
	}
}

func TestOtherContentHasAnotherHash(t *testing.T) {
	seen := map[string]string{hashWith(t, "patch: {}"): "patch: {}"}
	for name, patch := range map[string]string{
		"the seed":              "patch: {seed: 2}",
		"the version":           "patch: {target: {mongodb: {version: 7.0.1}}}",
		"an image":              "patch: {target: {mongodb: {image: a}}}",
		"an image of load pods": "patch: {loadGenerator: {image: a}}",
		"a label of load pods":  "patch: {loadGenerator: {podSettings: {labels: {measured: a}}}}",
		"the cache":             "patch: {target: {mongodb: {engine: {wiredTiger: {cacheMebibytes: 256}}}}}",
		"the memory":            "patch: {target: {mongodb: {resources: {limits: {memory: 2Gi}}}}}",
		"a request":             "patch: {target: {mongodb: {resources: {requests: {cpu: 400m}}}}}",
		"an argument":           "patch: {target: {mongodb: {arguments: [--slowms=5]}}}",
		"the storage class": "patch: {target: {mongodb: {storage: {volumeClaimTemplate: {spec: " +
			"{storageClassName: a}}}}}}",
		"the members": "patch: {target: {mongodb: {replicaSet: {members: 1}}}}",
		"a directory": "patch: {target: {mongodb: {storage: {emptyDir: {}}}}}",
		"a directory in memory": "patch: {target: {mongodb: {storage: {emptyDir: {medium: Memory, sizeLimit: 1Gi}}, " +
			"resources: {limits: {memory: 3Gi}}}}}",
		"another product":            asMariaDB(""),
		"a third product":            "patch: {target: {mongodb: null, ferretdb: {version: 1.24.0}}}",
		"an existing database":       "patch: {target: {$patch: replace, external: {uriSecretRef: {name: a, key: b}}}}",
		"a cluster":                  "patch: {target: {mongodb: {sharded: {}}}}",
		"the topology":               "patch: {target: {mongodb: {replicaSet: {}}}}",
		"a shared target":            "patch: {target: null, targetRef: {name: a}}",
		"another one":                "patch: {target: null, targetRef: {name: b}}",
		"the documents":              "patch: {dataset: {collections: [{name: c, documentCount: 11}]}}",
		"the index":                  "patch: {dataset: {collections: [{name: c, indexes: null}]}}",
		"how it is loaded":           "patch: {dataset: {load: {indexes: AfterLoad}}}",
		"whether it is reused":       "patch: {dataset: {load: {reuse: Never}}}",
		"the duration":               "patch: {workload: {steps: [{name: read, durationSeconds: 10}]}}",
		"the threads":                "patch: {workload: {steps: [{name: read, threads: 2}]}}",
		"the load pods":              "patch: {loadGenerator: {pods: 2}, workload: {steps: [{name: read, threads: 3}]}}",
		"the CPU of the load pods":   "patch: {loadGenerator: {resources: {limits: {cpu: 400m}}}}",
		"the client":                 "patch: {loadGenerator: {client: Driver}}",
		"the seed of the operations": "patch: {operationSeed: 7}",
		"a preset":                   "patch: {dataset: null, workload: null, preset: {name: YCSB-A}}",
		"which network the load has": "patch: {target: {mongodb: {security: {networkPolicy: Disabled}}}}",
	} {
		hash := hashWith(t, patch)
		if other, found := seen[hash]; found {
			t.Errorf("%s: %s has the hash of %s", name, patch, other)
		}
		seen[hash] = patch
	}
}

func TestWhetherTheTargetIsSharedChangesTheHash(t *testing.T) {
	own := compiled(t, small(t, "targetReuse: None"))
	shared := compiled(t, small(t, "targetReuse: PerVariant"))
	if own.Variants[0].Hash == shared.Variants[0].Hash {
		t.Error("it does not")
	}
	if unset := compiled(t, small(t, "repetitions: 1")); unset.Revision != own.Revision {
		t.Errorf("revision %s when unset, %s with None", unset.Revision, own.Revision)
	}
}

// TestEveryFieldOfARunIsHashedOrIsNot fails when a run gets a field of which nothing here says whether it may change
// results.
func TestEveryFieldOfARunIsHashedOrIsNot(t *testing.T) {
	hashed := map[string]bool{
		"Target": true, "TargetRef": true, "Seed": true, "OperationSeed": true, "Preset": true, "Dataset": true,
		"Workload": true, "LoadGenerator": true, "Duet": true,
		"Deadlines": false, "Concurrency": false, "Suspend": false, "Cancel": false, "CleanupPolicy": false,
		"PriceList": false, "RetryLimit": false, "KeepSeconds": false, "TTLSecondsAfterFinished": false,
	}
	for field := range reflect.TypeFor[benchv1alpha1.BenchmarkRunSpec]().Fields() {
		if _, known := hashed[field.Name]; !known {
			t.Errorf("%s is in no list: if it may change results, add it to suite's content and to the tests here", field.Name)
		}
	}
}

// TestTheDefaultsAreThoseOfTheAPI has for the target's resources the constants of the API.
func TestTheDefaultsAreThoseOfTheAPI(t *testing.T) {
	declared := with(t, "patch: {}")
	target := declared.Spec.Template.Spec.Target
	before := compiled(t, declared).Revision
	limits := benchv1alpha1.DefaultMemberResources.DeepCopy()
	target.MongoDB.Resources = &corev1.ResourceRequirements{Limits: limits}
	target.MongoDB.Storage = targettest.Claim(benchv1alpha1.DefaultStorageSize.String(), "")
	if after := compiled(t, declared).Revision; after != before {
		t.Errorf("revision %s with the defaults written out, %s without", after, before)
	}
	limits[corev1.ResourceCPU] = resource.MustParse("501m")
	if after := compiled(t, declared).Revision; after == before {
		t.Error("another CPU limit gives the same revision")
	}
}

func TestWhatARevisionIs(t *testing.T) {
	const matrix = "matrix: {dimensions: [{name: d, choices: [{name: a}, {name: b, patch: {seed: 2}}]}]}\n"
	before := compiled(t, small(t, matrix)).Revision
	for name, tc := range map[string]struct {
		fields  string
		another bool
	}{
		"repetitions": {matrix + "repetitions: 9", false},
		"the order":   {matrix + "order: Shuffled", false},
		"thresholds":  {matrix + "thresholds: [{metric: P99Micros}]", false},
		"a baseline":  {matrix + "baseline: {variant: a}", false},
		"parallelism": {matrix + "parallelism: 5", false},
		"the order of the variants": {
			"matrix: {dimensions: [{name: d, choices: [{name: b, patch: {seed: 2}}, {name: a}]}]}", false,
		},
		"another way to the same variants": {"matrix: {include: [{name: b, patch: {seed: 2}}, {name: a}]}", false},
		"a variant more": {
			"matrix: {include: [{name: b, patch: {seed: 2}}, {name: a}, {name: c}]}", true,
		},
		"a variant by another name": {"matrix: {include: [{name: c, patch: {seed: 2}}, {name: a}]}", true},
		"the content of a variant":  {"matrix: {include: [{name: b, patch: {seed: 3}}, {name: a}]}", true},
		"two variants swapped":      {"matrix: {include: [{name: a, patch: {seed: 2}}, {name: b}]}", true},
	} {
		t.Run(name, func(t *testing.T) {
			if after := compiled(t, small(t, tc.fields)).Revision; (after != before) != tc.another {
				t.Errorf("revision %s, then %s; want another: %t", before, after, tc.another)
			}
		})
	}
}

func TestAChangedVariantLeavesTheOthers(t *testing.T) {
	before := compiled(t, small(t, "matrix: {include: [{name: a}, {name: b, patch: {seed: 2}}]}"))
	after := compiled(t, small(t, "matrix: {include: [{name: a}, {name: b, patch: {seed: 3}}]}"))
	slots := func(plan suite.Plan) map[string]bool {
		all := map[string]bool{}
		for _, slot := range plan.Slots {
			all[slot.Name] = plan.Variants[slot.Variant].Name == "a"
		}
		return all
	}
	kept, old := slots(after), slots(before)
	for name, first := range old {
		if kept[name] != first {
			t.Errorf("run %s: is one of the variant that did not change: %t, kept: %t", name, first, kept[name])
		}
	}
	if diff := cmp.Diff(20, len(kept)); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
}
