//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

// budgetTime is how long Kubernetes may take to count the pods of a budget, on a machine that does other things too.
const budgetTime = 2 * time.Minute

// errEvicted ends a wait for what cannot become true any more.
var errEvicted = errors.New("a pod was evicted")

// TestLossWhileMeasuring has pods that are measured refuse to be evicted, as a drain would, and takes a load pod away
// by force: the run starts over, and its result has nothing of the first attempt. What it keeps afterwards may be
// evicted, and the run goes when its time is over.
func TestLossWhileMeasuring(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	run := harness.Run("bench", harness.Standalone("6.0.5"))
	run.Spec.Workload.Steps = []benchv1alpha1.Step{harness.Mixed("mixed", 40)}
	run.Spec.RetryLimit = new(int32(1))
	run.Spec.CleanupPolicy = new(benchv1alpha1.CleanupKeep)
	n.Apply(t, run)

	n.WaitRun(t, run, "measuring", harness.InStage(benchv1alpha1.StageMeasuring))
	pods := &corev1.PodList{}
	n.FetchAll(t, pods)
	for i := range pods.Items {
		if pods.Items[i].Status.Phase == corev1.PodRunning {
			wantProtected(t, n, &pods.Items[i])
		}
	}
	for i := range pods.Items {
		if pods.Items[i].Labels["app.kubernetes.io/component"] == "load" {
			if err := n.Delete(t.Context(), &pods.Items[i]); err != nil {
				t.Fatalf("deleting %s: %v", pods.Items[i].Name, err)
			}
		}
	}

	ended := n.WaitSuccess(t, run)
	attempts := ended.Status.Attempts
	if len(attempts) != 1 || attempts[0].Reason != benchv1alpha1.ReasonLoadPodLost {
		t.Fatalf("attempts: %+v", attempts)
	}
	if result := ended.Status.Result; len(result.Steps) != 1 || *result.Steps[0].DurationMillis < 39_000 {
		t.Errorf("the result is not that of a whole attempt: %+v", result.Steps)
	}

	n.WaitRun(t, run, "finished", harness.InStage(benchv1alpha1.ReasonFinished))
	wantEvictable(t, n, "bench-mongod-0")
	change(t, n, run, func(run *benchv1alpha1.BenchmarkRun) {
		run.Annotations = map[string]string{benchv1alpha1.PinAnnotation: "true"}
		run.Spec.TTLSecondsAfterFinished = new(int32(0))
	})
	n.Fetch(t, run.Name, run) // It is pinned.
	change(t, n, run, func(run *benchv1alpha1.BenchmarkRun) { delete(run.Annotations, benchv1alpha1.PinAnnotation) })
	n.WaitLeft(t, removalDeadline)
}

// evict asks for what the drain of a node asks for, and does nothing.
func evict(ctx context.Context, n *harness.Namespace, pod *corev1.Pod) error {
	return n.SubResource("eviction").Create(ctx, pod, &policyv1.Eviction{
		ObjectMeta:    metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name},
		DeleteOptions: &metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}},
	})
}

// wantProtected wants an eviction to be refused for a budget. Until Kubernetes has counted its pods, a budget refuses
// too.
func wantProtected(t *testing.T, n *harness.Namespace, pod *corev1.Pod) {
	t.Helper()
	err := harness.Poll(t.Context(), budgetTime, func(ctx context.Context) (bool, string, error) {
		err := evict(ctx, n, pod)
		if err == nil {
			return false, "", errEvicted
		}
		return apierrors.IsTooManyRequests(err), err.Error(), nil
	})
	if err != nil {
		t.Errorf("evicting %s while it is measured: %v", pod.Name, err)
	}
}

// wantEvictable wants an eviction to be allowed.
func wantEvictable(t *testing.T, n *harness.Namespace, name string) {
	t.Helper()
	pod := &corev1.Pod{}
	n.Fetch(t, name, pod)
	err := harness.Poll(t.Context(), budgetTime, func(ctx context.Context) (bool, string, error) {
		err := evict(ctx, n, pod)
		return err == nil, fmt.Sprint("evicting it: ", err), nil
	})
	if err != nil {
		t.Errorf("evicting %s after the end: %v", name, err)
	}
}
