package estimate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/pager"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mongobench/mongobench-operator/internal/capacity"
)

// Node is a node with what is taken of it.
type Node struct {
	Name string `json:"name"`
	// Type is the instance type or, where the node has none, its size; Kernel is its release. Runs note both.
	Type   string `json:"type"`
	Kernel string `json:"kernel"`
	// Has is what pods may ask for, and Taken what those that are there do.
	Has   capacity.Amount `json:"has"`
	Taken capacity.Amount `json:"taken"`
	// Ready says that its kubelet reports in time.
	Ready   bool      `json:"ready"`
	Created time.Time `json:"created"`

	filter capacity.NodeFilter
}

// Free is what further pods may ask for.
func (n Node) Free() capacity.Amount { return n.Has.Minus(n.Taken) }

// Nodes are those of a cluster, in the order of their names.
type Nodes struct {
	All []Node
	// PodsUnknown is why the pods on them could not be read; Taken then is nothing. Nil: they were.
	PodsUnknown error
}

// onNodes are the pods that a node has set something aside for.
var onNodes = fields.AndSelectors(
	fields.OneTermNotEqualSelector("spec.nodeName", ""),
	fields.OneTermNotEqualSelector("status.phase", string(corev1.PodSucceeded)),
	fields.OneTermNotEqualSelector("status.phase", string(corev1.PodFailed)),
)

// ReadNodes reads the nodes, and the pods of all namespaces that are on them.
func ReadNodes(ctx context.Context, from client.Reader) (Nodes, error) {
	var found Nodes
	err := pages(ctx, from, &corev1.NodeList{}, nil, func(item runtime.Object) {
		if node, ok := item.(*corev1.Node); ok {
			found.All = append(found.All, NodeOf(node))
		}
	})
	if err != nil {
		return Nodes{}, fmt.Errorf("listing nodes: %w", err)
	}
	taken := map[string]capacity.Amount{}
	found.PodsUnknown = pages(ctx, from, &corev1.PodList{}, onNodes, func(item runtime.Object) {
		if pod, ok := item.(*corev1.Pod); ok {
			taken[pod.Spec.NodeName] = taken[pod.Spec.NodeName].Plus(capacity.Requested(&pod.Spec))
		}
	})
	slices.SortFunc(found.All, func(a, b Node) int { return strings.Compare(a.Name, b.Name) })
	if found.PodsUnknown == nil {
		for i := range found.All {
			found.All[i].Taken = taken[found.All[i].Name]
		}
	}
	return found, nil
}

// pages reads objects of all namespaces piece by piece.
func pages(
	ctx context.Context, from client.Reader, kind client.ObjectList, selector fields.Selector, each func(runtime.Object),
) error {
	read := func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		page, _ := kind.DeepCopyObject().(client.ObjectList)
		return page, from.List(ctx, page, &client.ListOptions{
			FieldSelector: selector, Limit: options.Limit, Continue: options.Continue,
		})
	}
	return pager.New(read).EachListItem(ctx, metav1.ListOptions{}, func(item runtime.Object) error {
		each(item)
		return nil
	})
}

// NodeOf is a node of which nothing is taken.
func NodeOf(node *corev1.Node) Node {
	found := Node{
		Name: node.Name, Type: capacity.MachineOf(node), Kernel: node.Status.NodeInfo.KernelVersion,
		Has: capacity.Of(node.Status.Allocatable), Created: node.CreationTimestamp.Time, filter: capacity.FilterOf(node),
	}
	for _, condition := range node.Status.Conditions {
		found.Ready = found.Ready || condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue
	}
	return found
}

// Closed says why a node takes no pod that has this selector and these tolerations; empty: it may.
func (n Node) Closed(selector map[string]string, tolerations []corev1.Toleration) string {
	if !n.Ready {
		return "it is not ready"
	}
	return n.filter.Rejects(selector, tolerations)
}
