//go:build e2e

package e2e

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// hostname is the label by which a pod is sent to one node.
const hostname = corev1.LabelHostname

// nodeReturnBound is within which all that was on a node must be gone after it is back.
const nodeReturnBound = 5 * time.Minute

// reservedTaint is on a node that is kept free of all but what tolerates it, so that its power can be taken while other
// scenarios go on. hack/make/e2e.mk puts it there.
const reservedTaint = "mongobench-e2e-reserved"

// openNodes are the nodes that any pod may be on, by their names.
func openNodes(t *testing.T) []string {
	t.Helper()
	return nodesThat(t, func(node corev1.Node) bool { return !isReserved(node) })
}

func isReserved(node corev1.Node) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(one corev1.Taint) bool { return one.Key == reservedTaint })
}

func nodesThat(t *testing.T, are func(corev1.Node) bool) []string {
	t.Helper()
	var nodes corev1.NodeList
	if err := cluster.List(t.Context(), &nodes); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, node := range nodes.Items {
		if are(node) {
			names = append(names, node.Name)
		}
	}
	slices.Sort(names)
	return names
}

// reservedNode is a node whose power may be taken while other scenarios go on, and another that stays.
func reservedNode(t *testing.T) (reserved, other string) {
	t.Helper()
	needLocalCluster(t)
	nodes := nodesThat(t, isReserved)
	if len(nodes) == 0 {
		t.Skip("needs kubernetes: a node with the taint " + reservedTaint + "; make e2e NODES=3 has one")
	}
	return nodes[0], openNodes(t)[0]
}

// powerOff takes the power from a node until the test ends, or until it is given back.
func powerOff(t *testing.T, node string) (restore func()) {
	t.Helper()
	localCluster(t, "stop-node", node)
	restore = sync.OnceFunc(func() { localCluster(t, "start-node", node) })
	t.Cleanup(restore)
	return restore
}

// changeNode changes a node's object.
func changeNode(ctx context.Context, name string, change func(*corev1.Node)) error {
	var node corev1.Node
	if err := cluster.Get(ctx, client.ObjectKey{Name: name}, &node); err != nil {
		return err
	}
	before := node.DeepCopy()
	change(&node)
	return cluster.Patch(ctx, &node, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

// taint puts a taint on a node until the test ends.
func taint(t *testing.T, node string, with corev1.Taint) {
	t.Helper()
	err := changeNode(t.Context(), node, func(node *corev1.Node) { node.Spec.Taints = append(node.Spec.Taints, with) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := changeNode(context.WithoutCancel(t.Context()), node, func(node *corev1.Node) {
			node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, func(one corev1.Taint) bool { return one.Key == with.Key })
		})
		if err != nil {
			t.Errorf("node %s keeps its taint: %v", node, err)
		}
	})
}

// label puts a label on a node until the test ends.
func label(t *testing.T, node, key, value string) {
	t.Helper()
	if err := changeNode(t.Context(), node, func(node *corev1.Node) {
		metav1.SetMetaDataLabel(&node.ObjectMeta, key, value)
	}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := changeNode(context.WithoutCancel(t.Context()), node, func(node *corev1.Node) { delete(node.Labels, key) })
		if err != nil {
			t.Errorf("node %s keeps its label: %v", node, err)
		}
	})
}

// onNode sends pods to one node.
func onNode(name string) *benchv1alpha1.PodSettings { return onNodes(hostname, name) }

// onNodes sends pods to nodes with a label, and lets them be on a reserved one.
func onNodes(key, value string) *benchv1alpha1.PodSettings {
	return &benchv1alpha1.PodSettings{
		NodeSelector: map[string]string{key: value},
		Tolerations:  []corev1.Toleration{{Key: reservedTaint, Operator: corev1.TolerationOpExists}},
	}
}

// on sends the members of a target to one node.
func on(target *benchv1alpha1.BenchmarkTargetSpec, node string) *benchv1alpha1.BenchmarkTargetSpec {
	target.MongoDB.PodSettings = onNode(node)
	return target
}
