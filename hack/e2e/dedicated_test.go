//go:build e2e

package e2e

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

// TestADedicatedNodeIsForThoseThatTolerateIt taints and labels a node. The members and the topology Job of a target
// that asks for it run there, and the load pods, which must not be beside them, elsewhere. It is not parallel to
// others: they lose a node meanwhile.
func TestADedicatedNodeIsForThoseThatTolerateIt(t *testing.T) {
	if nodeCount(t) < 2 {
		t.Skip("needs kubernetes: a cluster of two nodes or more")
	}
	const key, value = "mongobench-e2e", "servers"
	name := dedicate(t, key, value)
	n := cluster.Namespace(t)
	target := harness.Standalone("6.0.5")
	target.MongoDB.PodSettings = &benchv1alpha1.PodSettings{
		NodeSelector: map[string]string{key: value},
		Tolerations:  []corev1.Toleration{{Key: key, Value: value, Effect: corev1.TaintEffectNoSchedule}},
	}
	run := harness.Run("bench", target)
	run.Spec.LoadGenerator.Separation = new(benchv1alpha1.SeparationRequired)
	run.Spec.CleanupPolicy = new(benchv1alpha1.CleanupKeep)
	n.Apply(t, run)
	ended := n.WaitSuccess(t, run)

	var pods corev1.PodList
	n.FetchAll(t, &pods)
	seen := map[string]bool{}
	for _, pod := range pods.Items {
		component := pod.Labels["app.kubernetes.io/component"]
		seen[component] = true
		if there := pod.Spec.NodeName == name; there != (component != "load") {
			t.Errorf("pod %s, a part of %s, ran on %s; %s is dedicated", pod.Name, component, pod.Spec.NodeName, name)
		}
	}
	if !seen["mongod"] || !seen["topology"] || !seen["load"] {
		t.Errorf("pods of %v were there", seen)
	}
	if shared := ended.Status.Fingerprint.SharedNodes; shared != benchv1alpha1.SharedNone {
		t.Errorf("the fingerprint says that load pods shared nodes: %q", shared)
	}
	sharing := ended.Status.Sharing
	if sharing == nil || ptr.Deref(sharing.LoadPods, -1) != 0 || ptr.Deref(sharing.Neighbours, -1) != 0 {
		t.Errorf("somebody was seen on the node that is dedicated: %+v", sharing)
	}
	if slices.Contains(ended.Status.Doubts, benchv1alpha1.ReasonSharedNode) {
		t.Errorf("a node that nobody shared is doubted: %s", harness.Describe(ended.Status.Conditions))
	}
}

// dedicate gives the last node a label and a taint, until the test ends, and returns its name.
func dedicate(t *testing.T, key, value string) string {
	t.Helper()
	nodes := openNodes(t)
	name := nodes[len(nodes)-1]
	label(t, name, key, value)
	taint(t, name, corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffectNoSchedule})
	return name
}

// TestANamespaceThatDeniesAllAndCountsAll has a namespace that lets nobody in and nobody out, and whose quota wants
// every pod to say what it takes, of its node's disk too, and to limit itself.
func TestANamespaceThatDeniesAllAndCountsAll(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	n.Apply(t, &networkingv1.NetworkPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "deny-all"},
		Spec: networkingv1.NetworkPolicySpec{
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
		},
	}, &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "all"},
		Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{
			corev1.ResourceRequestsCPU: *harness.Quantity("4"), corev1.ResourceRequestsMemory: *harness.Quantity("4Gi"),
			corev1.ResourceLimitsCPU: *harness.Quantity("8"), corev1.ResourceLimitsMemory: *harness.Quantity("8Gi"),
			corev1.ResourceRequestsEphemeralStorage: *harness.Quantity("8Gi"),
			corev1.ResourceLimitsEphemeralStorage:   *harness.Quantity("8Gi"), corev1.ResourcePods: *harness.Quantity("8"),
		}},
	})
	target := harness.Standalone("6.0.5")
	target.MongoDB.Resources.Limits[corev1.ResourceEphemeralStorage] = *harness.Quantity("3Gi")
	run := harness.Run("bench", target)
	n.Apply(t, run)
	n.WaitSuccess(t, run)
}
