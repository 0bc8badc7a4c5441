package estimate

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/capacity"
	"github.com/mongobench/mongobench-operator/internal/podspec"
	"github.com/mongobench/mongobench-operator/internal/present"
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
	Medium product.Medium `json:"medium"`
	Bytes  int64          `json:"bytes"`
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

// whereOf is where pods of these settings may be put. What the operator was told besides is not known here.
func whereOf(declared *benchv1alpha1.PodSettings) where {
	settings := podspec.Merge(podspec.BuiltIn(), declared)
	return where{selector: settings.NodeSelector, tolerations: settings.Tolerations}
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
	resources := podspec.LoadResources(*generator.Resources)
	pods.Requests, pods.Limits = capacity.Of(resources.Requests), capacity.Of(resources.Limits)
	pods.where = whereOf(generator.PodSettings)
	return pods
}

// GatewayPods are those of the gateway that the load of a run goes through; none when it goes straight to its target.
func GatewayPods(declared benchv1alpha1.BenchmarkRunSpec) []Pods {
	gateway := spec.Normalise(declared).LoadGenerator.Gateway
	if gateway == nil {
		return nil
	}
	resources := podspec.LoadResources(*gateway.Resources)
	return []Pods{{
		Part: "gateway", Count: int(*gateway.Pods), Requests: capacity.Of(resources.Requests),
		Limits: capacity.Of(resources.Limits), where: whereOf(gateway.PodSettings),
	}}
}

// TargetPods are those of a target, with the Job that makes its topology. A server that prepares itself is ready before
// that Job is made.
func TargetPods(declared benchv1alpha1.BenchmarkTargetSpec) []Pods {
	if declared.Topology() == benchv1alpha1.TopologyExternal {
		return []Pods{TopologyJob(declared)}
	}
	database, normal := catalogue.Of(declared), spec.NormaliseTarget(declared)
	var all []Pods
	for _, group := range product.Groups(database.Sets(normal)) {
		all = append(all, podsOf(normal, group))
	}
	if database.Traits().PreparesItself {
		return all
	}
	return append(all, TopologyJob(declared))
}

func podsOf(spec benchv1alpha1.BenchmarkTargetSpec, group product.Group) Pods {
	pods := Pods{
		Part: group.Part, Count: group.Count, CacheBytes: group.CacheMebibytes * product.Mebibyte,
		Requests: capacity.Of(group.Resources.Requests), Limits: capacity.Of(group.Resources.Limits),
		where: whereOf(spec.Pods()),
	}
	pods.where.reservedMillis = spec.Deployment().Placement.ReservedCPUs.MilliValue()
	if group.Volume != nil {
		pods.Volume = &Volume{Medium: group.Volume.Medium, Bytes: group.Volume.Size.Value()}
	}
	if group.KeptApart(spec) {
		pods.where.perNode = group.Sets
	}
	if limit := product.MembersPerNode(spec); limit > 0 && group.Measured && pods.Count > 1 {
		if pods.where.perNode == 0 || limit < pods.where.perNode {
			pods.where.perNode = limit
		}
	}
	return pods
}

// TopologyJob is the pod that makes a topology, or looks at the one that exists.
func TopologyJob(declared benchv1alpha1.BenchmarkTargetSpec) Pods {
	return Pods{
		where: whereOf(declared.Pods()),
		Part:  "topology Job", Count: 1,
		Requests: capacity.Of(podspec.TopologyResources.Requests), Limits: capacity.Of(podspec.TopologyResources.Limits),
	}
}

// Answer says whether pods fit on the nodes of a cluster.
type Answer string

// The answers.
const (
	// Yes: a place was found for every pod.
	Yes Answer = "yes"
	// NotNow: they would fit on empty nodes.
	NotNow Answer = "not now"
	// No: they would not fit on empty nodes.
	No Answer = "no"
	// Perhaps: nothing speaks against it, and no place was found for every pod by trying.
	Perhaps Answer = "perhaps"
	// Unknown: the nodes or their pods could not be read.
	Unknown Answer = "unknown"
)

// Fit is an answer with its reason.
type Fit struct {
	Answer Answer `json:"answer"`
	Why    string `json:"why"`
}

// nodesNamed is how many nodes a reason names at most.
const nodesNamed = 8

// Fits looks for a place for every pod. It says no only for reasons that no scheduler gets round: parts are looked at
// one by one, and together as if a node could be cut to size.
func Fits(all []Pods, nodes Nodes) Fit {
	if len(nodes.All) == 0 {
		return Fit{No, "the cluster has no nodes"}
	}
	empty := func(node Node) capacity.Amount { return node.Has }
	if short := shortOf(all, nodes.All, empty); short != "" {
		return Fit{No, short}
	}
	if nodes.PodsUnknown != nil {
		return Fit{Unknown, "it does on empty nodes; what is taken of them this user may not see"}
	}
	if short := shortOf(all, nodes.All, Node.Free); short != "" {
		return Fit{NotNow, short}
	}
	if !tried(all, nodes.All) {
		return Fit{Perhaps, "there is room enough, and no place for every pod was found by trying"}
	}
	return Fit{Yes, "there is a place for every pod beside what is there"}
}

// shortOf says in words what nodes of which so much is free cannot hold; empty is nothing.
func shortOf(all []Pods, nodes []Node, free func(Node) capacity.Amount) string {
	var together, has capacity.Amount
	for _, pods := range all {
		fitting, said := 0, []string{}
		for _, node := range nodes {
			holds, why := pods.on(node, free(node))
			fitting += holds
			said = append(said, node.Name+": "+why)
		}
		if fitting < pods.Count {
			said = present.First(said, nodesNamed, "and %d more nodes")
			return fmt.Sprintf("%d of %d %s fit, each of which takes %s: %s", fitting, pods.Count, pods.Part, pods.each(),
				strings.Join(said, "; "))
		}
		together = together.Plus(pods.each().Times(pods.Count))
	}
	for _, node := range nodes {
		if node.Ready {
			has = has.Plus(free(node))
		}
	}
	if !has.Covers(together) {
		return fmt.Sprintf("all pods take %s together, and the nodes have %s", together, has)
	}
	return ""
}

// on is how many of the pods a node can hold of which so much is free, and how that comes.
func (p Pods) on(node Node, free capacity.Amount) (int, string) {
	if closed := node.Closed(p.where.selector, p.where.tolerations); closed != "" {
		return 0, "none, " + closed
	}
	each := p.each()
	free = free.Minus(capacity.Amount{CPUMillis: p.where.reservedMillis})
	holds := min(free.Holds(each), p.Count)
	if p.where.perNode > 0 {
		holds = min(holds, p.where.perNode)
	}
	return holds, fmt.Sprintf("%d (%s)", holds, free)
}

// tried puts every pod on the node that has the most CPU free, the largest pods first, as a scheduler might.
func tried(all []Pods, nodes []Node) bool {
	ordered := slices.SortedStableFunc(slices.Values(all), func(a, b Pods) int { return larger([]Pods{b}, []Pods{a}) })
	free := make([]capacity.Amount, len(nodes))
	for i, node := range nodes {
		free[i] = node.Free()
	}
	for _, pods := range ordered {
		held := make([]int, len(nodes))
		for range pods.Count {
			at := pods.place(nodes, free, held)
			if at < 0 {
				return false
			}
			free[at] = free[at].Minus(pods.each())
			held[at]++
		}
	}
	return true
}

// place is the index of the node that has the most CPU free among those that can hold one more of the pods; negative
// when none can. held is how many each node holds already.
func (p Pods) place(nodes []Node, free []capacity.Amount, held []int) int {
	one, best := p, -1
	one.Count = 1
	for i, node := range nodes {
		if p.where.perNode > 0 && held[i] >= p.where.perNode {
			continue
		}
		holds, _ := one.on(node, free[i])
		if holds > 0 && (best < 0 || free[i].CPUMillis > free[best].CPUMillis) {
			best = i
		}
	}
	return best
}
