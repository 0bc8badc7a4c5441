package comparison

import "strings"

// deployment is every field that depends on which deployment is measured.
var deployment = []string{
	"product", "version", "gitVersion", "topology", "storageEngine", "cacheMebibytes", "memoryLimitMebibytes", "cpuCores",
	"cpuLimitMillicores", "members", "shards", "router", "tls", "persistence", "defaultWriteConcern", "serverImages",
	"storageClass", "nodeTypes", "kernels", "sharedNodes", "zones", "roundTripMicros", "clockSpreadMicros",
	"throttledPercent", "clients", "foundDocuments", "foundBytes",
}

// build is what another mongod tells differently, with nothing else declared: old ones know no memory limit, and
// defaults changed from one release to the next.
var build = []string{
	"version", "gitVersion", "serverImages", "storageEngine", "cacheMebibytes", "memoryLimitMebibytes", "cpuCores",
	"persistence", "defaultWriteConcern", "throttledPercent",
}

// plan is what the load pods are given.
var plan = []string{"datasetHash", "workloadHash"}

// found is what a run does not make itself: what lies in a dataset that it did not load, and in files.
var found = []string{"foundDocuments", "foundBytes", "filesHash"}

// explanations says which fields of the fingerprint may differ when two specifications differ at a path or below it.
// What is not in it, such as deadlines, explains nothing. The paths are those of Leaves.
var explanations = []struct {
	path   string
	fields []string
}{
	{"target.product", deployment},
	{"target.product", plan},
	{"target.topology", []string{
		"clients", "topology", "members", "shards", "router", "defaultWriteConcern", "serverImages",
	}},
	{"target.provider", build},
	{"target.version", build},
	{"target.image", build},
	{"target.replicaSet", []string{"members", "defaultWriteConcern"}},
	{"target.sharded", []string{"members", "shards", "router", "defaultWriteConcern", "serverImages"}},
	{"target.external", deployment},
	// A MariaDB that is deployed has a durability, which is part of the plan; of one that is there it may be left open.
	{"target.external", []string{"workloadHash"}},
	{"target.engine", []string{"storageEngine", "cacheMebibytes", "persistence", "defaultWriteConcern"}},
	// Collections are made in what the engine keeps them in.
	{"target.engine", []string{"datasetHash"}},
	// What an acknowledged write waits for is told in settings of the engine.
	{"target.bufferPoolMebibytes", []string{"cacheMebibytes"}},
	{"target.handlerSocket", []string{"defaultWriteConcern"}},
	// It is part of the plan, as the write concern of operations and as what the server has to give.
	{"target.durability", []string{"workloadHash", "defaultWriteConcern"}},
	{"target.parameters", []string{"cacheMebibytes", "persistence", "defaultWriteConcern"}},
	{"target.arguments", []string{"cacheMebibytes", "persistence", "defaultWriteConcern"}},
	{"target.placement", []string{"processors", "nodeTypes", "kernels", "cpuModels", "kernelSettings", "cpuCores"}},
	{"target.placement", where},
	// Not the currency: no declaration makes amounts of two of them comparable.
	{"priceList", []string{"priceListHash"}},
	{"target.security", []string{"tls"}},
	{"target.resources", []string{"cpuLimitMillicores", "cpuCores", "memoryLimitMebibytes", "cacheMebibytes"}},
	{"target.storage", []string{"storageClass"}},
	{"targetRef", deployment},
	{"targetRef", plan},
	{"seed", plan},
	{"preset", plan},
	{"dataset", plan},
	{"dataset", found},
	{"workload", []string{"workloadHash", "clients"}},
	// A sharded collection is split for the size that it will grow to.
	{"workload.growth", plan},
	{"loadGenerator", []string{"workloadHash", "clients"}},
	{"loadGenerator.image", []string{"generatorImage", "generatorVersion", "datasetHash"}},
	// Another number of load pods, or larger ones, may need other nodes.
	{"loadGenerator.processors", []string{"workloadHash", "processors"}},
	{"loadGenerator.pods", []string{"processors", "nodeTypes", "kernels", "cpuModels", "kernelSettings"}},
	{"loadGenerator.resources", []string{"processors", "nodeTypes", "kernels", "cpuModels", "kernelSettings"}},
	{"loadGenerator.pods", where},
	{"loadGenerator.resources", where},
	// How much of its limit a server uses follows from what it is, and from what is asked of it.
	{"target.engine", stopped},
	{"target.bufferPoolMebibytes", stopped},
	{"target.handlerSocket", stopped},
	{"target.durability", stopped},
	{"target.parameters", stopped},
	{"target.arguments", stopped},
	{"target.replicaSet", stopped},
	{"target.sharded", stopped},
	{"target.topology", stopped},
	{"target.security", stopped},
	{"target.resources", stopped},
	{"target.storage", stopped},
	{"preset", stopped},
	{"dataset", stopped},
	{"workload", stopped},
	{"loadGenerator", stopped},
}

// where are the fields that tell where load pods stand, and stopped the one that tells whether a server was stopped.
var (
	where   = []string{"sharedNodes", "zones", "roundTripMicros", "clockSpreadMicros", "stealPercent"}
	stopped = []string{"throttledPercent"}
)

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
