//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

// loadedThroughout is how many documents are loaded, by a slow server, while the operator is upgraded.
const loadedThroughout = 90_000

// work is of every kind that an operator may be upgraded under.
type work struct {
	n *harness.Namespace
	// measuring, loading and queued are runs that go on; they keep what they made.
	measuring, loading, queued *benchv1alpha1.BenchmarkRun
	suite                      *benchv1alpha1.BenchmarkSuite
	// revision of the suite, and the runs that had ended, with their statuses.
	revision string
	ended    map[string]benchv1alpha1.BenchmarkRunStatus
	// there are the objects that stay, with their UIDs, and the containers in them, with how often they were started.
	there map[string]string
}

// underWay is a run that measures for longer than any test lasts.
func underWay(name string, target *benchv1alpha1.BenchmarkTargetSpec) *benchv1alpha1.BenchmarkRun {
	run := harness.Run(name, target)
	run.Spec.Workload.Steps = []benchv1alpha1.Step{harness.Mixed("mixed", 3600)}
	run.Spec.Deadlines.MeasuringSeconds = new(int32(7200))
	run.Spec.CleanupPolicy = new(benchv1alpha1.CleanupKeep)
	return run
}

// startWork returns when every kind of work is under way.
func startWork(t *testing.T, n *harness.Namespace) *work {
	t.Helper()
	w := &work{n: n, ended: map[string]benchv1alpha1.BenchmarkRunStatus{}, there: map[string]string{}}
	finished := harness.Run("finished", harness.Standalone("6.0.5"))
	finished.Spec.CleanupPolicy = new(benchv1alpha1.CleanupKeep)
	n.Apply(t, harness.Target("db", harness.Standalone("6.0.5")), finished)
	n.WaitSuccess(t, finished)
	n.WaitRun(t, finished, "finished", harness.InStage(benchv1alpha1.ReasonFinished))

	w.suite = lookups("suite", withoutIndex)
	w.suite.Spec.Repetitions = new(int32(2))
	w.measuring = underWay("measuring", nil)
	w.measuring.Spec.TargetRef = &benchv1alpha1.NameReference{Name: "db"}
	w.measuring.Spec.Workload.Steps[0].DurationSeconds = new(int32(60))
	w.queued = harness.Run("queued", harness.Standalone("6.0.5"))
	for _, run := range []*benchv1alpha1.BenchmarkRun{w.measuring, w.queued} {
		run.Spec.Concurrency = &benchv1alpha1.Concurrency{Group: new("upgrade")}
	}
	w.loading = harness.Run("loading", harness.Throttled(harness.Standalone("6.0.5")))
	w.loading.Spec.Dataset = harness.Bulky(loadedThroughout)
	w.loading.Spec.Dataset.Load = &benchv1alpha1.Load{Threads: new(int32(1)), BatchDocuments: new(int32(1))}
	w.loading.Spec.Deadlines.LoadingSeconds = new(int32(1800))
	w.loading.Spec.CleanupPolicy = new(benchv1alpha1.CleanupKeep)

	n.Apply(t, w.suite)
	n.WaitSuite(t, w.suite, "half done", func(s *benchv1alpha1.BenchmarkSuite) bool {
		return s.Status.Runs != nil && ptr.Deref(s.Status.Runs.Succeeded, 0) == 2
	})
	n.Apply(t, w.measuring)
	n.WaitRun(t, w.measuring, "measuring", harness.InStage(benchv1alpha1.StageMeasuring))
	n.Apply(t, w.queued, w.loading)
	n.WaitRun(t, w.queued, "queued", harness.InStage(benchv1alpha1.StageQueued))
	n.WaitRun(t, w.loading, "loading", harness.InStage(benchv1alpha1.StageLoading))

	seen := &benchv1alpha1.BenchmarkSuite{}
	n.Fetch(t, w.suite.Name, seen)
	w.revision = seen.Status.Revision
	for _, run := range w.runs(t) {
		if harness.InStage(benchv1alpha1.ReasonFinished)(&run) {
			w.ended[run.Name] = run.Status
		}
	}
	w.note(t, "finished", "db", "measuring", "loading")
	return w
}

// more begins a run, with a volume, that goes on for longer than any test lasts.
func (w *work) more(t *testing.T) *benchv1alpha1.BenchmarkRun {
	t.Helper()
	run := underWay("later", harness.Standalone("6.0.5"))
	run.Spec.Target.MongoDB.Storage = harness.Claim()
	run.Spec.CleanupPolicy = nil // Load pods that are kept hand in nothing when their run is cancelled.
	w.n.Apply(t, run)
	return run
}

// remove deletes a run that keeps what it made, which goes with it.
func (w *work) remove(t *testing.T, name string) {
	t.Helper()
	run := &benchv1alpha1.BenchmarkRun{}
	w.n.Fetch(t, name, run)
	if err := w.n.Delete(t.Context(), run); err != nil {
		t.Fatalf("deleting run %s: %v", name, err)
	}
	err := harness.Poll(t.Context(), removalDeadline, func(ctx context.Context) (bool, string, error) {
		left, err := w.n.Objects(ctx)
		maps.DeleteFunc(left, func(object, _ string) bool { return !ofAny(object, name) })
		return len(left) == 0, fmt.Sprint("still there: ", left), err
	})
	if err != nil {
		t.Errorf("without an operator: %v", err)
	}
	delete(w.ended, name)
	maps.DeleteFunc(w.there, func(object, _ string) bool { return ofAny(object, name) })
}

func (w *work) runs(t *testing.T) []benchv1alpha1.BenchmarkRun {
	t.Helper()
	var runs benchv1alpha1.BenchmarkRunList
	w.n.FetchAll(t, &runs)
	return runs.Items
}

// stages are those that the runs which go on are in.
func (w *work) stages(t *testing.T) string {
	t.Helper()
	stages := make([]string, 0, 3)
	for _, run := range []*benchv1alpha1.BenchmarkRun{w.measuring, w.loading, w.queued} {
		seen := &benchv1alpha1.BenchmarkRun{}
		w.n.Fetch(t, run.Name, seen)
		stages = append(stages, harness.Stage(seen))
	}
	return strings.Join(stages, ", ")
}

// lasting are the kinds of objects that last as long as their run or target.
var lasting = []string{
	"BenchmarkTarget", "ConfigMap", "Job", "PersistentVolumeClaim", "Pod", "Role", "RoleBinding", "Secret", "Service",
	"ServiceAccount", "StatefulSet",
}

// objects are the UIDs of what runs and targets have by now, and how often each container of theirs was started.
func (w *work) objects(t *testing.T, names ...string) map[string]string {
	t.Helper()
	found := w.n.UIDs(t, lasting...)
	maps.DeleteFunc(found, func(object, _ string) bool { return !ofAny(object, names...) })
	var pods corev1.PodList
	w.n.FetchAll(t, &pods)
	for i := range pods.Items {
		if found["Pod "+pods.Items[i].Name] == "" {
			continue
		}
		for _, container := range pods.Items[i].Status.ContainerStatuses {
			found["Container "+pods.Items[i].Name+" "+container.Name] = fmt.Sprint(container.RestartCount, " restarts")
		}
	}
	return found
}

// ofAny says whether an object, by kind and name, is one of these runs and targets, or of what they made.
func ofAny(object string, names ...string) bool {
	_, name, _ := strings.Cut(object, " ")
	return slices.ContainsFunc(names, func(of string) bool { return name == of || strings.HasPrefix(name, of+"-") })
}

// note has all that these runs and targets have by now be wanted from now on.
func (w *work) note(t *testing.T, names ...string) {
	t.Helper()
	maps.Copy(w.there, w.objects(t, names...))
}

// hold wants everything that was noted to be there as it was, and the results of what had ended.
func (w *work) hold(t *testing.T, when string) {
	t.Helper()
	now := w.objects(t, "finished", "db", "measuring", "loading", "later")
	for name, uid := range w.there {
		if now[name] != uid {
			t.Errorf("%s: %s is %q, and was %q", when, name, now[name], uid)
		}
	}
	known := map[string]benchv1alpha1.BenchmarkRunStatus{}
	for _, run := range w.runs(t) {
		known[run.Name] = run.Status
		if len(run.Status.Attempts) > 0 {
			t.Errorf("%s: run %s was started again: %+v", when, run.Name, run.Status.Attempts)
		}
	}
	for name, before := range w.ended {
		if diff := cmp.Diff(before, known[name]); diff != "" {
			t.Errorf("%s: the status of run %s (-want +got):\n%s", when, name, diff)
		}
	}
}

// end waits until all that was under way has ended, each run in its first attempt and once.
func (w *work) end(t *testing.T) {
	t.Helper()
	complete := w.n.WaitSuite(t, w.suite, "complete", harness.SuiteComplete(1))
	if complete.Status.Revision != w.revision || len(complete.Status.History) != 1 {
		t.Errorf("the suite has revision %s, and had %s; history %+v", complete.Status.Revision, w.revision,
			complete.Status.History)
	}
	for _, run := range []*benchv1alpha1.BenchmarkRun{w.measuring, w.queued, w.loading} {
		load := harness.StepOf(t, w.n.Report(t, w.n.WaitSuccess(t, run)), "load")
		if want := *run.Spec.Dataset.Collections[0].DocumentCount; load.Documents != want || load.ResumedDocuments != 0 {
			t.Errorf("run %s loaded %d documents and left out %d, want %d", run.Name, load.Documents, load.ResumedDocuments,
				want)
		}
	}
	ofSuite := 0
	for _, run := range w.runs(t) {
		if run.Name == "later" {
			continue
		}
		w.ended[run.Name] = w.n.WaitRun(t, &run, "finished", harness.InStage(benchv1alpha1.ReasonFinished)).Status
		if run.Labels["mongobench.dev/suite"] != "" {
			ofSuite++
		}
	}
	if ofSuite != 4 {
		t.Errorf("the suite made %d runs, want 4", ofSuite)
	}
	w.hold(t, "after all had ended")
}
