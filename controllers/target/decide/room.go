package decide

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/capacity"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// Room is what the nodes of the cluster have, and how much of it is taken. It keeps nothing else of nodes and pods, of
// which there may be many.
type Room struct {
	nodes []room
	// taken is what all pods ask for, and staying what those ask for that never leave their node.
	taken, staying map[string]capacity.Amount
}

// room is what one node has, and whom it takes.
type room struct {
	name   string
	filter capacity.NodeFilter
	has    capacity.Amount
}

// AddNode counts a node.
func (r *Room) AddNode(node *corev1.Node) {
	r.nodes = append(r.nodes, room{
		name: node.Name, filter: capacity.FilterOf(node), has: capacity.Of(node.Status.Allocatable),
	})
}

// AddPod counts what a node sets aside for a pod. The pods of DaemonSets, and those that a node runs of its own, stay.
func (r *Room) AddPod(pod *corev1.Pod) {
	if r.taken == nil {
		r.taken, r.staying = map[string]capacity.Amount{}, map[string]capacity.Amount{}
	}
	node, asks := pod.Spec.NodeName, capacity.Requested(&pod.Spec)
	r.taken[node] = r.taken[node].Plus(asks)
	if owner := metav1.GetControllerOf(pod); owner != nil && (owner.Kind == "DaemonSet" || owner.Kind == "Node") {
		r.staying[node] = r.staying[node].Plus(asks)
	}
}

// vacancy is what one node has left for a target.
type vacancy struct {
	node string
	free capacity.Amount
	// closed is why the node takes no member at all; empty is that it does.
	closed string
}

// vacancies are what each node has left beside what is taken, in the order of names.
func (r *Room) vacancies(placement benchv1alpha1.PlacementSpec, taken map[string]capacity.Amount) []vacancy {
	var reserved capacity.Amount
	if placement.ReservedCPUs != nil {
		reserved.CPUMillis = placement.ReservedCPUs.MilliValue()
	}
	found := make([]vacancy, 0, len(r.nodes))
	for _, node := range r.nodes {
		found = append(found, vacancy{
			node: node.name, free: node.has.Minus(taken[node.name].Plus(reserved)),
			closed: node.filter.Rejects(placement.NodeSelector, placement.Tolerations),
		})
	}
	slices.SortFunc(found, func(a, b vacancy) int { return strings.Compare(a.node, b.node) })
	return found
}

// maxNodesNamed is how many nodes a message names at most.
const maxNodesNamed = 12

// shortage is that the nodes cannot hold the members.
type shortage struct {
	message string
	// forGood is that they could not if no other pod were there.
	forGood bool
}

// short says whether the nodes cannot hold the members. It is asked before anything is made; without an observation of
// the nodes, which an operator of some namespaces may not make, in a cluster without any, and later, the scheduler's
// word counts.
//
// Whoever is said not to fit is not tried, so only what is certain is said: parts of the target are looked at one by
// one, and together as if a node could be cut to size.
func short(o Observation) *shortage {
	if o.Room == nil || len(o.Room.nodes) == 0 || len(o.StatefulSets) > 0 {
		return nil
	}
	placement := ptr.Deref(o.Target.Spec.Placement, benchv1alpha1.PlacementSpec{})
	now := shortOf(o.Target.Spec, o.Room.vacancies(placement, o.Room.taken))
	if now == "" {
		return nil
	}
	if ever := shortOf(o.Target.Spec, o.Room.vacancies(placement, o.Room.staying)); ever != "" {
		return &shortage{message: ever + "; the pods of others are not counted in this", forGood: true}
	}
	return &shortage{message: now}
}

// heldBack says whether nothing is made because it would not fit, or was given up for that.
func heldBack(o Observation, status benchv1alpha1.BenchmarkTargetStatus) bool {
	givenUp := condition.Reason(status.Conditions, benchv1alpha1.TargetStalled) == benchv1alpha1.ReasonDoesNotFit
	return short(o) != nil || givenUp
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
		n.limit, n.because = n.dealing.maxSkew, "shardsPerNode"
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
