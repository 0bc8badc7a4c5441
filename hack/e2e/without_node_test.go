//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// TestNodeDies takes the power from a node that no other scenario is on, once for each thing that may be on it. It
// takes the longest of all, ten minutes, and Go does not say when it starts which of those that run beside one another.
func TestNodeDies(t *testing.T) {
	t.Parallel()
	t.Run("OfAMember", memberDies)
	t.Run("OfLoadPodsWhileLoading", loadPodsDie)
}

// memberDies takes the power from the node of two mongods that are measured. The run of one ends, and says which node
// it was, and the next one in the queue is measured meanwhile. The other has a retry: once the node is back, it is
// measured from the beginning. Nothing is left then.
func memberDies(t *testing.T) {
	node, other := reservedNode(t)
	n := cluster.Namespace(t)
	measured := func(name, where string, seconds int32) *benchv1alpha1.BenchmarkRun {
		run := harness.Run(name, on(harness.Standalone("6.0.5"), where))
		run.Spec.Workload.Steps = []benchv1alpha1.Step{harness.Mixed("mixed", seconds)}
		run.Spec.LoadGenerator.PodSettings = onNode(other)
		run.Spec.Concurrency = &benchv1alpha1.Concurrency{Group: new(n.Name)}
		return run
	}
	run, next, again := measured("bench", node, 240), measured("next", other, harness.Seconds), measured("again", node, 75)
	again.Spec.Concurrency.Group, again.Spec.RetryLimit = new(n.Name+"-again"), new(int32(1))
	for _, one := range []*benchv1alpha1.BenchmarkRun{run, next} {
		n.Apply(t, one)
		n.WaitRun(t, one, "in the queue", func(seen *benchv1alpha1.BenchmarkRun) bool {
			return apimeta.FindStatusCondition(seen.Status.Conditions, benchv1alpha1.RunAdmitted) != nil
		})
	}
	n.WaitRun(t, run, "measuring", harness.InStage(benchv1alpha1.StageMeasuring))
	n.Apply(t, again)
	n.WaitRun(t, again, "measuring", harness.InStage(benchv1alpha1.StageMeasuring))
	restore := powerOff(t, node)
	died := time.Now()
	since := func() time.Duration { return time.Since(died).Round(time.Second) }

	verdict := lostNode(t, n.WaitRun(t, run, "ended", harness.HasVerdict), node)
	cluster.Summary.Figure("a member's node died: verdict %s after %s: %s", verdict.Reason, since(), verdict.Message)
	n.WaitSuccess(t, next)
	cluster.Summary.Figure("a member's node died: the next run had succeeded after %s", since())
	n.WaitRun(t, again, "starting over", func(seen *benchv1alpha1.BenchmarkRun) bool {
		return len(seen.Status.Attempts) == 1
	})
	restore()
	checkStartedOver(t, n, n.WaitSuccess(t, again))
	n.WaitLeft(t, nodeReturnBound, "ConfigMap bench-report", "ConfigMap next-report", "ConfigMap again-report")
}

// lostNode wants a run to have failed because of a node, which it names.
func lostNode(t *testing.T, ended *benchv1alpha1.BenchmarkRun, node string) *metav1.Condition {
	t.Helper()
	verdict := apimeta.FindStatusCondition(ended.Status.Conditions, benchv1alpha1.RunSucceeded)
	causes := []string{benchv1alpha1.ReasonNodeLost, benchv1alpha1.ReasonTargetLost}
	if verdict.Status != metav1.ConditionFalse || !slices.Contains(causes, verdict.Reason) {
		t.Errorf("want a verdict of %v: %s", causes, harness.Describe(ended.Status.Conditions))
	}
	if !strings.Contains(verdict.Message, node) {
		t.Errorf("the verdict does not name %s: %s", node, verdict.Message)
	}
	return verdict
}

// checkStartedOver wants a run of 75 seconds to have been measured as a whole, at its second attempt.
func checkStartedOver(t *testing.T, n *harness.Namespace, ended *benchv1alpha1.BenchmarkRun) {
	t.Helper()
	if attempts := ended.Status.Attempts; len(attempts) != 1 ||
		!slices.Contains(benchv1alpha1.RetriedReasons, attempts[0].Reason) {
		t.Errorf("attempts: %+v", attempts)
	}
	if got := harness.StepOf(t, n.Report(t, ended), "mixed").Duration(); got < 74*time.Second {
		t.Errorf("%s were measured, want 75 s", got)
	}
}

// loadPodsDie takes the power from the node of both load pods while they load, and marks the node as out of service, as
// people do, or the controller of a cloud. The pods are made again elsewhere, go on where the lost ones were, and the
// run succeeds.
func loadPodsDie(t *testing.T) {
	const key, value = "mongobench-e2e", "load"
	node, other := reservedNode(t)
	label(t, node, key, value)
	n := cluster.Namespace(t)
	run := harness.Run("bench", on(harness.Throttled(harness.Standalone("6.0.5")), other))
	run.Spec.Dataset = harness.Bulky(replacedDocuments)
	run.Spec.Dataset.Load = &benchv1alpha1.Load{Threads: new(int32(2)), BatchDocuments: new(int32(replacedBatch))}
	run.Spec.LoadGenerator.Pods = new(int32(2))
	run.Spec.LoadGenerator.PodSettings = onNodes(key, value)
	run.Spec.Deadlines.LoadingSeconds = new(int32(600))
	run.Spec.Workload.Steps = []benchv1alpha1.Step{harness.Reads("read", 1)}
	n.Apply(t, run)

	n.WaitRun(t, run, "loading", harness.InStage(benchv1alpha1.StageLoading))
	n.WaitLoaded(t, "bench-pod-1", lostAt)
	pods := &corev1.PodList{}
	isLoad := client.MatchingLabels{"app.kubernetes.io/component": string(naming.ComponentLoad)}
	if err := n.List(t.Context(), pods, client.InNamespace(n.Name), isLoad); err != nil || len(pods.Items) != 2 {
		t.Fatalf("there are %d load pods, want 2: %v", len(pods.Items), err)
	}
	for i := range pods.Items {
		if pods.Items[i].Spec.NodeName != node {
			t.Fatalf("load pod %s is on %s, want %s", pods.Items[i].Name, pods.Items[i].Spec.NodeName, node)
		}
	}
	powerOff(t, node)
	label(t, other, key, value) // From now on they may be there.
	taint(t, node, corev1.Taint{
		Key: corev1.TaintNodeOutOfService, Value: "nodeshutdown", Effect: corev1.TaintEffectNoExecute,
	})
	ended := n.WaitSuccess(t, run)
	load := harness.StepOf(t, n.Report(t, ended), "load")
	if load.ResumedDocuments == 0 || load.Documents+load.ResumedDocuments != replacedDocuments {
		t.Errorf("%d documents were written and %d left out, want some of each and %d in all", load.Documents,
			load.ResumedDocuments, replacedDocuments)
	}
	n.WaitLeft(t, removalDeadline, "ConfigMap bench-report")
}
