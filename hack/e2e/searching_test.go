//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

// mostSearched is the highest rate of the search by two load pods, which a mongod and two load pods can bear beside
// other scenarios.
const mostSearched = 40

// searchedBy is a run of one search by so many load pods, with a thread each at least.
func searchedBy(name string, pods int32) *benchv1alpha1.BenchmarkRun {
	run := harness.Run(name, harness.Standalone("6.0.5"))
	step := harness.Reads("search", 3)
	step.Threads = new(4 * pods)
	step.Search = &benchv1alpha1.Search{
		// An objective that this machine keeps with other things to do, most of the time.
		Percentile: new(benchv1alpha1.PercentileP90), LimitMicros: 200_000,
		MinOperationsPerSecond: new(int64(10)), MaxOperationsPerSecond: mostSearched,
		TrialSeconds: new(int32(1)), TolerancePercent: new(int32(50)), MaxSeconds: new(int32(120)),
	}
	run.Spec.Workload.Steps = []benchv1alpha1.Step{step}
	run.Spec.LoadGenerator.Pods = new(pods)
	run.Spec.CleanupPolicy = new(benchv1alpha1.CleanupKeep)
	return run
}

// TestSearchByTwoLoadPods has two load pods search together: both send each trial, and what is found is of their sum.
func TestSearchByTwoLoadPods(t *testing.T) {
	n := cluster.Namespace(t)
	run := searchedBy("searched", 2)
	n.Apply(t, run)
	ended := n.WaitSuccess(t, run)

	measured := harness.StepOf(t, n.Report(t, ended), "search")
	found := measured.Search
	if found == nil || found.Found == 0 || found.Found > mostSearched || len(found.Trials) < 2 {
		t.Fatalf("the search is %+v, want a rate of at most %d that was found by several trials", found, mostSearched)
	}
	shown := ended.Status.Result.Steps[0].Search
	if shown == nil || *shown.FoundOperationsPerSecond != found.Found || int(*shown.Trials) != len(found.Trials) {
		t.Errorf("the status shows %+v of a search that found %d by %d trials", shown, found.Found, len(found.Trials))
	}
	last := found.Trials[len(found.Trials)-1]
	sum := int64(0)
	for pod := range 2 {
		sum += checkPart(t, n, fmt.Sprintf("searched-pod-%d", pod), pod == 0, last)
	}
	if count := answered(measured); count != sum || count != last.Due-last.Dropped {
		t.Errorf("%d operations are in the report, %d in those of the pods, %d were due in the last trial: %+v", count, sum,
			last.Due, last)
	}
	cluster.Summary.Figure("search by two load pods: %d/s, limited by %s, after %d trials, %d of which a pod was late for",
		found.Found, found.LimitedBy, len(found.Trials), lateTrials(found.Trials))
}

// lateTrials is how many trials a pod learnt of too late.
func lateTrials(trials []reportv1alpha1.Trial) int {
	late := 0
	for _, trial := range trials {
		if strings.Contains(trial.Because, "learnt of the trial") {
			late++
		}
	}
	return late
}

// TestLoadPodIsLostWhileSearching takes one of three load pods away in the middle of a search: the run fails and names
// it, and the trials until then are kept.
func TestLoadPodIsLostWhileSearching(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	run := searchedBy("lost", 3)
	// It would go on for longer than the test: each trial at most doubles the rate.
	declared := run.Spec.Workload.Steps[0].Search
	declared.TrialSeconds, declared.MaxOperationsPerSecond, declared.MaxSeconds = new(int32(10)), 640, new(int32(200))
	n.Apply(t, run)
	n.WaitRun(t, run, "measuring", harness.InStage(benchv1alpha1.StageMeasuring))
	secondTrial := func(own *corev1.ConfigMap) (bool, string, error) {
		number, err := ordered(own)
		return number > 1, fmt.Sprintf("trial %d is ordered", number), err
	}
	n.WaitConfigMap(t, "lost-pod-0", "that of a pod that ordered a second trial", secondTrial)
	pods := &corev1.PodList{}
	isLoad := client.MatchingLabels{"app.kubernetes.io/component": "load"}
	if err := n.List(t.Context(), pods, client.InNamespace(n.Name), isLoad); err != nil || len(pods.Items) != 3 {
		t.Fatalf("there are %d load pods, want 3: %v", len(pods.Items), err)
	}
	if err := n.Delete(t.Context(), &pods.Items[1]); err != nil {
		t.Fatalf("deleting a load pod: %v", err)
	}
	began := time.Now()
	ended := n.WaitRun(t, run, "ended", harness.HasVerdict)
	wantLost(t, ended, pods.Items[1].Name)
	cluster.Summary.Figure("a load pod lost in a search: the run failed after %.1f s", time.Since(began).Seconds())
	report := n.PodReport(t, "lost-report")
	if search := harness.StepOf(t, report, "search").Search; report.Partial == nil || search == nil ||
		len(search.Trials) == 0 {
		t.Errorf("the report has the partial %+v, and the search %+v", report.Partial, search)
	}
}

// wantLost wants a run to have failed for the loss of a load pod. When the pod itself is gone, the one in its place
// says so, whose name differs in what comes after the index.
func wantLost(t *testing.T, run *benchv1alpha1.BenchmarkRun, pod string) {
	t.Helper()
	verdict := apimeta.FindStatusCondition(run.Status.Conditions, benchv1alpha1.RunSucceeded)
	if verdict.Status != metav1.ConditionFalse || verdict.Reason != benchv1alpha1.ReasonLoadPodLost ||
		!strings.Contains(verdict.Message, pod[:strings.LastIndex(pod, "-")]) {
		t.Errorf("the verdict does not say that %s was lost: %s", pod, harness.Describe(run.Status.Conditions))
	}
}

// ordered is the number of the trial that a pod ordered last, by its ConfigMap.
func ordered(own *corev1.ConfigMap) (int, error) {
	encoded := own.BinaryData[reportv1alpha1.TrialOrderKey]
	if len(encoded) == 0 {
		return 0, nil
	}
	order, err := reportv1alpha1.DecodeTrial[reportv1alpha1.TrialOrder](encoded)
	return order.Number, err
}

// checkPart looks at what a load pod did of the last trial, and says how many operations that was. The pod that leads
// has the search, and nothing of the trials is left beside the report.
func checkPart(t *testing.T, n *harness.Namespace, name string, leads bool, last reportv1alpha1.Trial) int64 {
	t.Helper()
	part := harness.StepOf(t, n.PodReport(t, name), "search")
	if (part.Search != nil) != leads {
		t.Errorf("%s: the report has the search %+v", name, part.Search)
	}
	sent := answered(part)
	if half := last.Due / 2; sent < half/2 || sent > last.Due-half/2 {
		t.Errorf("%s sent %d of the %d operations of the last trial, want about half", name, sent, last.Due)
	}
	var own corev1.ConfigMap
	n.Fetch(t, name, &own)
	if _, left := own.BinaryData[reportv1alpha1.TrialMeasuredKey]; left {
		t.Errorf("%s: what was measured in a trial is left", name)
	}
	return sent
}

// answered is how many operations of a step have an outcome.
func answered(step reportv1alpha1.Step) int64 {
	sum := int64(0)
	for _, operation := range step.Operations {
		sum += operation.Count + operation.Errors
	}
	return sum
}
