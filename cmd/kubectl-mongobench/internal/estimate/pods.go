package estimate

import (
	corev1 "k8s.io/api/core/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/capacity"
	"github.com/mongobench/mongobench-operator/internal/podspec"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

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
func LoadPods(declared benchv1alpha1.BenchmarkRunSpec) Pods {
	generator := spec.Normalise(declared).LoadGenerator
	pods := Pods{Part: "load pods", Count: int(*generator.Pods)}
	resources := podspec.Resources(generator.Resources, benchv1alpha1.DefaultLoadResources)
	pods.Requests, pods.Limits = capacity.Of(resources.Requests), capacity.Of(resources.Limits)
	return pods
}

// TargetPods are those of a target, with the Job that makes its topology. A server that prepares itself is ready before
// that Job is made.
func TargetPods(declared benchv1alpha1.BenchmarkTargetSpec) []Pods {
	if declared.Topology == benchv1alpha1.TopologyExternal {
		return []Pods{TopologyJob()}
	}
	database, normal := catalogue.Of(declared), spec.NormaliseTarget(declared)
	var all []Pods
	for _, group := range product.Groups(database.Sets(normal)) {
		all = append(all, podsOf(normal, group))
	}
	if database.Traits().PreparesItself {
		return all
	}
	return append(all, TopologyJob())
}

func podsOf(spec benchv1alpha1.BenchmarkTargetSpec, group product.Group) Pods {
	placement := spec.Placement
	pods := Pods{
		Part: group.Part, Count: group.Count, CacheBytes: group.CacheMebibytes * product.Mebibyte,
		Requests: capacity.Of(group.Resources.Requests), Limits: capacity.Of(group.Resources.Limits),
		where: where{
			selector: placement.NodeSelector, tolerations: placement.Tolerations,
			reservedMillis: placement.ReservedCPUs.MilliValue(),
		},
	}
	if group.Volume != nil {
		pods.Volume = &Volume{Medium: group.Volume.Medium, Bytes: group.Volume.Size.Value()}
	}
	if group.KeptApart(spec) {
		pods.where.perNode = group.Sets
	}
	if limit := product.ShardsPerNode(spec); limit > 0 && group.Measured && pods.Count > 1 {
		if pods.where.perNode == 0 || limit < pods.where.perNode {
			pods.where.perNode = limit
		}
	}
	return pods
}

// TopologyJob is the pod that makes a topology, or looks at the one that exists. No field of a target changes it.
func TopologyJob() Pods {
	return Pods{
		Part: "topology Job", Count: 1,
		Requests: capacity.Of(podspec.TopologyResources.Requests), Limits: capacity.Of(podspec.TopologyResources.Limits),
	}
}
