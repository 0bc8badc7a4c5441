//go:build e2e

package e2e

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

// TestStarvedLoadPod gives the load pod a tenth of a core and more workers than that can serve: the run must end, and
// say that its numbers are the generator's own.
func TestStarvedLoadPod(t *testing.T) {
	n := cluster.Namespace(t)
	run := harness.Run("bench", harness.Standalone("6.0.5"))
	resources := run.Spec.LoadGenerator.Resources
	resources.Limits[corev1.ResourceCPU] = *harness.Quantity("100m")
	delete(resources.Requests, corev1.ResourceCPU)
	run.Spec.Workload.Steps[0].Threads = new(int32(16))
	harness.FlatOut(run)
	n.Apply(t, run)

	ended := n.WaitSuccess(t, run)
	trusted := apimeta.FindStatusCondition(ended.Status.Conditions, benchv1alpha1.RunTrusted)
	if trusted == nil || trusted.Status != metav1.ConditionFalse ||
		trusted.Reason != benchv1alpha1.ReasonGeneratorSaturated {
		t.Errorf("a load pod with a tenth of a core is not doubted: %s", harness.Describe(ended.Status.Conditions))
	}
	generator := harness.StepOf(t, n.Report(t, ended), "mixed").Generator
	cluster.Summary.Figure("starved load pod: %d %% of its CPU used, kept from running for %.1f s",
		generator.BusiestPodPercent, float64(generator.ThrottledMicros)/1e6)
}
