//go:build e2e

package e2e

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

const (
	// nodeReturnBound is within which all that was on a node must be gone after it is back.
	nodeReturnBound = 5 * time.Minute
	// moveTime is how long the operator may take to be elsewhere.
	moveTime = 5 * time.Minute
)

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

// doomedNode is a node whose power may be taken, and another that stays, the first by its name, which has what the
// cluster itself needs. The operator is not on the doomed one: what is looked at is what it makes of the loss, and it
// could not make anything of it before Kubernetes had given up the operator's own node.
func doomedNode(t *testing.T) (doomed, other string) {
	t.Helper()
	needLocalCluster(t)
	nodes := openNodes(t)
	if len(nodes) < 2 {
		t.Skip("needs kubernetes: a cluster of two nodes or more")
	}
	doomed, other = nodes[len(nodes)-1], nodes[0]
	moveManager(t, doomed)
	return doomed, other
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

// moveManager has the operator run anywhere but on one node.
func moveManager(t *testing.T, from string) {
	t.Helper()
	manager, err := cluster.ManagerPod(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if manager.Spec.NodeName != from {
		return
	}
	closed := func(closed bool) {
		t.Helper()
		err := changeNode(context.WithoutCancel(t.Context()), from, func(node *corev1.Node) {
			node.Spec.Unschedulable = closed
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	closed(true)
	defer closed(false)
	killManager(t)
	err = harness.Poll(t.Context(), moveTime, func(ctx context.Context) (bool, string, error) {
		manager, err := cluster.ManagerPod(ctx)
		if err != nil {
			return false, "", err // It is asked again.
		}
		elsewhere := manager.Spec.NodeName != from && harness.PodIsReady(manager)
		return elsewhere, manager.Name + " on " + manager.Spec.NodeName, nil
	})
	if err != nil {
		t.Fatalf("waiting for the operator to leave %s: %v", from, err)
	}
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

// onNode sends pods to one node, and lets them be on a reserved one.
func onNode(name string) *benchv1alpha1.PodSettings {
	return &benchv1alpha1.PodSettings{
		NodeSelector: map[string]string{hostname: name},
		Tolerations:  []corev1.Toleration{{Key: reservedTaint, Operator: corev1.TolerationOpExists}},
	}
}

// on sends the members of a target to one node.
func on(target *benchv1alpha1.BenchmarkTargetSpec, node string) *benchv1alpha1.BenchmarkTargetSpec {
	target.MongoDB.PodSettings = onNode(node)
	return target
}
