package comparison_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// TestWhatTargetsDeclareExplainsWhatDiffers has, for two targets, which of all fields of a fingerprint still make their
// runs unlike, of a few that tell the explanations apart.
func TestWhatTargetsDeclareExplainsWhatDiffers(t *testing.T) {
	fields := []string{
		"product", "topology", "members", "shards", "router", "cacheMebibytes", "storageEngine", "storageClass",
		"cpuLimitMillicores", "tls", "cpuModels", "datasetHash", "workloadHash", "durability",
	}
	all := func(but ...string) []string {
		return slices.DeleteFunc(slices.Clone(fields), func(field string) bool { return slices.Contains(but, field) })
	}
	type target = benchv1alpha1.BenchmarkTargetSpec
	mongoDB := func(change func(*benchv1alpha1.MongoDBTarget)) target {
		made := targettest.MongoDB("6.0.5")
		change(made.MongoDB)
		return made
	}
	mariaDB := func(change func(*benchv1alpha1.MariaDBTarget)) target {
		made := targettest.MariaDB("bench", "rows").Spec
		change(made.MariaDB)
		return made
	}
	plain := targettest.MongoDB("6.0.5")
	external := targettest.External("bench", "there").Spec
	row := mariaDB(func(*benchv1alpha1.MariaDBTarget) {})
	exclusive := &benchv1alpha1.PlacementSpec{Pinning: new(benchv1alpha1.PinningExclusive)}
	pinned := mongoDB(func(m *benchv1alpha1.MongoDBTarget) { m.Placement = exclusive })
	// What another deployment explains, of the fields above.
	deployment := []string{
		"product", "topology", "members", "shards", "router", "cacheMebibytes", "storageEngine", "storageClass",
		"cpuLimitMillicores", "tls",
	}
	plan := []string{"datasetHash", "workloadHash"}
	for name, tc := range map[string]struct {
		baseline, candidate target
		want                []string
	}{
		"the same": {plain, plain, fields},
		"a standalone that says so": {
			plain, mongoDB(func(m *benchv1alpha1.MongoDBTarget) { m.Standalone = &benchv1alpha1.StandaloneSpec{} }), fields,
		},
		"another product":          {plain, row, all(append(plan, deployment...)...)},
		"a product without shapes": {row, targettest.FerretDB("bench", "docs").Spec, all(append(plan, deployment...)...)},
		"another product on other nodes": {
			pinned, row, all(append(append(plan, deployment...), "cpuModels")...),
		},
		"another product on nodes alike": {
			pinned, mariaDB(func(m *benchv1alpha1.MariaDBTarget) { m.Placement = exclusive }),
			all(append(plan, deployment...)...),
		},
		"a standalone and a replica set": {
			plain, targettest.Set("6.0.5", 3), all("topology", "members", "shards", "router"),
		},
		"a replica set and a sharded cluster": {
			targettest.Set("6.0.5", 3), targettest.Shards("6.0.5", benchv1alpha1.ShardedSpec{}),
			all("topology", "members", "shards", "router"),
		},
		"an empty set and a standalone": {
			mongoDB(func(m *benchv1alpha1.MongoDBTarget) { m.ReplicaSet = &benchv1alpha1.ReplicaSetSpec{} }), plain,
			all("topology", "members", "shards", "router"),
		},
		"more members": {targettest.Set("6.0.5", 3), targettest.Set("6.0.5", 5), all("members")},
		"more shards": {
			targettest.Shards("6.0.5", benchv1alpha1.ShardedSpec{Shards: new(int32(2))}),
			targettest.Shards("6.0.5", benchv1alpha1.ShardedSpec{Shards: new(int32(4))}),
			all("members", "shards", "router"),
		},
		"another engine": {
			plain, mongoDB(func(m *benchv1alpha1.MongoDBTarget) {
				m.Engine = &benchv1alpha1.EngineSpec{Name: new(benchv1alpha1.EngineEphemeralForTest)}
			}),
			all("storageEngine", "cacheMebibytes", "datasetHash"),
		},
		"another engine of a MariaDB": {
			row, mariaDB(func(m *benchv1alpha1.MariaDBTarget) { m.Engine = new(benchv1alpha1.MariaDBMyRocks) }),
			all("storageEngine", "cacheMebibytes", "datasetHash"),
		},
		"another buffer pool": {
			row, mariaDB(func(m *benchv1alpha1.MariaDBTarget) { m.BufferPoolMebibytes = new(int64(128)) }),
			all("cacheMebibytes"),
		},
		"another cache": {
			plain, mongoDB(func(m *benchv1alpha1.MongoDBTarget) {
				m.Engine = &benchv1alpha1.EngineSpec{WiredTiger: &benchv1alpha1.WiredTigerSpec{CacheMebibytes: new(int64(512))}}
			}),
			all("storageEngine", "cacheMebibytes", "datasetHash"),
		},
		"more memory": {
			plain, mongoDB(func(m *benchv1alpha1.MongoDBTarget) { m.Resources = targettest.Limits("", "4Gi") }),
			all("cacheMebibytes", "cpuLimitMillicores"),
		},
		"a request": {
			plain, mongoDB(func(m *benchv1alpha1.MongoDBTarget) { m.Resources = targettest.Requests("100m", "") }),
			all("cacheMebibytes", "cpuLimitMillicores"),
		},
		"a claim of another class": {
			plain, mongoDB(func(m *benchv1alpha1.MongoDBTarget) { m.Storage = targettest.Claim("", "fast") }),
			all("storageClass"),
		},
		"a directory": {
			plain, mongoDB(func(m *benchv1alpha1.MongoDBTarget) { m.Storage = targettest.Directory("", "2Gi") }),
			all("storageClass"),
		},
		// What a write survives is named all the same, if it is not ignored.
		"another durability": {
			plain, mongoDB(func(m *benchv1alpha1.MongoDBTarget) { m.Durability = new(benchv1alpha1.DurabilityMemory) }),
			all("workloadHash"),
		},
		"an existing database and a deployed one": {external, plain, all(append(deployment, "workloadHash")...)},
		"a deployed one and an existing one":      {row, external, all(append(plan, deployment...)...)},
	} {
		t.Run(name, func(t *testing.T) {
			pair := like()
			pair.Baseline.Spec.Target, pair.Candidate.Spec.Target = &tc.baseline, &tc.candidate
			for _, field := range fields {
				set(&pair.Baseline, field, "one")
				set(&pair.Candidate, field, "other")
			}
			got := make([]string, 0, 8)
			for _, difference := range comparison.Differences(pair, nil) {
				got = append(got, difference.Field)
			}
			if diff := cmp.Diff(slices.Sorted(slices.Values(tc.want)), slices.Sorted(slices.Values(got))); diff != "" {
				t.Errorf("unexplained fields (-want +got):\n%s", diff)
			}
		})
	}
}

// TestProductsHaveTheirSettingsAtTheSamePaths is what charts over a setting of several products go by.
func TestProductsHaveTheirSettingsAtTheSamePaths(t *testing.T) {
	large := targettest.Limits("", "4Gi")
	mongoDB, mariaDB := targettest.Set("6.0.5", 3), targettest.MariaDB("bench", "rows").Spec
	mongoDB.MongoDB.Resources, mariaDB.MariaDB.Resources = large, large
	mariaDB.MariaDB.ProvisioningSeconds = nil
	for name, tc := range map[string]struct {
		target *benchv1alpha1.BenchmarkTargetSpec
		want   map[string]string
	}{
		"MongoDB": {&mongoDB, map[string]string{
			"target.product": `"MongoDB"`, "target.topology": `"ReplicaSet"`, "target.version": `"6.0.5"`,
			"target.replicaSet.members": "3", "target.resources.limits.memory": `"4Gi"`,
		}},
		"MariaDB": {&mariaDB, map[string]string{
			"target.product": `"MariaDB"`, "target.topology": `"Standalone"`, "target.version": `"10.11"`,
			"target.resources.limits.memory": `"4Gi"`,
		}},
		"an existing database": {&targettest.External("bench", "there").Spec, map[string]string{
			"target.product": `"MongoDB"`, "target.topology": `"External"`, "target.external.uriSecretRef.name": `"elsewhere"`,
			"target.external.uriSecretRef.key": `"uri"`, "target.external.provisioningSeconds": "60",
		}},
		"none": {nil, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			got := comparison.Leaves(benchv1alpha1.BenchmarkRunSpec{Target: tc.target}, false)
			for path := range got {
				if path == "dataset" || path == "workload" || path == "" {
					delete(got, path)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
		})
	}
}
