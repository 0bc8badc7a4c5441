//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/common/model"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

// seriesTime is how long Prometheus may take to show what a status says: it needs several scrapes.
const seriesTime = 4 * time.Minute

// How many of the status's units are one of Prometheus'.
const (
	one    = 1
	millis = 1e3
	micros = 1e6
)

// TestPrometheusShowsWhatARunCameTo has a real Prometheus, which the Prometheus Operator runs, scrape what the chart
// tells it to: every figure of a run is there as its status has it, no other is, and after the run is deleted there is
// none.
func TestPrometheusShowsWhatARunCameTo(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	prometheus := cluster.Prometheus(t)
	run := harness.Run("bench", harness.Standalone("6.0.5"))
	// Long enough for load pods to be asked after the step before it, which they then still show.
	paced := harness.Reads("paced", 6)
	paced.Arrival = &benchv1alpha1.Arrival{OperationsPerSecond: new(scheduled)}
	swept := harness.Reads("swept", 1)
	swept.Threads, swept.ThreadSweep = nil, []int32{1, 2}
	run.Spec.Workload.Steps = append(run.Spec.Workload.Steps, paced, swept)
	n.Apply(t, run)
	n.WaitSuccess(t, run)
	n.WaitRun(t, run, "finished", harness.InStage(benchv1alpha1.ReasonFinished))

	seen := &benchv1alpha1.BenchmarkRun{}
	shown := waitFigures(t, n, prometheus, func() figures {
		n.Fetch(t, run.Name, seen)
		return figuresOf(seen)
	})
	checkLoadPods(t, n, prometheus, seen.Status.Result.Steps[0])
	if err := n.Delete(t.Context(), seen); err != nil {
		t.Fatalf("deleting the run: %v", err)
	}
	deleted := time.Now()
	waitFigures(t, n, prometheus, func() figures { return nil })
	cluster.Summary.Figure("Prometheus: %d series of a run as in its status; gone %.1f s after it was deleted", shown,
		time.Since(deleted).Seconds())
}

// figures are values by the series that they belong to, written with the labels in order.
type figures map[string]float64

// waitFigures waits until Prometheus shows just these of the namespace's runs, and says how many they are.
func waitFigures(t *testing.T, n *harness.Namespace, prometheus *harness.Prometheus, want func() figures) int {
	t.Helper()
	query := fmt.Sprintf(`{__name__=~"mongobench_run_.+", namespace=%q}`, n.Name)
	count := 0
	err := harness.Poll(t.Context(), seriesTime, func(ctx context.Context) (bool, string, error) {
		series, err := prometheus.Instant(ctx, query)
		if err != nil {
			return false, "", err
		}
		got := figures{}
		for _, one := range series {
			got[written(one.Metric)] = float64(one.Value)
		}
		count = len(got)
		wanted := want()
		return maps.Equal(wanted, got), "(-status +Prometheus)\n" + cmp.Diff(wanted, got), nil
	})
	if err != nil {
		t.Fatalf("waiting for Prometheus to show what the status says: %v", err)
	}
	return count
}

// added are the labels that are left out of a series: its name, namespace and run, which are the same for all, and what
// Prometheus and the Prometheus Operator say of the pod that was asked.
var added = []model.LabelName{
	"__name__", "namespace", "run", "job", "instance", "container", "endpoint", "pod", "service",
}

// written is a series as text, without what Prometheus adds on its own and what is the same for all.
func written(labels model.Metric) string {
	var text []string
	for _, label := range slices.Sorted(maps.Keys(labels)) {
		if !slices.Contains(added, label) {
			text = append(text, string(label)+"="+string(labels[label]))
		}
	}
	return string(labels["__name__"]) + "{" + strings.Join(text, ",") + "}"
}

// add notes a figure of the run; labels are names and values by turns.
func (f figures) add(name string, value float64, labels ...string) {
	all := model.Metric{"__name__": model.LabelValue("mongobench_run_" + name)}
	for pair := range slices.Chunk(labels, 2) {
		all[model.LabelName(pair[0])] = model.LabelValue(pair[1])
	}
	f[written(all)] = value
}

// told notes a figure that the status has; one that is unset is nowhere.
func told[T int32 | int64](f figures, name string, value *T, perUnit float64, labels ...string) {
	if value != nil {
		f.add(name, float64(*value)/perUnit, labels...)
	}
}

// figuresOf are those that docs/reference/metrics.md promises of a run that has ended, made from its status alone. A
// run with growth, a search or actions has more.
func figuresOf(run *benchv1alpha1.BenchmarkRun) figures {
	f := figures{}
	for name, condition := range map[string]string{
		"succeeded": benchv1alpha1.RunSucceeded, "trusted": benchv1alpha1.RunTrusted,
	} {
		found := apimeta.FindStatusCondition(run.Status.Conditions, condition)
		if found == nil || found.Status == metav1.ConditionUnknown {
			continue
		}
		value := 0.0
		if found.Status == metav1.ConditionTrue {
			value = 1
		}
		f.add(name, value, "reason", found.Reason)
		if condition == benchv1alpha1.RunSucceeded {
			f.add("completion_timestamp_seconds", float64(found.LastTransitionTime.Unix()))
		}
	}
	for _, stage := range run.Status.Stages {
		if stage.CompletionTime != nil {
			f.add("duration_seconds", stage.CompletionTime.Sub(stage.StartTime.Time).Seconds(), "stage", stage.Name)
		}
	}
	if summary := run.Status.Summary; summary != nil {
		f.summary(summary)
	}
	if result := run.Status.Result; result != nil {
		f.result(result)
	}
	return f
}

func (f figures) summary(summary *benchv1alpha1.RunSummary) {
	told(f, "result_steps", summary.Steps, one)
	told(f, "result_operations", summary.Operations, one)
	told(f, "result_errors", summary.Errors, one)
	told(f, "result_operations_per_second", summary.OperationsPerSecond, one, "step", summary.Step)
	told(f, "result_latency_p99_seconds", summary.P99Micros, micros, "step", summary.Step)
	told(f, "result_highest_latency_p99_seconds", summary.HighestP99Micros, micros, "step", summary.HighestP99Step)
}

func (f figures) result(result *benchv1alpha1.Result) {
	if load := result.Load; load != nil {
		told(f, "load_documents", load.Documents, one)
		told(f, "load_duration_seconds", load.DurationMillis, millis)
		told(f, "load_documents_per_second", load.DocumentsPerSecond, one)
	}
	for _, sweep := range result.Sweeps {
		told(f, "sweep_knee_threads", sweep.KneeThreads, one, "step", sweep.Name)
		told(f, "sweep_saturation_threads", sweep.SaturationThreads, one, "step", sweep.Name)
	}
	for i := range result.Steps {
		f.step(&result.Steps[i])
	}
}

func (f figures) step(step *benchv1alpha1.StepResult) {
	told(f, "step_duration_seconds", step.DurationMillis, millis, "step", step.Name)
	told(f, "step_overrun_seconds", step.OverrunMillis, millis, "step", step.Name)
	told(f, "step_operations_per_second", step.OperationsPerSecond, one, "step", step.Name)
	told(f, "step_latency_p99_seconds", step.P99Micros, micros, "step", step.Name)
	told(f, "step_threads", step.Threads, one, "step", step.Name)
	told(f, "requested_operations_per_second", step.RequestedOperationsPerSecond, one, "step", step.Name)
	told(f, "achieved_operations_per_second", step.AchievedOperationsPerSecond, one, "step", step.Name)
	told(f, "dropped_operations", step.DroppedOperations, one, "step", step.Name)
	told(f, "step_round_trip_seconds", step.RoundTripMicros, micros, "step", step.Name)
	told(f, "step_replication_lag_seconds", step.ReplicationLagMillis, millis, "step", step.Name)
	told(f, "schedule_lag_p99_seconds", step.ScheduleLagP99Micros, micros, "step", step.Name)
	if limit := step.LimitedBy; limit != nil {
		f.add("limited_by", 1, "step", step.Name, "cause", string(limit.Cause), "certainty", string(limit.Certainty))
	}
	for i := range step.Operations {
		f.operation(step.Name, &step.Operations[i])
	}
}

func (f figures) operation(step string, operation *benchv1alpha1.OperationResult) {
	of := []string{"step", step, "operation", operation.Name}
	told(f, "operations_per_second", operation.OperationsPerSecond, one, of...)
	told(f, "operations", operation.Count, one, of...)
	told(f, "errors", operation.Errors, one, of...)
	told(f, "retries", operation.Retries, one, of...)
	told(f, "unacknowledged_operations", operation.Unacknowledged, one, of...)
	told(f, "straggling_operations", operation.Stragglers, one, of...)
	told(f, "latency_max_seconds", operation.MaxMicros, micros, of...)
	told(f, "latency_stddev_seconds", operation.StdDevMicros, micros, of...)
	told(f, "service_time_p99_seconds", operation.ServiceP99Micros, micros, of...)
	for quantile, value := range map[float64]*int64{
		0.5: operation.P50Micros, 0.95: operation.P95Micros, 0.99: operation.P99Micros, 0.999: operation.P999Micros,
		0.9999: operation.P9999Micros,
	} {
		labels := append(slices.Clone(of), "quantile", strconv.FormatFloat(quantile, 'f', -1, 64))
		told(f, "latency_seconds", value, micros, labels...)
	}
	told(f, "returned_documents", operation.Returned, one, of...)
	told(f, "matched_documents", operation.Matched, one, of...)
	told(f, "modified_documents", operation.Modified, one, of...)
	told(f, "deleted_documents", operation.Deleted, one, of...)
	told(f, "empty_operations", operation.Empty, one, of...)
	told(f, "unexpected_operations", operation.Unexpected, one, of...)
	told(f, "failed_p50_seconds", operation.FailedP50Micros, micros, of...)
	told(f, "failed_max_seconds", operation.FailedMaxMicros, micros, of...)
	timed := ptr.Deref(operation.Count, 0) - ptr.Deref(operation.Unacknowledged, 0) + ptr.Deref(operation.Errors, 0)
	told(f, "latency_seconds_count", &timed, one, of...)
	f.add("latency_seconds_sum", float64(ptr.Deref(operation.MeanMicros, 0))*float64(timed)/micros, of...)
}

// checkLoadPods looks for what the load pod showed of a step while it was there: in the end as many operations as the
// status has.
func checkLoadPods(t *testing.T, n *harness.Namespace, prometheus *harness.Prometheus, step benchv1alpha1.StepResult) {
	t.Helper()
	query := fmt.Sprintf(`sum by (operation) (last_over_time(mongobench_loadgen_operations_total{namespace=%q, `+
		`run="bench", step=%q}[%s]))`, n.Name, step.Name, harness.RunTime)
	series, err := prometheus.Instant(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	got, want := map[string]int64{}, map[string]int64{}
	for _, one := range series {
		got[string(one.Metric["operation"])] = int64(one.Value)
	}
	for _, operation := range step.Operations {
		want[operation.Name] = *operation.Count
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("operations of step %s (-status +load pod, as it was scraped last):\n%s", step.Name, diff)
	}
}
