package run_test

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// TestEvictedRunStartsOver has a load pod be evicted while it measures. Each reconcile is that of a new manager.
func TestEvictedRunStartsOver(t *testing.T) {
	t.Parallel()
	p := newPlay(t, func(run *benchv1alpha1.BenchmarkRun) { run.Spec.RetryLimit = new(int32(1)) })
	p.toMeasuring()
	var pod corev1.Pod
	p.get("r-load-1", &pod)
	pod.Status.Phase, pod.Status.Reason, pod.Status.Message = corev1.PodFailed, "Evicted", "node was low on memory"
	p.must(environment.Client.Status().Update(t.Context(), &pod))
	p.pass(5 * time.Second)
	p.idle()
	p.want(benchv1alpha1.RunAdmitted, "True Admitted")
	p.want(benchv1alpha1.RunProgressing, "True Queued")
	if got := p.names(); !slices.Equal(got, []string{"ConfigMap r-report"}) { // Its place goes last.
		t.Errorf("of the first attempt these are left: %v", got)
	}
	p.collectGarbage()
	p.toFinished()
	attempts := p.run().Status.Attempts
	if len(attempts) != 1 || attempts[0].Reason != benchv1alpha1.ReasonLoadPodLost {
		t.Errorf("attempts %+v", attempts)
	}
}
