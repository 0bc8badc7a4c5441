//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

// TestLoadPodsKeepOffTheDatabasesNode: where there is another node, the load does not take CPU from what it measures.
func TestLoadPodsKeepOffTheDatabasesNode(t *testing.T) {
	if nodeCount(t) < 2 {
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

// TestShardsThatDoNotFit asks for one shard more than there are nodes, and for one shard on each: an autoscaler would
// see a pod that waits, and the verdict has the scheduler's words and the arithmetic. That as many as there are nodes
// fit is a part of TestLoadGeneratorRoutes.
func TestShardsThatDoNotFit(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	nodes := nodeCount(t)
	target := harness.Sharded("6.0.5", int32(nodes+1))
	target.MongoDB.Placement = &benchv1alpha1.PlacementSpec{MembersPerNode: new(int32(1))}
	target.MongoDB.ProvisioningSeconds = new(int32(60))
	run := harness.Run("bench", target)
	n.Apply(t, run)

	ended := n.WaitRun(t, run, "ended", harness.HasVerdict)
	verdict := apimeta.FindStatusCondition(ended.Status.Conditions, benchv1alpha1.RunSucceeded)
	if verdict.Status != metav1.ConditionFalse {
		t.Fatalf("the verdict is %s", harness.Describe(ended.Status.Conditions))
	}
	for _, word := range []string{
		benchv1alpha1.ReasonUnschedulable, "nodes are available",
		fmt.Sprintf("%d of %d members of shards fit", nodes, nodes+1),
	} {
		if text := verdict.Reason + ": " + verdict.Message; !strings.Contains(text, word) {
			t.Errorf("the verdict does not say %s: %s", word, text)
		}
	}
	cluster.Summary.Figure("%d shards, one a node: %s", nodes+1, verdict.Message)
	n.WaitLeft(t, removalDeadline)
}

// nodeCount is how many nodes any pod may be on.
func nodeCount(t *testing.T) int {
	t.Helper()
	return len(openNodes(t))
}
