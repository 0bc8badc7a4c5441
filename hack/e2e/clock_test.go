//go:build e2e

package e2e

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// TestClockIsSetBackWhileMeasuring sets the clock of a load pod back by more than its step lasts, so that the step ends
// before it began, if one believes that clock. What was timed is right, the result is doubted for it, and the next run
// of the queue is measured.
func TestClockIsSetBackWhileMeasuring(t *testing.T) {
	t.Parallel()
	const measured, back = int32(40), int8(60)
	n := cluster.Namespace(t)
	run, next := harness.Run("bench", harness.Standalone("6.0.5")), harness.Run("next", harness.Standalone("6.0.5"))
	run.Spec.Workload.Steps = []benchv1alpha1.Step{harness.Mixed("mixed", measured)}
	for _, one := range []*benchv1alpha1.BenchmarkRun{run, next} {
		one.Spec.Concurrency = &benchv1alpha1.Concurrency{Group: new(n.Name)}
		n.Apply(t, one)
	}
	n.WaitRun(t, run, "measuring", harness.InStage(benchv1alpha1.StageMeasuring))
	pods := &corev1.PodList{}
	isLoad := client.MatchingLabels{naming.ComponentLabel: string(naming.ComponentLoad), naming.RunLabel: run.Name}
	if err := n.List(t.Context(), pods, client.InNamespace(n.Name), isLoad); err != nil || len(pods.Items) != 1 {
		t.Fatalf("there are %d load pods, want 1: %v", len(pods.Items), err)
	}
	switch set, err := harness.SetClocksBack(&pods.Items[0], "loadgen", back); {
	case err != nil:
		t.Fatal(err)
	case set == 0:
		t.Skip("needs local: the load pod is on another machine")
	}

	ended := n.WaitSuccess(t, run)
	step := harness.StepOf(t, n.Report(t, ended), "mixed")
	if got := step.Duration().Seconds(); got < float64(measured-1) || got > float64(measured)+float64(back)/2 {
		t.Errorf("%.1f s were measured, want %d s", got, measured)
	}
	if doubts := ended.Status.Doubts; !slices.Contains(doubts, benchv1alpha1.ReasonClockStepped) {
		t.Errorf("the clock was set, and the doubts are %v", doubts)
	}
	for _, operation := range step.Operations {
		if operation.Count == 0 || operation.Errors > 0 {
			t.Errorf("operation %s: %d succeeded, %d failed", operation.Name, operation.Count, operation.Errors)
		}
	}
	ended = n.WaitSuccess(t, next)
	checkMeasured(t, ended, n.Report(t, ended))
}
