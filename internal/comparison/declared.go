package comparison

import (
	"encoding/json"
	"strings"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// deployment is every field that depends on which deployment is measured.
var deployment = []string{
	"product", "version", "gitVersion", "topology", "storageEngine", "cacheMebibytes", "memoryLimitMebibytes", "cpuCores",
	"cpuLimitMillis", "members", "shards", "router", "tls", "persistence", "defaultWriteConcern", "serverImages",
	"storageClass", "nodeTypes", "kernels",
}

// build is what another mongod tells differently, with nothing else declared: old ones know no memory limit, and
// defaults changed from one release to the next.
var build = []string{
	"version", "gitVersion", "serverImages", "storageEngine", "cacheMebibytes", "memoryLimitMebibytes", "cpuCores",
	"persistence", "defaultWriteConcern",
}

// plan is what the load pods are given.
var plan = []string{"datasetHash", "workloadHash"}

// explanations says which fields of the fingerprint may differ when two specifications differ at a path or below it.
// What is not in it, such as deadlines, explains nothing.
var explanations = []struct {
	path   string
	fields []string
}{
	{"target.kind", deployment},
	{"target.kind", plan},
	{"target.topology", []string{"topology", "members", "shards", "router", "defaultWriteConcern", "serverImages"}},
	{"target.provider", build},
	{"target.version", build},
	{"target.image", build},
	{"target.replicaSet", []string{"members", "defaultWriteConcern"}},
	{"target.sharded", []string{"members", "shards", "router", "defaultWriteConcern", "serverImages"}},
	{"target.external", deployment},
	// A MariaDB that is deployed has a durability, which is part of the plan; of one that is there it may be left open.
	{"target.external", []string{"workloadHash"}},
	{"target.engine", []string{"storageEngine", "cacheMebibytes", "persistence"}},
	// Collections are made in what the engine keeps them in.
	{"target.engine", []string{"datasetHash"}},
	// What an acknowledged write waits for is told in settings of the engine.
	{"target.mariaDB", []string{"storageEngine", "cacheMebibytes", "defaultWriteConcern"}},
	// It is part of the plan, as the write concern of operations and as what the server has to give.
	{"target.durability", []string{"workloadHash", "defaultWriteConcern"}},
	{"target.parameters", []string{"cacheMebibytes", "persistence", "defaultWriteConcern"}},
	{"target.arguments", []string{"cacheMebibytes", "persistence", "defaultWriteConcern"}},
	{"target.placement", []string{"nodeTypes", "kernels", "cpuModels", "kernelSettings", "cpuCores"}},
	{"target.security", []string{"tls"}},
	{"target.resources", []string{"cpuLimitMillis", "cpuCores", "memoryLimitMebibytes", "cacheMebibytes"}},
	{"target.storage", []string{"storageClass"}},
	{"targetRef", deployment},
	{"targetRef", plan},
	{"seed", plan},
	{"preset", plan},
	{"dataset", plan},
	{"workload", []string{"workloadHash"}},
	// A sharded collection is split for the size that it will grow to.
	{"workload.growth", plan},
	{"loadGenerator", []string{"workloadHash"}},
	{"loadGenerator.image", []string{"generatorImage", "generatorVersion", "datasetHash"}},
	// Another number of load pods, or larger ones, may need other nodes.
	{"loadGenerator.pods", []string{"nodeTypes", "kernels", "cpuModels", "kernelSettings"}},
	{"loadGenerator.resources", []string{"nodeTypes", "kernels", "cpuModels", "kernelSettings"}},
}

// declaredFields are the fields of the fingerprint that differ because the specifications of the two sides do.
func declaredFields(pair Pair) map[string]bool {
	declared := make(map[string]bool)
	for _, path := range differingPaths(pair.Baseline.Spec, pair.Candidate.Spec) {
		for _, explanation := range explanations {
			if path != explanation.path && !strings.HasPrefix(path, explanation.path+".") {
				continue
			}
			for _, field := range explanation.fields {
				declared[field] = true
			}
		}
	}
	return declared
}

// differingPaths are the paths of all fields that differ, in no order. A list counts as one value.
func differingPaths(baseline, candidate benchv1alpha1.BenchmarkRunSpec) []string {
	first, second := leaves(baseline), leaves(candidate)
	var paths []string
	for path, value := range first {
		if other, ok := second[path]; !ok || other != value {
			paths = append(paths, path)
		}
	}
	for path := range second {
		if _, ok := first[path]; !ok {
			paths = append(paths, path)
		}
	}
	return paths
}

// leaves are the fields of a specification with their values as JSON, by their paths.
func leaves(spec benchv1alpha1.BenchmarkRunSpec) map[string]string {
	found := make(map[string]string)
	// Of these types nothing fails to be encoded.
	encoded, _ := json.Marshal(spec)
	collectLeaves("", encoded, found)
	return found
}

func collectLeaves(path string, encoded json.RawMessage, into map[string]string) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(encoded, &fields) != nil || len(fields) == 0 {
		into[path] = string(encoded)
		return
	}
	for name, value := range fields {
		collectLeaves(strings.TrimPrefix(path+"."+name, "."), value, into)
	}
}
