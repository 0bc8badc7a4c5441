package decide

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/suite"
	"github.com/mongobench/mongobench-operator/internal/testing/suitetest"
)

// slotsMade are the variants and repetitions of the runs that were made from some on, in their order.
func (w *world) slotsMade(from int) string {
	made := make([]string, 0, len(w.made))
	for _, name := range w.made[from:] {
		run := w.Runs[name]
		made = append(made, variantOf(run)+run.Labels[suite.RepetitionLabel])
	}
	return strings.Join(made, " ")
}

func TestRunsAreMadeOneByOneInTheOrderOfThePlan(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*benchv1alpha1.BenchmarkSuite)
		want   string
	}{
		"interleaved": {func(*benchv1alpha1.BenchmarkSuite) {}, "few1 many1 many2 few2"},
		"sequential": {func(s *benchv1alpha1.BenchmarkSuite) {
			s.Spec.Order = new(benchv1alpha1.SuiteSequential)
		}, "few1 few2 many1 many2"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, tc.change)
			for range 4 {
				w.settle()
				if active := w.active(); len(active) != 1 {
					t.Fatalf("%d runs are active", len(active))
				}
				w.succeed(w.active()[0], 10_000)
			}
			w.settle()
			if got := w.slotsMade(0); got != tc.want {
				t.Errorf("made %q, want %q", got, tc.want)
			}
		})
	}
}

func TestNoMoreRunsAreActiveThanParallelismAllows(t *testing.T) {
	w := newWorld(t, func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Parallelism = new(int32(3)) })
	w.settle()
	if got := w.slotsMade(0); got != "few1 many1 many2" {
		t.Errorf("made %q", got)
	}
	run := w.Runs[w.made[1]]
	run.Status = suitetest.Succeeded(run.Name, w.Now, 10_000)
	run.Status.Conditions[1].Status = metav1.ConditionTrue
	w.settle()
	if len(w.made) != 3 {
		t.Error("a run is made while another is being cleaned up")
	}
	run.Status.Conditions[1].Status = metav1.ConditionFalse
	w.settle()
	if len(w.made) != 4 {
		t.Error("the last run is not made")
	}
}

func TestStatusOfACompleteSuite(t *testing.T) {
	w := newWorld(t)
	started := metav1.NewTime(w.Now)
	w.play(func(run *benchv1alpha1.BenchmarkRun) int64 { return 2 * slower(run) })
	status := w.Suite.Status
	wantCounts := &benchv1alpha1.RunCounts{
		Planned: new(int32(4)), Active: new(int32(0)), Succeeded: new(int32(4)), Failed: new(int32(0)),
		Untrusted: new(int32(0)),
	}
	if diff := cmp.Diff(wantCounts, status.Runs); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	hash := func(i int) string { return w.Plan.Variants[i].Hash }
	wantVariants := []benchv1alpha1.VariantStatus{
		{
			Name: "few", SpecHash: hash(0), Succeeded: new(int32(2)), Failed: new(int32(0)),
			Step: "read", OperationsPerSecond: new(int64(20_002)), P99Micros: new(int64(49)),
		},
		{
			Name: "many", SpecHash: hash(1), Succeeded: new(int32(2)), Failed: new(int32(0)),
			Step: "read", OperationsPerSecond: new(int64(10_002)), P99Micros: new(int64(99)),
		},
	}
	if diff := cmp.Diff(wantVariants, status.Variants); diff != "" {
		t.Errorf("variants (-want +got):\n%s", diff)
	}
	result := naming.SuiteResultConfigMap("s", w.Plan.Revision)
	wantHistory := []benchv1alpha1.RevisionStatus{{
		Revision: w.Plan.Revision, StartTime: started, CompletionTime: status.CompletionTime, ResultConfigMapName: &result,
	}}
	if diff := cmp.Diff(wantHistory, status.History); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	if got := status.Result; got == nil || got.ConfigMapName != result || got.SHA256 != fmt.Sprintf("%x", sha256.Sum256(
		w.contents[result].BinaryData[comparison.ResultKey])) {
		t.Errorf("result %+v", got)
	}
	if got, want := status.CompletionTime.Sub(started.Time), 4*time.Minute; got != want {
		t.Errorf("the revision took %s, want %s", got, want)
	}
}

// edits are changes of a suite that was complete, and the runs that each makes.
func TestAChangeMakesWhatIsMissing(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*benchv1alpha1.BenchmarkSuite)
		want string
	}{
		"nothing": {func(*benchv1alpha1.BenchmarkSuite) {}, ""},
		"another threshold": {func(s *benchv1alpha1.BenchmarkSuite) {
			s.Spec.Thresholds = []benchv1alpha1.Threshold{{Metric: benchv1alpha1.MetricMeanMicros}}
		}, ""},
		"another order": {func(s *benchv1alpha1.BenchmarkSuite) {
			s.Spec.Order = new(benchv1alpha1.SuiteSequential)
		}, ""},
		"a label of the runs": {func(s *benchv1alpha1.BenchmarkSuite) {
			s.Spec.Template.Metadata.Labels = map[string]string{"a": "b"}
		}, ""},
		"one repetition more": {repetitions(3), "few3 many3"},
		"one repetition less": {repetitions(1), ""},
		"one variant":         {manyThreads(9), "many1 many2"},
		"one variant more": {func(s *benchv1alpha1.BenchmarkSuite) {
			s.Spec.Matrix.Dimensions[0].Choices = append(variants(s), suitetest.Threads("most", 64))
		}, "most1 most2"},
		"the template": {func(s *benchv1alpha1.BenchmarkSuite) {
			s.Spec.Template.Spec.Seed = new(int64(7))
		}, "few1 many1 many2 few2"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.play(steady)
			w.edit(tc.edit)
			w.play(steady)
			if got := w.slotsMade(4); got != tc.want {
				t.Errorf("made %q, want %q", got, tc.want)
			}
			w.want(complete, "True AllSucceeded")
			if len(w.removed) > 0 {
				t.Errorf("removed %v", w.removed)
			}
		})
	}
}

func variants(s *benchv1alpha1.BenchmarkSuite) []benchv1alpha1.Choice {
	return s.Spec.Matrix.Dimensions[0].Choices
}

// manyThreads changes one variant.
func manyThreads(threads int) func(*benchv1alpha1.BenchmarkSuite) {
	return func(s *benchv1alpha1.BenchmarkSuite) { variants(s)[1] = suitetest.Threads("many", threads) }
}

func TestAChangedVariantIsComparedWithItsOwnPast(t *testing.T) {
	w := newWorld(t, repetitions(8))
	w.play(steady)
	first := w.Suite.Status.Revision
	w.edit(manyThreads(9))
	w.settle()
	w.want(regressed, "Unknown NotCompared")
	w.play(slower)
	w.want(regressed, "True MetricRegressed")
	for _, line := range w.Suite.Status.Comparison {
		if line.Variant != "many" || line.Baseline != "s@"+first {
			t.Errorf("line %+v", line)
		}
	}
	if len(w.Suite.Status.Comparison) == 0 {
		t.Error("there is no comparison")
	}
	verdict := w.Suite.Status.History[0].Verdict
	if verdict == nil || *verdict != benchv1alpha1.VerdictRegressed {
		t.Errorf("history %+v", w.Suite.Status.History)
	}
}

func TestNoVariantDiffersWhenOneIsLeftOut(t *testing.T) {
	w := newWorld(t)
	w.play(steady)
	w.edit(func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Matrix.Dimensions[0].Choices = variants(s)[:1] })
	w.play(steady)
	w.want(regressed, "False NoRegression")
	if len(w.made) != 4 {
		t.Errorf("made %v", w.made)
	}
}

func TestWhatIsCompleteIsNotMadeAgain(t *testing.T) {
	w := newWorld(t)
	w.play(func(*benchv1alpha1.BenchmarkRun) int64 { return int64(len(w.made)%2) * 10_000 })
	before := w.Suite.Status.DeepCopy()
	for _, name := range slices.Sorted(maps.Keys(w.Runs)) {
		delete(w.Runs, name)
		w.settle()
	}
	w.want(complete, "True SomeFailed")
	if diff := cmp.Diff(before, &w.Suite.Status); diff != "" || len(w.made) != 4 {
		t.Errorf("made %v; status (-want +got):\n%s", w.made, diff)
	}
	w.edit(func(s *benchv1alpha1.BenchmarkSuite) {
		s.Spec.Thresholds = []benchv1alpha1.Threshold{{Metric: benchv1alpha1.MetricMeanMicros}}
	})
	w.play(steady)
	if len(w.made) != 4 {
		t.Errorf("another threshold made %v", w.made[4:])
	}
	w.edit(repetitions(3))
	w.play(steady)
	// The two that failed and are gone have left nothing.
	if len(w.made) != 8 || *w.Suite.Status.Runs.Succeeded != 6 {
		t.Errorf("made %v; counts %+v", w.made[4:], w.Suite.Status.Runs)
	}
}

func TestSamplesOutliveTheirRuns(t *testing.T) {
	w := newWorld(t)
	w.play(steady)
	clear(w.Runs)
	w.edit(repetitions(3))
	w.play(steady)
	w.want(complete, "True AllSucceeded")
	result, err := comparison.DecodeResult(
		w.contents[w.Suite.Status.Result.ConfigMapName].BinaryData[comparison.ResultKey])
	if err != nil {
		t.Fatal(err)
	}
	if len(w.made) != 6 || len(result.Sides[0].Samples) != 3 || len(result.Sides[1].Samples) != 3 {
		t.Errorf("made %v; %d and %d samples", w.made, len(result.Sides[0].Samples), len(result.Sides[1].Samples))
	}
	if got := *w.Suite.Status.Variants[0].OperationsPerSecond; got < 10_000 {
		t.Errorf("median %d", got)
	}
}

func TestARunThatIsLostBeforeTheEndIsMadeAgain(t *testing.T) {
	w := newWorld(t)
	w.settle()
	w.succeed(w.active()[0], 10_000)
	w.settle()
	delete(w.Runs, w.made[0])
	w.play(steady)
	if got := w.slotsMade(0); got != "few1 many1 few1 many2 few2" {
		t.Errorf("made %q", got)
	}
}

func TestRunsThatAreNotNeededAreCancelledAndMadeAgainWhenTheyAre(t *testing.T) {
	w := newWorld(t)
	w.settle()
	w.succeed(w.active()[0], 10_000)
	w.settle()
	stale := w.active()[0]
	w.edit(manyThreads(9))
	w.settle()
	if !ptr.Deref(stale.Spec.Cancel, false) || len(w.made) != 2 {
		t.Errorf("the stale run is %+v; made %v", stale.Spec, w.made)
	}
	w.cancelEnds()
	w.settle()
	if len(w.made) != 3 {
		t.Errorf("made %v after the cancelled run ended", w.made)
	}
	w.edit(manyThreads(8))
	w.settle()
	w.cancelEnds() // That of nine threads.
	w.settle()
	if next := w.made[len(w.made)-1]; next != stale.Name {
		t.Errorf("the next one is %s, not the one whose turn it is", next)
	}
	w.play(steady)
	w.want(complete, "True AllSucceeded")
	if w.Runs[stale.Name] == stale || w.Runs[stale.Name] == nil || !slices.Contains(w.removed, stale.Name) {
		t.Errorf("removed %v", w.removed)
	}
}

func TestRunsGoOnWhileTheSpecificationIsWrong(t *testing.T) {
	w := newWorld(t)
	w.settle()
	good := w.Suite.Spec.DeepCopy()
	w.edit(func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Baseline = &benchv1alpha1.Baseline{Variant: new("none")} })
	w.settle()
	if run := w.active()[0]; ptr.Deref(run.Spec.Cancel, false) || len(w.removed) > 0 {
		t.Error("a run of the earlier content was disturbed")
	}
	w.edit(func(s *benchv1alpha1.BenchmarkSuite) { s.Spec = *good })
	w.play(steady)
	w.want(complete, "True AllSucceeded")
	if len(w.made) != 4 {
		t.Errorf("made %v", w.made)
	}
}

func TestACompleteSuiteIsCompleteAgainAfterAWrongEdit(t *testing.T) {
	w := newWorld(t)
	w.play(steady)
	clear(w.Runs)
	good := w.Suite.Spec.DeepCopy()
	w.edit(func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Baseline = &benchv1alpha1.Baseline{Variant: new("none")} })
	w.settle()
	w.want(complete, "False NotAccepted")
	w.edit(func(s *benchv1alpha1.BenchmarkSuite) { s.Spec = *good })
	w.play(steady)
	w.want(complete, "True AllSucceeded")
	w.want(regressed, "Unknown NoBaseline")
	if len(w.made) != 4 {
		t.Errorf("made %v", w.made)
	}
}

func TestReturningToAnEarlierRevisionMakesNothing(t *testing.T) {
	w := newWorld(t)
	w.play(steady)
	first := w.Suite.Status.Revision
	w.edit(manyThreads(9))
	w.play(steady)
	w.edit(manyThreads(8))
	w.play(steady)
	w.want(complete, "True AllSucceeded")
	if w.Suite.Status.Revision != first || len(w.made) != 6 || w.Suite.Status.History[0].Revision != first {
		t.Errorf("revision %s, history %+v, made %v", w.Suite.Status.Revision, w.Suite.Status.History, w.made)
	}
}

func TestRevisionHistoryLimit(t *testing.T) {
	w := newWorld(t, func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.RevisionHistoryLimit = new(int32(1)) })
	w.play(steady)
	few := len(w.Runs) / 2
	w.Runs[w.made[1]].Annotations["argocd.argoproj.io/tracking-id"] = "app:mongobench.dev/BenchmarkRun:bench/x"
	kept, pinned := w.made[1], w.made[2]
	w.Runs[pinned].Annotations[benchv1alpha1.PinAnnotation] = "true"
	for threads := 9; threads < 12; threads++ {
		w.edit(manyThreads(threads))
		w.play(steady)
	}
	byThreads := map[string]int{}
	for _, run := range w.Runs {
		byThreads[variantOf(run)+strconv.Itoa(int(*run.Spec.Workload.Steps[0].Threads))]++
	}
	want := map[string]int{"few1": few, "many8": 2, "many10": 2, "many11": 2}
	if diff := cmp.Diff(want, byThreads); diff != "" {
		t.Errorf("runs left (-want +got):\n%s", diff)
	}
	if w.Runs[kept] == nil || w.Runs[pinned] == nil {
		t.Error("a run that Git owns, or that is pinned, was removed")
	}
	results := 0
	for name := range w.ConfigMaps {
		if name != naming.SuiteHistoryConfigMap("s") {
			results++
		}
	}
	if results != 2 || len(w.Suite.Status.History) != 2 {
		t.Errorf("%d results and a history of %d", results, len(w.Suite.Status.History))
	}
	w.want(regressed, "Unknown Inconclusive")
}

func TestNothingOfARevisionIsRemovedWhileOneOfItsRunsGoesOn(t *testing.T) {
	w := newWorld(t, func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.RevisionHistoryLimit = new(int32(0)) })
	w.play(steady)
	busy := w.Runs[w.made[1]]
	w.edit(func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Template.Spec.Seed = new(int64(7)) })
	busy.Status = suitetest.Measuring(w.Now)
	for range 8 { // It is cancelled, and takes its time.
		w.settle()
		for _, run := range w.active() {
			if run != busy {
				w.succeed(run, 10_000)
			}
		}
	}
	if len(w.removed) > 0 {
		t.Errorf("removed %v", w.removed)
	}
	w.cancelEnds()
	w.play(steady)
	if len(w.removed) != 5 {
		t.Errorf("removed %v", w.removed)
	}
}

func TestSuspendAndResume(t *testing.T) {
	w := newWorld(t, func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Parallelism = new(int32(3)) })
	w.settle()
	byHand, queued := w.Runs[w.made[0]], w.Runs[w.made[1]]
	byHand.Spec.Suspend = new(true)
	queued.Labels[queueLabel] = "bench"
	w.edit(func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Suspend = new(true) })
	w.settle()
	w.want(complete, "False Suspended")
	ours := w.Runs[w.made[2]]
	if !ptr.Deref(ours.Spec.Suspend, false) || ptr.Deref(queued.Spec.Suspend, false) ||
		byHand.Annotations[SuspendedAnnotation] != "" {
		t.Errorf("ours %v, Kueue's %v, by hand %v", ours.Spec.Suspend, queued.Spec.Suspend, byHand.Annotations)
	}
	w.succeed(queued, 10_000)
	w.settle()
	if len(w.made) != 3 {
		t.Errorf("made %v while suspended", w.made)
	}
	w.edit(func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Suspend = nil })
	w.settle()
	if ptr.Deref(ours.Spec.Suspend, false) || !ptr.Deref(byHand.Spec.Suspend, false) || len(w.made) != 4 {
		t.Errorf("ours %v, by hand %v, made %v", ours.Spec.Suspend, byHand.Spec.Suspend, w.made)
	}
}

func TestTargetsStandFromTheFirstRunToTheLast(t *testing.T) {
	w := newWorld(t, func(s *benchv1alpha1.BenchmarkSuite) {
		s.Spec.TargetReuse = new(benchv1alpha1.TargetReusePerVariant)
	})
	const looks = 5
	seen := make([]string, 0, looks)
	for range looks {
		w.settle()
		standing := make([]string, 0, len(w.Targets))
		for _, target := range w.Targets {
			standing = append(standing, target.Annotations[suite.VariantAnnotation])
		}
		slices.Sort(standing)
		seen = append(seen, fmt.Sprint(standing))
		for _, run := range w.active() {
			if w.Targets[run.Spec.TargetRef.Name] == nil {
				t.Errorf("%s has no target %s", run.Name, run.Spec.TargetRef.Name)
			}
			w.succeed(run, 10_000)
		}
	}
	want := []string{"[few]", "[few many]", "[few many]", "[few]", "[]"}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
	w.want(complete, "True AllSucceeded")
}

func TestNothingIsWrittenOfASuiteThatStandsStill(t *testing.T) {
	for name, tc := range scenarios() {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if tc.change != nil {
				tc.change(w.Suite)
			}
			tc.play(w)
			w.settle()
			before := w.writes
			for range 50 {
				w.step()
			}
			if w.writes != before {
				t.Errorf("%d writes in 50 idle reconciles", w.writes-before)
			}
		})
	}
}
