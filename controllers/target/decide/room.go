package decide

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/capacity"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
)

// Room is what the nodes of the cluster have, and how much of it is taken. It keeps nothing else of nodes and pods, of
// which there may be many.
type Room struct {
	nodes []room
	// taken is what the pods on a node ask for.
	taken map[string]capacity.Amount
}

// room is what one node has, and whom it takes.
type room struct {
	name   string
	kernel string
	filter capacity.NodeFilter
	has    capacity.Amount
}

// AddNode counts a node.
func (r *Room) AddNode(node *corev1.Node) {
	r.nodes = append(r.nodes, room{
		name: node.Name, kernel: node.Status.NodeInfo.KernelVersion,
		filter: capacity.FilterOf(node), has: capacity.Of(node.Status.Allocatable),
	})
}

// AddPod counts what a node sets aside for a pod.
func (r *Room) AddPod(pod *corev1.Pod) {
	if r.taken == nil {
		r.taken = map[string]capacity.Amount{}
	}
	r.taken[pod.Spec.NodeName] = r.taken[pod.Spec.NodeName].Plus(capacity.Requested(&pod.Spec))
}

// vacancy is what one node has left for a target.
type vacancy struct {
	node string
	free capacity.Amount
	// closed is why the node takes no member at all; empty is that it does.
	closed string
}

// vacancies are what each node has left beside what is taken, in the order of names.
func (r *Room) vacancies(o Observation) []vacancy {
	var reserved capacity.Amount
	deployment := ptr.Deref(o.Target.Spec.Deployment(), benchv1alpha1.Deployment{})
	if placement := deployment.Placement; placement != nil && placement.ReservedCPUs != nil {
		reserved.CPUMillis = placement.ReservedCPUs.MilliValue()
	}
	pods := o.Settings.Pods(o.Target.Spec.Pods())
	found := make([]vacancy, 0, len(r.nodes))
	for _, node := range r.nodes {
		found = append(found, vacancy{
			node: node.name, free: node.has.Minus(r.taken[node.name].Plus(reserved)),
			closed: cmp.Or(node.filter.Rejects(pods.NodeSelector, pods.Tolerations), node.stops(o.Target.Spec)),
		})
	}
	slices.SortFunc(found, func(a, b vacancy) int { return strings.Compare(a.node, b.node) })
	return found
}

// stops says why a server of the target would end at its start on the node; empty is that it does not. Somebody's own
// image may have what is needed to go on.
func (n room) stops(spec benchv1alpha1.BenchmarkTargetSpec) string {
	if spec.MongoDB == nil || spec.MongoDB.Image != nil || !mongod.ParseRelease(spec.Version()).StopsOn(n.kernel) {
		return ""
	}
	return fmt.Sprintf("MongoDB %s stops at its start on its kernel %s; use 7.0.14 or later", spec.Version(), n.kernel)
}

// maxNodesNamed is how many nodes a message names at most.
const maxNodesNamed = 12

// holdSeconds is how long nothing is made because the nodes have no room. It is about as long as the pods of an earlier
// run take to leave; whoever makes nodes for pods that wait has to see pods that wait, and the scheduler knows best.
const holdSeconds = 10

// short says in words that the nodes cannot hold the members beside what is there; empty is that they can, or that it
// is not known: an operator of some namespaces may not read nodes. Only what is certain is said: parts of the target
// are looked at one by one, and together as if a node could be cut to size.
func short(o Observation) string {
	if o.Room == nil || len(o.Room.nodes) == 0 {
		return ""
	}
	return shortOf(o.Target.Spec, o.Room.vacancies(o))
}

// heldBack says whether nothing is made for the moment because it would not fit.
func heldBack(o Observation, status benchv1alpha1.BenchmarkTargetStatus) bool {
	began := status.ProvisioningStartTime
	return len(o.StatefulSets) == 0 && began != nil && o.Now.Sub(began.Time) < holdSeconds*time.Second && short(o) != ""
}

// shortOf says in words what of a target the nodes cannot hold; empty is nothing.
func shortOf(spec benchv1alpha1.BenchmarkTargetSpec, nodes []vacancy) string {
	var needs []need
	var together capacity.Amount
	for _, group := range product.Groups(sets(spec)) {
		n := needOf(spec, group)
		if said := n.shortOf(nodes); said != "" {
			return said
		}
		needs, together = append(needs, n), together.Plus(n.each.Times(n.count))
	}
	var free capacity.Amount
	for _, node := range nodes {
		if node.closed == "" {
			free = free.Plus(node.free)
		}
	}
	if free.Covers(together) {
		return ""
	}
	named := make([]string, 0, len(needs))
	for _, n := range needs {
		named = append(named, fmt.Sprintf("%d %s of %s each", n.count, n.what, n.each))
	}
	return fmt.Sprintf("%s need %s together, and the nodes have %s free: %s", strings.Join(named, ", "), together, free,
		perNode(nodes, func(node vacancy) string { return node.free.String() }))
}

// need is what the members that play one part ask of the nodes.
type need struct {
	what  string
	count int
	each  capacity.Amount
	cache int64
	// limit is the most that one node may hold, and because of what; 0 is no limit.
	limit   int
	because string
	// dealing is what the scheduler is told besides.
	dealing dealing
}

func needOf(spec benchv1alpha1.BenchmarkTargetSpec, group product.Group) need {
	n := need{
		what: group.Part, count: group.Count, each: capacity.Of(group.Resources.Requests), cache: group.CacheMebibytes,
		dealing: dealt(spec, group.Set),
	}
	n.each.Pods = 1
	// A member fills its cache whatever it asks for.
	n.each.MemoryBytes = max(n.each.MemoryBytes, n.cache*product.Mebibyte)
	if group.KeptApart(spec) {
		n.limit, n.because = group.Sets, "spread Required"
	}
	if n.dealing.minDomains == moreNodesThanAny && (n.limit == 0 || n.dealing.maxSkew < n.limit) {
		n.limit, n.because = n.dealing.maxSkew, "membersPerNode"
	}
	return n
}

// shortOf says in words that not all fit; empty is that they do.
func (n need) shortOf(nodes []vacancy) string {
	fitting := 0
	for _, node := range nodes {
		fitting += n.on(node, nodes)
	}
	if fitting >= n.count {
		return ""
	}
	each := n.each.String()
	if n.cache > 0 {
		each += fmt.Sprintf(" of memory, with %d MiB of cache", n.cache)
	}
	return fmt.Sprintf("%d of %d %s fit (each takes %s): %s", fitting, n.count, n.what, each,
		perNode(nodes, func(node vacancy) string {
			on, room := n.on(node, nodes), min(node.free.Holds(n.each), n.count)
			said := fmt.Sprintf("%d (%s free", on, node.free)
			switch {
			case on < room && n.limit == on:
				said += ", " + n.because
			case on < room:
				said += ", evenly spread"
			}
			return said + ")"
		}))
}

// on is how many a node can hold among these.
func (n need) on(node vacancy, nodes []vacancy) int {
	if node.closed != "" {
		return 0
	}
	holds := n.alone(node)
	if n.dealing.maxSkew == 0 || n.dealing.minDomains == moreNodesThanAny {
		return holds
	}
	open, fewest := 0, n.count
	for _, other := range nodes {
		if other.closed == "" {
			open, fewest = open+1, min(fewest, n.alone(other))
		}
	}
	if open < n.dealing.minDomains {
		fewest = 0
	}
	return min(holds, fewest+n.dealing.maxSkew)
}

// alone is how many a node can hold whatever the others do.
func (n need) alone(node vacancy) int {
	holds := min(node.free.Holds(n.each), n.count)
	if n.limit > 0 {
		holds = min(holds, n.limit)
	}
	return holds
}

func perNode(nodes []vacancy, say func(vacancy) string) string {
	var said []string
	for _, node := range nodes[:min(len(nodes), maxNodesNamed)] {
		if node.closed != "" {
			said = append(said, fmt.Sprintf("%s: none, %s", node.node, node.closed))
			continue
		}
		said = append(said, node.node+": "+say(node))
	}
	if more := len(nodes) - maxNodesNamed; more > 0 {
		said = append(said, fmt.Sprintf("and %d more nodes", more))
	}
	return strings.Join(said, "; ")
}
