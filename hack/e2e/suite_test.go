//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

const (
	suiteRepetitions = 5
	// withIndex is what a variant's dataset has, and withoutIndex what it lost.
	withIndex    = `{"dataset": {"collections": [{"name": "people", "indexes": [{"keys": [{"field": "age"}]}]}]}}`
	withoutIndex = `{"dataset": {"collections": [{"name": "people", "indexes": null}]}}`
)

// managerOfASuiteIsKilled compares two variants of which one has lost an index, while the manager is killed; then the
// index is back, for which only that variant's runs are repeated; then the suite is deleted.
func managerOfASuiteIsKilled(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	bystander := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "bystander"}}
	suite := lookups("index", withoutIndex)
	n.Apply(t, bystander, suite)
	n.WaitSuite(t, suite, "making runs", func(s *benchv1alpha1.BenchmarkSuite) bool {
		return s.Status.Runs != nil && ptr.Deref(s.Status.Runs.Succeeded, 0) >= 2
	})
	killManager(t)

	complete := n.WaitSuite(t, suite, "complete", harness.SuiteComplete(1))
	wantRegression(t, complete)
	first := runsByName(t, n)
	if want := 2 * suiteRepetitions; len(first) != want {
		t.Errorf("there are %d runs, want %d", len(first), want)
	}
	cluster.Summary.Figure("suite: %d runs in %s; %s", len(first),
		complete.Status.CompletionTime.Sub(complete.Status.StartTime.Time).Round(time.Second),
		harness.Describe(complete.Status.Conditions))

	mended := lookups("index", withIndex)
	complete.Spec = mended.Spec
	if err := n.Update(t.Context(), complete); err != nil {
		t.Fatalf("editing a variant: %v", err)
	}
	n.WaitSuite(t, suite, "making runs of the edited variant", func(s *benchv1alpha1.BenchmarkSuite) bool {
		return s.Status.Revision != complete.Status.Revision && len(runsByName(t, n)) > len(first)
	})
	killManager(t)
	again := n.WaitSuite(t, suite, "complete again", harness.SuiteComplete(2))
	second := runsByName(t, n)
	for name, uid := range first {
		if second[name] != uid {
			t.Errorf("run %s was made again or is gone", name)
		}
	}
	if made := len(second) - len(first); made != suiteRepetitions {
		t.Errorf("%d runs were made for the edited variant, want %d", made, suiteRepetitions)
	}
	if apimeta.IsStatusConditionTrue(again.Status.Conditions, benchv1alpha1.SuiteRegressed) {
		t.Errorf("with the index back something regressed all the same: %s", harness.Describe(again.Status.Conditions))
	}
	removeSuite(t, n, again)
}

// TestASuiteComparesAFerretDBWithAMongoDB deploys, loads and measures both from one suite. The _id is no ObjectID, so
// that FerretDB reads the whole collection for each document, and there is no doubt which is slower.
func TestASuiteComparesAFerretDBWithAMongoDB(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	run := harness.Run("template", harness.Standalone("6.0.5"))
	run.Spec.Dataset = harness.Dataset(2000)
	run.Spec.Workload.Steps = []benchv1alpha1.Step{harness.Reads("find", 2)}
	other, err := json.Marshal(map[string]any{"target": map[string]any{
		"mongodb": nil, "ferretdb": harness.Small("1.24.0"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	suite := variants("products", run, "product", []benchv1alpha1.Choice{
		{Name: "mongodb"},
		{Name: "other", Patch: &runtime.RawExtension{Raw: other}},
	})
	// Nothing is written, and that of FerretDB is not known.
	suite.Spec.IgnoreDifferences = append(suite.Spec.IgnoreDifferences, "durability")
	n.Apply(t, suite)
	complete := n.WaitSuite(t, suite, "complete", harness.SuiteComplete(1))
	wantRegression(t, complete)
	var runs benchv1alpha1.BenchmarkRunList
	n.FetchAll(t, &runs)
	measured := map[string]int{}
	for i := range runs.Items {
		measured[runs.Items[i].Status.Server.Product]++
	}
	if want := (map[string]int{"MongoDB": suiteRepetitions, "FerretDB": suiteRepetitions}); !maps.Equal(measured, want) {
		t.Errorf("these were measured: %v, want %v", measured, want)
	}
	cluster.Summary.Figure("suite of MongoDB and FerretDB: %s", complete.Status.Comparison[0].Message)
}

// removeSuite deletes a suite, and wants everything to go but what it never owned.
func removeSuite(t *testing.T, n *harness.Namespace, suite *benchv1alpha1.BenchmarkSuite) {
	t.Helper()
	if err := n.Delete(t.Context(), suite); err != nil {
		t.Fatalf("deleting the suite: %v", err)
	}
	n.WaitLeft(t, removalDeadline, "ConfigMap bystander")
}

// lookups is a suite of two variants of the same reads by a field: one has an index on it, and the other what a patch
// says.
func lookups(name, other string) *benchv1alpha1.BenchmarkSuite {
	run := harness.Run("template", harness.Standalone("6.0.5"))
	run.Spec.Dataset = harness.Dataset(20_000)
	step := harness.Reads("find", 2)
	step.Operations = []benchv1alpha1.Operation{{
		Name: "by-age",
		Parameters: []benchv1alpha1.Parameter{{
			Name: "age", Type: benchv1alpha1.ParameterKey, Key: &benchv1alpha1.KeySettings{Field: new("age")},
		}},
		Request: benchv1alpha1.Request{Kind: benchv1alpha1.OperationFind, Filter: `{"age": {"$param": "age"}}`},
	}}
	run.Spec.Workload.Steps = []benchv1alpha1.Step{step}
	return variants(name, run, "index", []benchv1alpha1.Choice{
		{Name: "indexed", Patch: &runtime.RawExtension{Raw: []byte(withIndex)}},
		{Name: "other", Patch: &runtime.RawExtension{Raw: []byte(other)}},
	})
}

// variants is a suite of choices, which are compared with the first.
func variants(
	name string, template *benchv1alpha1.BenchmarkRun, dimension string, choices []benchv1alpha1.Choice,
) *benchv1alpha1.BenchmarkSuite {
	return &benchv1alpha1.BenchmarkSuite{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: benchv1alpha1.BenchmarkSuiteSpec{
			Template:    benchv1alpha1.RunTemplate{Spec: template.Spec},
			Repetitions: new(int32(suiteRepetitions)),
			// Load pods, servers with small limits, targets that are kept for the next run and the other scenarios share a
			// few cores, and what is to be found is larger than what that does.
			AllowDoubts: []string{
				benchv1alpha1.ReasonGeneratorLate, benchv1alpha1.ReasonGeneratorSaturated, benchv1alpha1.ReasonServerThrottled,
				benchv1alpha1.ReasonSharedNode,
			},
			IgnoreDifferences: []string{
				"roundTripMicros", "clockSpreadMicros", "sharedNodes", "stealPercent", "throttledPercent",
			},
			TargetReuse: new(benchv1alpha1.TargetReusePerVariant),
			Baseline:    &benchv1alpha1.Baseline{Variant: &choices[0].Name},
			Thresholds: []benchv1alpha1.Threshold{{
				Metric: benchv1alpha1.MetricOperationsPerSecond, MinEffectPercent: new(int32(20)),
			}},
			Matrix: &benchv1alpha1.Matrix{Dimensions: []benchv1alpha1.Dimension{{Name: dimension, Choices: choices}}},
		},
	}
}

func wantRegression(t *testing.T, suite *benchv1alpha1.BenchmarkSuite) {
	t.Helper()
	regressed := apimeta.FindStatusCondition(suite.Status.Conditions, benchv1alpha1.SuiteRegressed)
	if regressed == nil || regressed.Status != metav1.ConditionTrue {
		t.Fatalf("no regression was found: %s", harness.Describe(suite.Status.Conditions))
	}
	if len(suite.Status.Comparison) == 0 {
		t.Fatal("the status has no comparison")
	}
	worst := suite.Status.Comparison[0]
	got := fmt.Sprintln(worst.Variant, worst.Metric, worst.Step, worst.Verdict)
	if want := fmt.Sprintln("other", "OperationsPerSecond", "find", "Regressed"); got != want {
		t.Errorf("the first line of the comparison is %q, want %q", got, want)
	}
	if effect := ptr.Deref(worst.EffectBasisPoints, 0); effect > -5000 {
		t.Errorf("the throughput of the other variant has changed by %d hundredths of a percent: %s", effect, worst.Message)
	}
}

func runsByName(t *testing.T, n *harness.Namespace) map[string]types.UID {
	t.Helper()
	var runs benchv1alpha1.BenchmarkRunList
	n.FetchAll(t, &runs)
	found := map[string]types.UID{}
	for i := range runs.Items {
		found[runs.Items[i].Name] = runs.Items[i].UID
	}
	return found
}

// TestRunsOfAGroupWaitForOneAnother has two runs of which the second waits its turn, a third that is suspended, and a
// fourth that is cancelled in the queue.
func TestRunsOfAGroupWaitForOneAnother(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	queued := make([]*benchv1alpha1.BenchmarkRun, 4)
	for i := range queued {
		queued[i] = harness.Run(fmt.Sprintf("run-%d", i+1), harness.Standalone("6.0.5"))
		queued[i].Spec.Concurrency = &benchv1alpha1.Concurrency{Group: new(n.Name)}
		queued[i].Spec.Workload.Steps[0].DurationSeconds = new(int32(2))
	}
	queued[2].Spec.Suspend = new(true)
	for _, run := range queued {
		n.Apply(t, run)
		n.WaitRun(t, run, "told whether it is admitted", func(run *benchv1alpha1.BenchmarkRun) bool {
			return apimeta.FindStatusCondition(run.Status.Conditions, benchv1alpha1.RunAdmitted) != nil
		})
	}
	for i, want := range []string{
		benchv1alpha1.ReasonAdmitted, benchv1alpha1.ReasonQueued, benchv1alpha1.ReasonSuspended, benchv1alpha1.ReasonQueued,
	} {
		seen := &benchv1alpha1.BenchmarkRun{}
		n.Fetch(t, queued[i].Name, seen)
		if got := apimeta.FindStatusCondition(seen.Status.Conditions, benchv1alpha1.RunAdmitted); got.Reason != want {
			t.Errorf("run %d is %s (%s), want %s", i+1, got.Reason, got.Message, want)
		}
	}
	change(t, n, queued[3], func(run *benchv1alpha1.BenchmarkRun) { run.Spec.Cancel = new(true) })
	ended := n.WaitRun(t, queued[3], "cancelled", harness.HasVerdict)
	verdict := apimeta.FindStatusCondition(ended.Status.Conditions, benchv1alpha1.RunSucceeded)
	if verdict.Reason != benchv1alpha1.ReasonCancelled {
		t.Errorf("a cancelled run ended as %s: %s", verdict.Reason, verdict.Message)
	}
	n.WaitSuccess(t, queued[0])
	n.WaitSuccess(t, queued[1])
	change(t, n, queued[2], func(run *benchv1alpha1.BenchmarkRun) { run.Spec.Suspend = new(false) })
	n.WaitSuccess(t, queued[2])
}

func change(
	t *testing.T, n *harness.Namespace, run *benchv1alpha1.BenchmarkRun, edit func(*benchv1alpha1.BenchmarkRun),
) {
	t.Helper()
	seen := &benchv1alpha1.BenchmarkRun{}
	n.Fetch(t, run.Name, seen)
	before := seen.DeepCopy()
	edit(seen)
	if err := n.Patch(t.Context(), seen, client.MergeFrom(before)); err != nil {
		t.Fatalf("changing run %s: %v", run.Name, err)
	}
}
