package mongodb

import (
	"k8s.io/utils/ptr"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/podspec"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
)

// Sets implements product.Product.
func (MongoDB) Sets(spec benchv1alpha1.BenchmarkTargetSpec) []product.Set { return sets(spec) }

func sets(spec benchv1alpha1.BenchmarkTargetSpec) []product.Set {
	if spec.Topology == benchv1alpha1.TopologySharded {
		return shardedSets(spec)
	}
	only := dataSet(spec, naming.ReplicaSet, planv1alpha1.RoleData)
	if spec.Topology == benchv1alpha1.TopologyReplicaSet {
		only.Members = int(*spec.ReplicaSet.Members)
	}
	return []product.Set{only}
}

func shardedSets(spec benchv1alpha1.BenchmarkTargetSpec) []product.Set {
	sharded := spec.Sharded
	shards := int(*sharded.Shards)
	all := make([]product.Set, 0, shards+2)
	for i := range shards {
		shard := dataSet(spec, naming.ShardSet(i), planv1alpha1.RoleShard)
		shard.Part = "members of shards"
		shard.Members = int(*sharded.MembersPerShard)
		all = append(all, shard)
	}
	if routedByClient(spec) {
		return all
	}
	if *sharded.ConfigServers.Kind == benchv1alpha1.ConfigServersShard {
		all[0].Role = planv1alpha1.RoleConfigShard
	} else {
		all = append(all, configSet(spec, *sharded.ConfigServers))
	}
	mongos := sharded.Mongos
	return append(all, product.Set{
		Name: naming.MongosSet, Component: naming.ComponentMongos, Part: "mongos",
		Members:   int(*mongos.Replicas),
		Resources: podspec.Resources(mongos.Resources, benchv1alpha1.DefaultMongosResources),
	})
}

func dataSet(spec benchv1alpha1.BenchmarkTargetSpec, name string, role planv1alpha1.SetRole) product.Set {
	made := product.DataSet(spec, name, naming.ComponentMongod)
	made.Role = role
	made.Volatile = inMemory(spec)
	made.CacheMebibytes = mongod.CacheMebibytes(spec, *made.Resources.Limits.Memory())
	return made
}

// configSet are the config servers. They are not what is measured: what a target says of its engine is not for them,
// they do not take the memory of the node, and their volumes are no larger than the default.
func configSet(spec benchv1alpha1.BenchmarkTargetSpec, declared benchv1alpha1.ConfigServersSpec) product.Set {
	made := product.Set{
		Name: naming.ConfigSet, Role: planv1alpha1.RoleConfig, Component: naming.ComponentConfig, Part: "config servers",
		Members:   int(*declared.Members),
		Resources: podspec.Resources(declared.Resources, benchv1alpha1.DefaultConfigResources),
		Volume:    product.VolumeOf(spec),
		Volatile:  inMemory(spec),
	}
	plain := benchv1alpha1.BenchmarkTargetSpec{Version: spec.Version}
	made.CacheMebibytes = mongod.CacheMebibytes(plain, *made.Resources.Limits.Memory())
	if made.Volume.Medium == benchv1alpha1.StorageMediumMemory {
		made.Volume.Medium = benchv1alpha1.StorageMediumEmptyDir
	}
	if made.Volume.Size.Cmp(benchv1alpha1.DefaultStorageSize) > 0 {
		made.Volume.Size = benchv1alpha1.DefaultStorageSize.DeepCopy()
	}
	return made
}

// routes tells the routers, which keep nothing, from mongods.
func routes(s product.Set) bool { return s.Component == naming.ComponentMongos }

// routedByClient says whether the shards know nothing of each other: the load generator routes by itself.
func routedByClient(spec benchv1alpha1.BenchmarkTargetSpec) bool {
	return spec.Sharded != nil && ptr.Deref(spec.Sharded.Router, "") == benchv1alpha1.RouterClient
}

// inMemory says whether the data does not even outlive a process.
func inMemory(spec benchv1alpha1.BenchmarkTargetSpec) bool {
	engine := mongod.Engine(spec)
	return engine == benchv1alpha1.EngineInMemory || engine == benchv1alpha1.EngineEphemeralForTest
}
