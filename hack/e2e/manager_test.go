//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

// TestManagerIsKilled kills the manager while a run and a suite are under way, which are to end as if nothing had
// happened. Whoever needs the manager is not beside it.
func TestManagerIsKilled(t *testing.T) {
	t.Run("OfARun", managerOfARunIsKilled)
	t.Run("OfASuite", managerOfASuiteIsKilled)
}

// managerOfARunIsKilled kills the manager while data is loaded and while operations are measured. The two load pods
// then wait at the gate for a manager that is not there. Nothing is made a second time.
func managerOfARunIsKilled(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	run := harness.Run("bench", harness.Standalone("6.0.5"))
	run.Spec.Dataset = harness.Bulky(60_000)
	run.Spec.Workload.Steps = []benchv1alpha1.Step{harness.Mixed("mixed", 8)}
	run.Spec.LoadGenerator.Pods = new(int32(2))
	run.Spec.CleanupPolicy = new(benchv1alpha1.CleanupKeep)
	n.Apply(t, run)

	n.WaitRun(t, run, "loading", harness.InStage(benchv1alpha1.StageLoading))
	kinds := []string{"BenchmarkTarget", "StatefulSet", "Job", "Pod", "Secret", "Service", "PersistentVolumeClaim"}
	before := n.UIDs(t, kinds...)
	killManager(t)
	n.WaitRun(t, run, "measuring", harness.InStage(benchv1alpha1.StageMeasuring))
	killManager(t)

	ended := n.WaitSuccess(t, run)
	if difference := cmp.Diff(before, n.UIDs(t, kinds...)); difference != "" {
		t.Errorf("objects were made again or went away while the manager was killed:\n%s", difference)
	}
	report := n.Report(t, ended)
	if got := harness.StepOf(t, report, "load").Documents; got != 60_000 {
		t.Errorf("%d documents were loaded, want 60000, each once", got)
	}
	if report.Pods != 2 {
		t.Errorf("the report is of %d pods, want 2", report.Pods)
	}
}

// killManager deletes the manager's pod in a way that leaves it no time for anything. Where another scenario has just
// killed it, it kills the next one.
func killManager(t *testing.T) {
	t.Helper()
	err := harness.Poll(t.Context(), time.Minute, func(ctx context.Context) (bool, string, error) {
		pod, err := cluster.ManagerPod(ctx)
		if err == nil {
			err = cluster.Delete(ctx, pod, client.GracePeriodSeconds(0), client.Preconditions{UID: &pod.UID},
				client.PropagationPolicy(metav1.DeletePropagationBackground))
		}
		return err == nil, fmt.Sprint(err), nil
	})
	if err != nil {
		t.Fatalf("killing the manager: %v", err)
	}
}

// TestMetricsAreForThoseWhoMayReadThem: results of all namespaces are in them.
func TestMetricsAreForThoseWhoMayReadThem(t *testing.T) {
	if memory, err := cluster.ManagerMemory(t.Context()); err != nil || memory == 0 {
		t.Errorf("who may read them finds %d bytes of memory, error %v", memory, err)
	}
	code, err := cluster.StrangersMetrics(t.Context())
	if err != nil || code != http.StatusUnauthorized {
		t.Errorf("a stranger is answered %d, error %v, want %d", code, err, http.StatusUnauthorized)
	}
}
