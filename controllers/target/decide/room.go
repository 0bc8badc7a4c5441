package decide

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/capacity"
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
	name string
	door capacity.Door
	has  capacity.Amount
}

// AddNode counts a node.
func (r *Room) AddNode(node *corev1.Node) {
	r.nodes = append(r.nodes, room{
		name: node.Name, door: capacity.DoorOf(node), has: capacity.Of(node.Status.Allocatable),
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
			closed: node.door.Closed(placement.NodeSelector, placement.Tolerations),
		})
	}
	slices.SortFunc(found, func(a, b vacancy) int { return strings.Compare(a.node, b.node) })
	return found
}
