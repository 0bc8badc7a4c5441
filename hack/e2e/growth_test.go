//go:build e2e

package e2e

import (
	"testing"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

// TestGrowth measures the same step while the collection grows.
func TestGrowth(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	run := harness.Run("bench", harness.Sharded("6.0.5", 2))
	run.Spec.Dataset.Collections[0].DocumentCount = nil
	run.Spec.Workload.Steps = []benchv1alpha1.Step{harness.Reads("read", 2)}
	run.Spec.Workload.Growth = &benchv1alpha1.Growth{To: new(int64(3000)), Checkpoints: new(int32(3))}
	n.Apply(t, run)

	result := n.WaitSuccess(t, run).Status.Result
	if len(result.Growth) != 3 || len(result.Steps) != 3 {
		t.Fatalf("there are %d checkpoints and %d steps, want 3 and 3: %+v", len(result.Growth), len(result.Steps), result)
	}
	for i, checkpoint := range result.Growth {
		want := int64(1000 * (i + 1))
		if got := ptr.Deref(checkpoint.Documents, 0); got != want {
			t.Errorf("checkpoint %d has %d documents, want %d", i, got, want)
		}
		if ptr.Deref(checkpoint.DataBytes, 0) == 0 || ptr.Deref(checkpoint.IndexBytes, 0) == 0 {
			t.Errorf("checkpoint %d tells of no sizes: %+v", i, checkpoint)
		}
		if got := ptr.Deref(result.Steps[i].Documents, 0); got != want {
			t.Errorf("step %s is of %d documents, want %d", result.Steps[i].Name, got, want)
		}
	}
}

// TestDatasetIsReused measures a target twice: the second run finds its dataset in place, and loads nothing. A third
// one finds it written to.
func TestDatasetIsReused(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	target := harness.Target("db", harness.Standalone("6.0.5"))
	n.Apply(t, target)
	for _, tc := range []struct {
		run    string
		step   benchv1alpha1.Step
		loaded bool
		state  benchv1alpha1.DatasetState
	}{
		{"first", harness.Reads("read", 1), true, benchv1alpha1.DatasetClean},
		{"second", harness.Mixed("mixed", 1), false, benchv1alpha1.DatasetDirty},
		{"third", harness.Reads("read", 1), true, benchv1alpha1.DatasetClean},
	} {
		run := harness.RunOn(tc.run, target.Name)
		run.Spec.Workload.Steps = []benchv1alpha1.Step{tc.step}
		n.Apply(t, run)
		ended := n.WaitSuccess(t, run)
		if skipped := harness.StepOf(t, n.Report(t, ended), "load").Skipped; (skipped == "") != tc.loaded {
			t.Errorf("run %s: loaded is %t, want %t: %q", tc.run, skipped == "", tc.loaded, skipped)
		}
		if !apimeta.IsStatusConditionTrue(ended.Status.Conditions, benchv1alpha1.RunDataLoaded) {
			t.Errorf("run %s: the dataset is not in place: %s", tc.run, harness.Describe(ended.Status.Conditions))
		}
		seen := &benchv1alpha1.BenchmarkTarget{}
		n.Fetch(t, target.Name, seen)
		if len(seen.Status.Datasets) != 1 || seen.Status.Datasets[0].State != tc.state ||
			seen.Status.Datasets[0].RunName != tc.run {
			t.Errorf("after run %s the target tells of %+v, want %s by it", tc.run, seen.Status.Datasets, tc.state)
		}
	}
}
