//go:build e2e

package e2e

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

// TestMongodOutOfMemory gives mongod as little memory as the operator takes, and has it sort more than that at once:
// each sort stays below the 100 MB at which mongod would go to its disk, and all of them together do not fit.
func TestMongodOutOfMemory(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	target := harness.Standalone("6.0.5")
	target.MongoDB.Resources.Limits[corev1.ResourceMemory] = *harness.Quantity("320Mi")
	run := harness.Run("bench", target)
	run.Spec.Dataset = harness.Bulky(60_000)
	run.Spec.Workload.Steps = []benchv1alpha1.Step{{
		Name: "sort", DurationSeconds: new(int32(60)), Threads: new(int32(8)),
		Operations: []benchv1alpha1.Operation{{
			Name: "sort",
			Request: benchv1alpha1.Request{
				Kind: benchv1alpha1.OperationAggregate, Pipeline: `[{"$sort": {"payload": 1}}]`,
				Fetch: benchv1alpha1.FetchFirstBatch,
			},
		}},
	}}
	n.Apply(t, run)

	ended := n.WaitRun(t, run, "ended", harness.HasVerdict)
	verdict := apimeta.FindStatusCondition(ended.Status.Conditions, benchv1alpha1.RunSucceeded)
	if verdict.Status != metav1.ConditionFalse || verdict.Reason != benchv1alpha1.ReasonOOMKilled {
		t.Fatalf("the verdict is %s", harness.Describe(ended.Status.Conditions))
	}
	for _, word := range []string{"bench-mongod-0", "container mongod", "320Mi"} {
		if !strings.Contains(verdict.Message, word) {
			t.Errorf("the message does not say %q: %s", word, verdict.Message)
		}
	}
	if ended.Status.Result != nil {
		t.Errorf("a run that failed has a result: %+v", ended.Status.Result)
	}
	// What its load pod had done until then is kept.
	n.WaitLeft(t, removalDeadline, "ConfigMap bench-report")
}

// TestRunIsDeleted deletes a run in the middle of its measurement.
func TestRunIsDeleted(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	run := harness.Run("bench", harness.Standalone("6.0.5"))
	run.Spec.Workload.Steps = []benchv1alpha1.Step{harness.Mixed("mixed", 60)}
	n.Apply(t, run)

	n.WaitRun(t, run, "measuring", harness.InStage(benchv1alpha1.StageMeasuring))
	pods := &corev1.PodList{}
	n.FetchAll(t, pods)
	if len(pods.Items) < 2 {
		t.Fatalf("a measurement has %d pods, want mongod and a load pod at least", len(pods.Items))
	}
	if err := n.Delete(t.Context(), run, client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
		t.Fatalf("deleting the run: %v", err)
	}
	removal := n.WaitLeft(t, removalDeadline)
	cluster.Summary.Figure("run deleted while it measured: all gone after %.1f s", removal.Seconds())
}

// TestSpecThatMakesNoSense is refused at once where a rule of the schema can say so, and by a condition elsewhere;
// either way the message tells the field.
func TestSpecThatMakesNoSense(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)

	refused := map[string]struct {
		change func(*benchv1alpha1.BenchmarkRun)
		path   string
	}{
		"a step with two ends": {
			change: func(run *benchv1alpha1.BenchmarkRun) { run.Spec.Workload.Steps[0].OperationCount = new(int64(10)) },
			path:   "spec.workload.steps[0].durationSeconds",
		},
		"a target and a reference to one": {
			change: func(run *benchv1alpha1.BenchmarkRun) {
				run.Spec.TargetRef = &benchv1alpha1.NameReference{Name: "other"}
			},
			path: "spec.target",
		},
		"a database of MongoDB's own": {
			change: func(run *benchv1alpha1.BenchmarkRun) { run.Spec.Dataset.Database = new("admin") },
			path:   "spec.dataset.database",
		},
	}
	for name, tc := range refused {
		t.Run(name, func(t *testing.T) {
			run := harness.Run("refused", harness.Standalone("6.0.5"))
			tc.change(run)
			run.Namespace = n.Name
			err := n.Create(t.Context(), run)
			if err == nil || !strings.Contains(err.Error(), tc.path) {
				t.Errorf("the API server says %v, want a refusal that names %s", err, tc.path)
			}
		})
	}

	t.Run("an unknown collection", func(t *testing.T) {
		run := harness.Run("unaccepted", harness.Standalone("6.0.5"))
		run.Spec.Workload.Steps[0].Operations[0].Collection = "absent"
		n.Apply(t, run)
		ended := n.WaitRun(t, run, "judged", harness.HasVerdict)
		accepted := apimeta.FindStatusCondition(ended.Status.Conditions, benchv1alpha1.RunAccepted)
		const path = "spec.workload.steps[0].operations[0].collection"
		if accepted == nil || accepted.Status != metav1.ConditionFalse || !strings.HasPrefix(accepted.Message, path) {
			t.Errorf("want Accepted=False with a message that begins with %s: %s", path,
				harness.Describe(ended.Status.Conditions))
		}
		if objects, err := n.Objects(t.Context()); err != nil || len(objects) > 0 {
			t.Errorf("something was made for a run that was not accepted: %v, %v", objects, err)
		}
	})
}

// TestLoadPodIsDeleted takes a load pod away in the middle of its measurement, which must not be started again.
func TestLoadPodIsDeleted(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	run := harness.Run("bench", harness.Standalone("6.0.5"))
	run.Spec.Workload.Steps = []benchv1alpha1.Step{harness.Mixed("mixed", 60)}
	n.Apply(t, run)

	n.WaitRun(t, run, "measuring", harness.InStage(benchv1alpha1.StageMeasuring))
	pods := &corev1.PodList{}
	isLoad := client.MatchingLabels{"app.kubernetes.io/component": "load"}
	if err := n.List(t.Context(), pods, client.InNamespace(n.Name), isLoad); err != nil || len(pods.Items) != 1 {
		t.Fatalf("there are %d load pods, want 1: %v", len(pods.Items), err)
	}
	if err := n.Delete(t.Context(), &pods.Items[0]); err != nil {
		t.Fatalf("deleting a load pod: %v", err)
	}
	ended := n.WaitRun(t, run, "ended", harness.HasVerdict)
	verdict := apimeta.FindStatusCondition(ended.Status.Conditions, benchv1alpha1.RunSucceeded)
	if verdict.Status != metav1.ConditionFalse || verdict.Reason != benchv1alpha1.ReasonLoadPodLost {
		t.Errorf("want Succeeded=False, %s: %s", benchv1alpha1.ReasonLoadPodLost, harness.Describe(ended.Status.Conditions))
	}
	n.WaitLeft(t, removalDeadline, "ConfigMap bench-report")
}
