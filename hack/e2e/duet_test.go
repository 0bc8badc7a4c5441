//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

// duetSeconds is how long each side of a duet is measured at most: several times what it takes on a quiet machine.
const duetSeconds = int32(240)

// TestDuetFindsADroppedIndex measures two variants in turns, one of which has lost an index, until that is known.
func TestDuetFindsADroppedIndex(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	suite := duet(lookups("dropped", withoutIndex))
	n.Apply(t, suite)
	complete := n.WaitSuite(t, suite, "complete", harness.SuiteComplete(1))
	wantRegression(t, complete)
	run := wantDuet(t, n, complete)
	if line := run.Status.Duet.Comparison[0]; line.Verdict != benchv1alpha1.VerdictRegressed {
		t.Errorf("the run itself says %s: %s", line.Verdict, line.Message)
	}
	wantEarly(t, n, run)
}

// TestDuetOfEqualVariants measures two variants that declare no difference, so that any other one would make them
// unlike and the answer Inconclusive. The margin is wide, so that it is known early that they are equal. How early is
// the machine's matter: where the other scenarios leave so little of it that the time is over first, that is told and
// no failure. To find a change is one.
func TestDuetOfEqualVariants(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	suite := duet(lookups("equal", `{"target": {"mongodb": {"version": "6.0.5"}}}`))
	suite.Spec.Thresholds[0].MinEffectPercent = new(int32(30))
	// Both have the index.
	suite.Spec.Template.Spec.Dataset.Collections[0].Indexes = []benchv1alpha1.Index{
		{Keys: []benchv1alpha1.IndexKey{{Field: "age"}}},
	}
	n.Apply(t, suite)
	complete := n.WaitSuite(t, suite, "complete", harness.SuiteComplete(1))
	if apimeta.IsStatusConditionTrue(complete.Status.Conditions, benchv1alpha1.SuiteRegressed) {
		t.Errorf("equal variants: %s", harness.Describe(complete.Status.Conditions))
	}
	run := wantDuet(t, n, complete)
	line := run.Status.Duet.Comparison[0]
	if got := complete.Status.Comparison[0]; got.Verdict != line.Verdict {
		t.Errorf("the suite says %s, and its run %s: %s", got.Verdict, line.Verdict, got.Message)
	}
	switch line.Verdict {
	case benchv1alpha1.VerdictUnchanged:
		wantEarly(t, n, run)
	case benchv1alpha1.VerdictNotDetected:
		t.Logf("the time was over before it was known: %s", line.Message)
	default:
		t.Errorf("equal variants are %s: %s", line.Verdict, line.Message)
	}
	if line.LowBasisPoints == nil || line.HighBasisPoints == nil || *line.LowBasisPoints >= *line.HighBasisPoints {
		t.Errorf("the line has no bounds: %+v", line)
	}
}

// duet makes a suite of two variants one whose variants are measured in turns.
func duet(suite *benchv1alpha1.BenchmarkSuite) *benchv1alpha1.BenchmarkSuite {
	suite.Spec.Order, suite.Spec.Repetitions = new(benchv1alpha1.SuiteDuet), nil
	// The other scenarios take the processors as they like: no window is like the one before, on either side.
	suite.Spec.AllowDoubts = append(suite.Spec.AllowDoubts, benchv1alpha1.ReasonNotSteady)
	template := &suite.Spec.Template.Spec
	template.Workload.Steps[0].DurationSeconds = new(duetSeconds)
	template.Deadlines.MeasuringSeconds = nil
	return suite
}

// wantDuet wants a complete suite of two variants to have made one run, of the variant that is not the baseline, and to
// have left no target. It returns the run, which says how both sides compare.
func wantDuet(
	t *testing.T, n *harness.Namespace, suite *benchv1alpha1.BenchmarkSuite,
) *benchv1alpha1.BenchmarkRun {
	t.Helper()
	var runs benchv1alpha1.BenchmarkRunList
	n.FetchAll(t, &runs)
	if len(runs.Items) != 1 {
		t.Fatalf("there are %d runs, want one of both variants", len(runs.Items))
	}
	run := &runs.Items[0]
	result := run.Status.Duet
	if result == nil || len(result.Comparison) != 1 || result.Windows == nil {
		t.Fatalf("run %s has the duet %+v", run.Name, result)
	}
	if result.Baseline != *suite.Spec.Baseline.Variant || result.Server == nil ||
		result.Server.Version != run.Status.Server.Version {
		t.Errorf("the baseline is %q with the server %+v, and that of the run is %+v", result.Baseline, result.Server,
			run.Status.Server)
	}
	wantNoTargets(t, n)
	cluster.Summary.Figure("duet %s: %s; %d windows, %d of them disturbed, in %s; %s", suite.Name,
		result.Comparison[0].Message, *result.Windows, ptr.Deref(result.DisturbedWindows, 0),
		time.Duration(ptr.Deref(result.ElapsedMillis, 0))*time.Millisecond, harness.Stages(run))
	return run
}

// wantEarly wants a run to have ended its step before the time of its sides was up.
func wantEarly(t *testing.T, n *harness.Namespace, run *benchv1alpha1.BenchmarkRun) {
	t.Helper()
	report := n.Report(t, run)
	if report.Duet == nil || len(report.Duet.Steps) != 1 {
		t.Fatalf("the report of run %s has the duet %+v", run.Name, report.Duet)
	}
	step := report.Duet.Steps[0]
	measured := int64(len(step.Windows)) * step.WindowMillis / 2
	if line := step.Lines[0]; line.DecidedMillis == 0 || measured >= 1000*int64(duetSeconds) {
		t.Errorf("%d windows of %d ms were measured, decided after %d ms: %s", len(step.Windows), step.WindowMillis,
			line.DecidedMillis, line.Verdict)
	}
}

// wantNoTargets waits until nothing is left that a suite had deployed.
func wantNoTargets(t *testing.T, n *harness.Namespace) {
	t.Helper()
	err := harness.Poll(t.Context(), removalDeadline, func(ctx context.Context) (bool, string, error) {
		left, err := n.Objects(ctx)
		maps.DeleteFunc(left, func(object, _ string) bool {
			kind, _, _ := strings.Cut(object, " ")
			return !slices.Contains([]string{"BenchmarkTarget", "StatefulSet", "Pod", "PodDisruptionBudget"}, kind)
		})
		return len(left) == 0, fmt.Sprint("still there: ", slices.Sorted(maps.Keys(left))), err
	})
	if err != nil {
		t.Errorf("waiting for both targets to go: %v", err)
	}
}
