package suite

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// targetDefaults are the fields of a target, by their path, whose default is a value of their own. A field that is
// missing here makes no variant wrong: writing its default out then counts as a change.
var targetDefaults = map[string]any{
	"provider":                                 string(benchv1alpha1.ProviderOperator),
	"memberRestarts":                           string(benchv1alpha1.MemberRestartsFail),
	"replicaSet.members":                       float64(benchv1alpha1.DefaultMembers),
	"sharded.shards":                           float64(benchv1alpha1.DefaultShards),
	"sharded.membersPerShard":                  float64(benchv1alpha1.DefaultMembersPerShard),
	"sharded.router":                           string(benchv1alpha1.RouterMongos),
	"sharded.mongos.replicas":                  float64(benchv1alpha1.DefaultMongosReplicas),
	"sharded.configServers.kind":               string(benchv1alpha1.ConfigServersDedicated),
	"sharded.configServers.members":            float64(benchv1alpha1.DefaultConfigMembers),
	"sharded.balancer.mode":                    string(benchv1alpha1.BalancerOff),
	"engine.name":                              string(benchv1alpha1.EngineWiredTiger),
	"engine.wiredTiger.indexPrefixCompression": string(benchv1alpha1.Enabled),
	"engine.wiredTiger.journal":                string(benchv1alpha1.Enabled),
	"engine.tokuMX.directIO":                   string(benchv1alpha1.Disabled),
	"placement.spread":                         string(benchv1alpha1.SpreadPreferred),
	"placement.pinning":                        string(benchv1alpha1.PinningNone),
	"security.authentication":                  string(benchv1alpha1.Enabled),
	"security.networkPolicy":                   string(benchv1alpha1.Enabled),
	"security.tls.mode":                        string(benchv1alpha1.TLSOff),
	"storage.medium":                           string(benchv1alpha1.StorageMediumPersistentVolume),
}

// plainTarget is a target without what is at its default, and without what changes no result: the time that it may
// take to be ready, and which databases its user may write.
func plainTarget(target *benchv1alpha1.BenchmarkTargetSpec) map[string]any {
	plain := object(target)
	delete(plain, "provisioningSeconds")
	delete(plain, "databases")
	for path, byDefault := range targetDefaults {
		if holder, key := at(plain, path); holder[key] == byDefault {
			delete(holder, key)
		}
	}
	plainResources(plain, "resources", benchv1alpha1.DefaultMemberResources)
	plainResources(plain, "sharded.mongos.resources", benchv1alpha1.DefaultMongosResources)
	plainResources(plain, "sharded.configServers.resources", benchv1alpha1.DefaultConfigResources)
	plainQuantity(plain, "storage.size", &benchv1alpha1.DefaultStorageSize)
	plainQuantity(plain, "placement.reservedCPUs", &resource.Quantity{})
	if parameters, ok := plain["parameters"].([]any); ok {
		slices.SortFunc(parameters, func(a, b any) int { return cmp.Compare(nameIn(a), nameIn(b)) })
	}
	prune(plain)
	return plain
}

// plainGenerator is what the plan does not have of the load pods.
func plainGenerator(generator *benchv1alpha1.LoadGenerator) map[string]any {
	plain := object(generator)
	delete(plain, "pods")
	delete(plain, "client")
	plainResources(plain, "resources", benchv1alpha1.DefaultLoadResources)
	prune(plain)
	return plain
}

// plainResources are resources in thousandths, without limits that are the default and requests that equal the limits.
func plainResources(plain map[string]any, path string, defaults benchv1alpha1.PodResources) {
	resources := func(name string, limit *resource.Quantity) {
		if holder, key := at(plain, path+"."+name); holder[key] != nil {
			limit = quantityOf(holder[key])
		}
		plainQuantity(plain, path+"."+name+"Request", limit)
	}
	resources("cpu", defaults.CPU)
	resources("memory", defaults.Memory)
	plainQuantity(plain, path+".cpu", defaults.CPU)
	plainQuantity(plain, path+".memory", defaults.Memory)
}

// plainQuantity writes a quantity in thousandths, and leaves out one that is the default.
func plainQuantity(plain map[string]any, path string, byDefault *resource.Quantity) {
	holder, key := at(plain, path)
	if holder[key] == nil {
		return
	}
	given := quantityOf(holder[key])
	if given.Cmp(*byDefault) == 0 {
		delete(holder, key)
		return
	}
	holder[key] = given.MilliValue()
}

// quantityOf reads a quantity that was one before it was written.
func quantityOf(text any) *resource.Quantity {
	written, _ := text.(string)
	given, _ := resource.ParseQuantity(written)
	return &given
}

// object is a value of the API as what its JSON holds.
func object(value any) map[string]any {
	plain := map[string]any{}
	// Of the API's types nothing fails to be encoded, and each is an object.
	encoded, _ := json.Marshal(value)
	_ = json.Unmarshal(encoded, &plain)
	return plain
}

// at is the object that a path leads to the end of, and its key there; nil where there is no such object.
func at(plain map[string]any, path string) (map[string]any, string) {
	keys := strings.Split(path, ".")
	last := len(keys) - 1
	for _, key := range keys[:last] {
		plain, _ = plain[key].(map[string]any)
	}
	return plain, keys[last]
}

func nameIn(item any) string {
	content, _ := item.(map[string]any)
	name, _ := content["name"].(string)
	return name
}

// prune leaves out objects that hold nothing.
func prune(plain map[string]any) {
	for key, value := range plain {
		inner, ok := value.(map[string]any)
		if !ok {
			continue
		}
		if prune(inner); len(inner) == 0 {
			delete(plain, key)
		}
	}
}
