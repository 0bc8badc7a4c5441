//go:build e2e

package e2e

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

// TestLoadPodsKeepOffTheDatabasesNode: where there is another node, the load does not take CPU from what it measures.
func TestLoadPodsKeepOffTheDatabasesNode(t *testing.T) {
	var nodes corev1.NodeList
	if err := cluster.List(t.Context(), &nodes); err != nil {
		t.Fatal(err)
	}
	if len(nodes.Items) < 2 {
		t.Skip("needs kubernetes: a cluster of two nodes or more")
	}
	n := cluster.Namespace(t)
	run := harness.Run("bench", harness.Standalone("6.0.5"))
	run.Spec.LoadGenerator.Pods = new(int32(2))
	run.Spec.CleanupPolicy = new(benchv1alpha1.CleanupKeep)
	n.Apply(t, run)
	n.WaitSuccess(t, run)

	var pods corev1.PodList
	n.FetchAll(t, &pods)
	nodesOf := map[string][]string{}
	for _, pod := range pods.Items {
		component := pod.Labels["app.kubernetes.io/component"]
		nodesOf[component] = append(nodesOf[component], pod.Spec.NodeName)
	}
	if len(nodesOf["mongod"]) != 1 || len(nodesOf["load"]) != 2 {
		t.Fatalf("pods by component: %v, want one mongod and two load pods", nodesOf)
	}
	for _, node := range nodesOf["load"] {
		if node == nodesOf["mongod"][0] {
			t.Errorf("a load pod ran on %s beside the mongod that it measured: %v", node, nodesOf)
		}
	}
}
