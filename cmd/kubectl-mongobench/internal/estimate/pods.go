package estimate

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/capacity"
	"github.com/mongobench/mongobench-operator/internal/product/mariadb"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
)

const mebibyte = int64(1) << 20

// Pods are those that play one part.
type Pods struct {
	Part  string `json:"part"`
	Count int    `json:"count"`
	// Requests and Limits of each of them.
	Requests capacity.Amount `json:"requests"`
	Limits   capacity.Amount `json:"limits"`
	// CacheBytes of each are filled whatever it asks for; 0 where there is no cache of a known size.
	CacheBytes int64 `json:"cacheBytes,omitempty"`
	// Volume of each; nil without.
	Volume *Volume `json:"volume,omitempty"`
	where  where
}

// Volume is what a member keeps its data on.
type Volume struct {
	Medium benchv1alpha1.StorageMedium `json:"medium"`
	Bytes  int64                       `json:"bytes"`
}

// where pods may be put.
type where struct {
	selector    map[string]string
	tolerations []corev1.Toleration
	// reservedMillis of CPU stay free on a node.
	reservedMillis int64
	// perNode is the most that a node may hold; 0 is no limit.
	perNode int
}

// each is what the scheduler has to find for one of them. A cache counts as asked for, as it does for the operator.
func (p Pods) each() capacity.Amount {
	memory := max(p.Requests.MemoryBytes, p.CacheBytes)
	return capacity.Amount{CPUMillis: p.Requests.CPUMillis, MemoryBytes: memory, Pods: 1}
}

// LoadPods are those that drive the load of a run.
func LoadPods(spec benchv1alpha1.BenchmarkRunSpec) Pods {
	generator := ptr.Deref(spec.LoadGenerator, benchv1alpha1.LoadGenerator{})
	pods := Pods{Part: "load pods", Count: int(ptr.Deref(generator.Pods, benchv1alpha1.DefaultPods))}
	pods.Requests, pods.Limits = resources(generator.Resources, benchv1alpha1.DefaultLoadResources)
	return pods
}

// TargetPods are those of a target, with the Job that makes its topology.
func TargetPods(spec benchv1alpha1.BenchmarkTargetSpec) []Pods {
	members := 1
	switch spec.Topology {
	case benchv1alpha1.TopologyExternal:
		return []Pods{TopologyJob()}
	case benchv1alpha1.TopologySharded:
		return append(shardedPods(spec), TopologyJob())
	case benchv1alpha1.TopologyStandalone:
		if benchv1alpha1.IsMariaDB(spec) {
			// Such a server is set up by its own pod.
			return []Pods{dataPods(spec, "members", 1, 1)}
		}
	default:
		declared := ptr.Deref(spec.ReplicaSet, benchv1alpha1.ReplicaSetSpec{})
		members = int(ptr.Deref(declared.Members, benchv1alpha1.DefaultMembers))
	}
	return []Pods{dataPods(spec, "members", 1, members), TopologyJob()}
}

func shardedPods(spec benchv1alpha1.BenchmarkTargetSpec) []Pods {
	sharded := ptr.Deref(spec.Sharded, benchv1alpha1.ShardedSpec{})
	all := []Pods{dataPods(spec, "members of shards", int(ptr.Deref(sharded.Shards, benchv1alpha1.DefaultShards)),
		int(ptr.Deref(sharded.MembersPerShard, benchv1alpha1.DefaultMembersPerShard)))}
	if ptr.Deref(sharded.Router, "") == benchv1alpha1.RouterClient {
		return all
	}
	configServers := ptr.Deref(sharded.ConfigServers, benchv1alpha1.ConfigServersSpec{})
	if ptr.Deref(configServers.Kind, "") != benchv1alpha1.ConfigServersShard {
		all = append(all, configPods(spec, configServers))
	}
	mongos := ptr.Deref(sharded.Mongos, benchv1alpha1.MongosSpec{})
	routers := Pods{
		Part: "mongos", Count: int(ptr.Deref(mongos.Replicas, benchv1alpha1.DefaultMongosReplicas)),
		where: placed(spec, 1, 1),
	}
	routers.Requests, routers.Limits = resources(mongos.Resources, benchv1alpha1.DefaultMongosResources)
	return append(all, routers)
}

// dataPods are the members that hold data, of so many replica sets. Those with cores of their own ask for all that they
// may use.
func dataPods(spec benchv1alpha1.BenchmarkTargetSpec, part string, sets, members int) Pods {
	pods := Pods{Part: part, Count: sets * members, Volume: volumeOf(spec), where: placed(spec, sets, members)}
	pods.Requests, pods.Limits = resources(spec.Resources, benchv1alpha1.DefaultMemberResources)
	pods.CacheBytes = cache(spec, pods.Limits)
	placement := ptr.Deref(spec.Placement, benchv1alpha1.PlacementSpec{})
	if ptr.Deref(placement.Pinning, "") == benchv1alpha1.PinningExclusive {
		pods.Requests = pods.Limits
	}
	if limit := int(ptr.Deref(placement.ShardsPerNode, 0)); limit > 0 && pods.Count > 1 {
		if pods.where.perNode == 0 || limit < pods.where.perNode {
			pods.where.perNode = limit
		}
	}
	return pods
}

// configPods are the config servers: what a target says of its engine is not for them, they keep nothing in the memory
// of a node, and their volumes are no larger than the default.
func configPods(spec benchv1alpha1.BenchmarkTargetSpec, declared benchv1alpha1.ConfigServersSpec) Pods {
	members := int(ptr.Deref(declared.Members, benchv1alpha1.DefaultConfigMembers))
	pods := Pods{Part: "config servers", Count: members, Volume: volumeOf(spec), where: placed(spec, 1, members)}
	pods.Requests, pods.Limits = resources(declared.Resources, benchv1alpha1.DefaultConfigResources)
	pods.CacheBytes = cache(benchv1alpha1.BenchmarkTargetSpec{Version: spec.Version}, pods.Limits)
	if pods.Volume.Medium == benchv1alpha1.StorageMediumMemory {
		pods.Volume.Medium = benchv1alpha1.StorageMediumEmptyDir
	}
	pods.Volume.Bytes = min(pods.Volume.Bytes, benchv1alpha1.DefaultStorageSize.Value())
	return pods
}

// TopologyJob is the pod that makes a topology, or looks at the one that exists. No field of a target changes it.
func TopologyJob() Pods {
	return Pods{
		Part: "topology Job", Count: 1,
		Requests: capacity.Amount{CPUMillis: 50, MemoryBytes: 64 * mebibyte},
		Limits:   capacity.Amount{CPUMillis: 500, MemoryBytes: 128 * mebibyte},
	}
}

// placed is where members of so many sets may be. With spread Required those of one set are on different nodes, so that
// a node holds at most one of each.
func placed(spec benchv1alpha1.BenchmarkTargetSpec, sets, members int) where {
	placement := ptr.Deref(spec.Placement, benchv1alpha1.PlacementSpec{})
	found := where{selector: placement.NodeSelector, tolerations: placement.Tolerations}
	if placement.ReservedCPUs != nil {
		found.reservedMillis = placement.ReservedCPUs.MilliValue()
	}
	if ptr.Deref(placement.Spread, "") == benchv1alpha1.SpreadRequired && members > 1 {
		found.perNode = sets
	}
	return found
}

func cache(spec benchv1alpha1.BenchmarkTargetSpec, limits capacity.Amount) int64 {
	memory := *resource.NewQuantity(limits.MemoryBytes, resource.BinarySI)
	if benchv1alpha1.IsMariaDB(spec) {
		return mariadb.BufferPoolMebibytes(spec, memory) * mebibyte
	}
	return mongod.CacheMebibytes(spec, memory) * mebibyte
}

func volumeOf(spec benchv1alpha1.BenchmarkTargetSpec) *Volume {
	storage := ptr.Deref(spec.Storage, benchv1alpha1.StorageSpec{})
	size := ptr.Deref(storage.Size, benchv1alpha1.DefaultStorageSize)
	return &Volume{
		Medium: ptr.Deref(storage.Medium, benchv1alpha1.StorageMediumPersistentVolume), Bytes: size.Value(),
	}
}

// resources are requests and limits; what is unset comes from the defaults, and requests equal limits unless they are
// set.
func resources(
	wanted *benchv1alpha1.PodResources, byDefault benchv1alpha1.PodResources,
) (requests, limits capacity.Amount) {
	declared := ptr.Deref(wanted, benchv1alpha1.PodResources{})
	cpu, memory := ptr.Deref(declared.CPU, *byDefault.CPU), ptr.Deref(declared.Memory, *byDefault.Memory)
	cpuRequest, memoryRequest := ptr.Deref(declared.CPURequest, cpu), ptr.Deref(declared.MemoryRequest, memory)
	return capacity.Amount{CPUMillis: cpuRequest.MilliValue(), MemoryBytes: memoryRequest.Value()},
		capacity.Amount{CPUMillis: cpu.MilliValue(), MemoryBytes: memory.Value()}
}
