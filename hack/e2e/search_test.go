//go:build e2e

package e2e

import (
	"fmt"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

const (
	// searchRate is a rate of scans that takes some four times what the two smallest limits have (200 thousandths of a
	// processor, where a scan takes 20 ms), and far less than the third.
	searchRate = int64(10)
	// searchMedian is a latency that no server has whose queue grows for the whole of a step, and every other one keeps,
	// even one that others hold up for a part of it.
	searchMedian = int64(2_000_000)
	// searchRequest is the most that a server requests, in thousandths of a processor.
	searchRequest = 500
)

// TestSearchFindsTheSmallestCPULimit looks for the smallest CPU limit that keeps a latency at a rate. Two are far too
// small and the others enough, so that the answer is known whatever else the machine does.
func TestSearchFindsTheSmallestCPULimit(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	// Without an index each lookup reads the whole collection.
	template := lookups("template", withoutIndex).Spec.Template.Spec
	paced := &template.Workload.Steps[0]
	paced.Name, paced.DurationSeconds = "paced", new(int32(10))
	paced.Threads, paced.Arrival = new(int32(200)), &benchv1alpha1.Arrival{OperationsPerSecond: new(searchRate)}
	limits := []int{50, 60, 700, 800, 900, 1000}
	choices := make([]benchv1alpha1.Choice, 0, len(limits))
	for _, millis := range limits {
		// What a server requests is its share of a busy machine: more than the rate takes, where the limit allows it.
		choices = append(choices, benchv1alpha1.Choice{
			Name: fmt.Sprintf("%dm", millis), Patch: &runtime.RawExtension{Raw: fmt.Appendf(nil,
				`{"target": {"mongodb": {"resources": {"limits": {"cpu": "%dm"}, "requests": {"cpu": "%dm"}}}}}`,
				millis, min(millis, searchRequest))},
		})
	}
	suite := variants("smallest", &benchv1alpha1.BenchmarkRun{Spec: template}, "cpu", choices)
	suite.Spec.Repetitions, suite.Spec.Baseline, suite.Spec.Thresholds = nil, nil, nil
	suite.Spec.Search = &benchv1alpha1.SuiteSearch{Constraints: []benchv1alpha1.SearchConstraint{
		{Metric: benchv1alpha1.MetricP50Micros, Operation: new("by-age"), Max: new(searchMedian)},
	}}
	n.Apply(t, suite)
	complete := n.WaitSuite(t, suite, "complete", harness.SuiteComplete(1))
	found := complete.Status.Search
	if found == nil {
		t.Fatalf("the status has no search: %s", harness.Describe(complete.Status.Conditions))
	}
	for _, tried := range found.Tried {
		t.Logf("%s: %s after %d runs; %s", tried.Variant, tried.Verdict, *tried.Runs, tried.Message)
	}
	if found.Outcome != benchv1alpha1.SearchFound || found.Variant != "700m" {
		t.Errorf("found is %s %q, want 700m: %s", found.Outcome, found.Variant, found.Message)
	}
	if !apimeta.IsStatusConditionTrue(complete.Status.Conditions, benchv1alpha1.SuitePassed) {
		t.Errorf("it did not pass: %s", harness.Describe(complete.Status.Conditions))
	}
	if 3**found.Runs > *found.MatrixRuns {
		t.Errorf("%d runs were made of %d, more than a third", *found.Runs, *found.MatrixRuns)
	}
	cluster.Summary.Figure("search: %s, in %s", found.Message,
		complete.Status.CompletionTime.Sub(complete.Status.StartTime.Time).Round(time.Second))
}
