//go:build e2e

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
	"github.com/mongobench/mongobench-operator/internal/figure"
)

// removalDeadline ends the wait for everything of a run to be gone after its end. How long that takes is the machine's
// affair, and is printed.
const removalDeadline = 5 * time.Minute

func TestStandalone605(t *testing.T) {
	n := cluster.Namespace(t)
	target := harness.Standalone("6.0.5")
	target.MongoDB.Storage = harness.Claim() // A volume, which must go as well.
	run := harness.Run("bench", target)
	harness.FlatOut(run)
	applied := time.Now()
	n.Apply(t, run)

	ended := n.WaitSuccess(t, run)
	report := n.Report(t, ended)
	checkMeasured(t, ended, report)
	checkServer(t, ended, "6.0.5", "Standalone", 1)
	checkObserved(t, report)

	removal := n.WaitLeft(t, removalDeadline, "ConfigMap bench-report")
	cluster.Summary.Figure("standalone: first measured operation %.1f s after apply; all gone %.1f s after the end",
		harness.StepOf(t, report, "mixed").MeasureStart.Sub(applied).Seconds(), removal.Seconds())
	finished := n.WaitRun(t, run, "finished", harness.InStage(benchv1alpha1.ReasonFinished))
	cluster.Summary.Figure("standalone: stages %s", harness.Stages(finished))
	checkNoTrouble(t, n)
}

// checkNoTrouble looks for what went wrong and was tried again, which the result does not tell.
func checkNoTrouble(t *testing.T, n *harness.Namespace) {
	t.Helper()
	pod, err := cluster.ManagerPod(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	said, err := cluster.Log(t.Context(), pod, pod.Spec.Containers[0].Name, nil)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(said) {
		if strings.Contains(line, "Reconciler error") && strings.Contains(line, `"namespace":"`+n.Name+`"`) {
			t.Errorf("the manager failed and tried again: %s", line)
		}
	}
}

func TestReplicaSetOfThree(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	run := harness.Run("bench", harness.ReplicaSet("6.0.5"))
	harness.FlatOut(run)
	n.Apply(t, run)

	ended := n.WaitSuccess(t, run)
	report := n.Report(t, ended)
	checkMeasured(t, ended, report)
	checkServer(t, ended, "6.0.5", "ReplicaSet", 3)
	checkObserved(t, report)
	if got, want := ended.Status.Server.DefaultWriteConcern, "w: majority"; got != want {
		t.Errorf("the default write concern is %q, want %q", got, want)
	}
	removal := n.WaitLeft(t, removalDeadline, "ConfigMap bench-report")
	cluster.Summary.Figure("replica set: all gone %.1f s after the end", removal.Seconds())
}

// checkMeasured looks at the numbers of a run made by harness.Run: whether they are there and agree with one another.
func checkMeasured(t *testing.T, run *benchv1alpha1.BenchmarkRun, report reportv1alpha1.Report) {
	t.Helper()
	for _, want := range []string{benchv1alpha1.RunAccepted, benchv1alpha1.RunTargetReady, benchv1alpha1.RunDataLoaded} {
		if !apimeta.IsStatusConditionTrue(run.Status.Conditions, want) {
			t.Errorf("a run that succeeded has %s not True: %s", want, harness.Describe(run.Status.Conditions))
		}
	}
	trusted := apimeta.FindStatusCondition(run.Status.Conditions, benchv1alpha1.RunTrusted)
	if trusted == nil || trusted.Reason == benchv1alpha1.ReasonNotMeasured {
		t.Errorf("nothing is said about whether the numbers may be trusted: %s", harness.Describe(run.Status.Conditions))
	}
	if load := run.Status.Result.Load; load == nil || *load.Documents != harness.Documents {
		t.Errorf("the status does not tell of %d documents as loaded", harness.Documents)
	}
	if got := harness.StepOf(t, report, "verify").Documents; got != harness.Documents {
		t.Errorf("%d documents were counted, want %d", got, harness.Documents)
	}
	checkStep(t, harness.StepOf(t, report, "mixed"), run.Status.Result.Steps[0])
}

// checkObserved looks for what each server of a deployed target told while it was measured.
func checkObserved(t *testing.T, report reportv1alpha1.Report) {
	t.Helper()
	if got := len(report.Members); got != report.Server.Members {
		t.Errorf("%d members were observed, want %d", got, report.Server.Members)
	}
	for _, member := range report.Members {
		operations := slices.IndexFunc(member.Series, func(series reportv1alpha1.Series) bool {
			return series.Name == "operations.all"
		})
		if operations < 0 {
			t.Errorf("nothing is known of the operations of %s", member.Name)
			continue
		}
		if values := member.Series[operations].Values; len(values) < int(harness.Seconds) {
			t.Errorf("%s was sampled %d times, want at least once a second: %v", member.Name, len(values), values)
		}
	}
}

// checkStep compares what the report and the status say of a step.
func checkStep(t *testing.T, step reportv1alpha1.Step, result benchv1alpha1.StepResult) {
	t.Helper()
	window := time.Duration(harness.Seconds) * time.Second
	if got := step.Window(); got != window {
		t.Errorf("rates are over %v, want %v", got, window)
	}
	// The last reply comes after the window by no more than an operation took.
	longest := time.Duration(0)
	for _, operation := range result.Operations {
		longest = max(longest, time.Duration(ptr.Deref(operation.MaxMicros, 0))*time.Microsecond)
	}
	overrun := time.Duration(step.OverrunMicros) * time.Microsecond
	if got := step.Duration(); got < window || overrun > longest {
		t.Errorf("%v were measured, want %v, and %v more at most", got, window, longest)
	}
	if len(step.Operations) != len(result.Operations) {
		t.Fatalf("the report has %d operations, the status %d", len(step.Operations), len(result.Operations))
	}
	for i, operation := range step.Operations {
		checkOperation(t, operation, result.Operations[i])
	}
}

// checkOperation compares what the report and the status say of an operation.
func checkOperation(t *testing.T, operation reportv1alpha1.Operation, summary benchv1alpha1.OperationResult) {
	t.Helper()
	if operation.Count == 0 || operation.Errors != 0 {
		t.Fatalf("operation %s: %d succeeded, %d failed: %+v", operation.Name, operation.Count, operation.Errors,
			operation.ErrorClasses)
	}
	if *summary.Count != operation.Count || summary.Name != operation.Name {
		t.Errorf("the status tells of %s: %d, the report of %s: %d", summary.Name, *summary.Count, operation.Name,
			operation.Count)
	}
	// How many operations there are depends on the machine; a percentile that they are too few for is unset.
	if got, want := summary.P50Micros != nil, operation.Count >= figure.Needed(0.5); got != want {
		t.Errorf("operation %s: there is a median: %t, with %d operations", summary.Name, got, operation.Count)
	}
	p50 := ptr.Deref(summary.P50Micros, 1)
	latencies := []int64{1, p50, ptr.Deref(summary.P99Micros, p50), ptr.Deref(summary.MaxMicros, 0)}
	if !slices.IsSorted(latencies) {
		t.Errorf("operation %s: 1 µs, p50, p99 and max are not in order: %d", summary.Name, latencies)
	}
}

func checkServer(t *testing.T, run *benchv1alpha1.BenchmarkRun, version, topology string, members int32) {
	t.Helper()
	server := run.Status.Server
	if server == nil {
		t.Fatal("the status does not tell which server was measured")
	}
	got := fmt.Sprintf("%s, %s, %d members", server.Version, server.Topology, ptr.Deref(server.Members, 0))
	if want := fmt.Sprintf("%s, %s, %d members", version, topology, members); got != want {
		t.Errorf("the server says %s, want %s", got, want)
	}
}
