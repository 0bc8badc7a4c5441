package decide

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/collect"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

// loadPodsSay has load pod 0 tell of a dataset, while all are at a step.
func (w *world) loadPodsSay(step int, state reportv1alpha1.DatasetState, reused bool) {
	w.allSay(step, reportv1alpha1.ProgressRunning, 10)
	progress := runtest.Progress(step, reportv1alpha1.ProgressRunning, 10)
	progress.Dataset = &reportv1alpha1.DatasetMark{Fingerprint: strings.Repeat("a", 64), State: state}
	progress.Reused = reused
	w.podSays(0, progress)
}

// notedIn is what a decision notes in a target; nil for nothing.
func notedIn(target *benchv1alpha1.BenchmarkTarget, decision Decision) []benchv1alpha1.DatasetStatus {
	for _, noted := range decision.Datasets {
		if noted.Target == target {
			return noted.Datasets
		}
	}
	return nil
}

func TestWhatIsKnownOfADatasetGoesIntoASharedTarget(t *testing.T) {
	status := func(database, run string, state benchv1alpha1.DatasetState) benchv1alpha1.DatasetStatus {
		return benchv1alpha1.DatasetStatus{
			Database: database, Fingerprint: strings.Repeat("a", 64), State: state, RunName: run,
		}
	}
	full := make([]benchv1alpha1.DatasetStatus, 0, maxDatasets)
	for i := range maxDatasets {
		full = append(full, status(fmt.Sprintf("other-%d", i), "x", benchv1alpha1.DatasetClean))
	}
	other := status("mongobench", "r", benchv1alpha1.DatasetClean)
	other.Fingerprint = strings.Repeat("b", 64)
	for name, tc := range map[string]struct {
		known []benchv1alpha1.DatasetStatus
		want  []benchv1alpha1.DatasetStatus
	}{
		"the first one": {
			want: []benchv1alpha1.DatasetStatus{status("mongobench", "r", benchv1alpha1.DatasetClean)},
		},
		"one beside others": {
			known: full[:1], want: append(full[:1:1], status("mongobench", "r", benchv1alpha1.DatasetClean)),
		},
		"one that changes its state": {
			known: []benchv1alpha1.DatasetStatus{status("mongobench", "q", benchv1alpha1.DatasetLoading), full[0]},
			want:  []benchv1alpha1.DatasetStatus{status("mongobench", "r", benchv1alpha1.DatasetClean), full[0]},
		},
		"one that takes another one's place": {
			known: []benchv1alpha1.DatasetStatus{other},
			want:  []benchv1alpha1.DatasetStatus{status("mongobench", "r", benchv1alpha1.DatasetClean)},
		},
		"one that is as another run left it": {
			known: []benchv1alpha1.DatasetStatus{status("mongobench", "q", benchv1alpha1.DatasetClean)},
		},
		"one more than there is room for": {
			known: full, want: append(full[1:maxDatasets:maxDatasets], status("mongobench", "r", benchv1alpha1.DatasetClean)),
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			refer(w)
			shareTarget(w)
			w.toLoading()
			w.Target.Status.Datasets = tc.known
			w.loadPodsSay(runtest.StepRead, reportv1alpha1.DatasetClean, false)
			if diff := cmp.Diff(tc.want, notedIn(w.Target, Decide(w.Observation))); diff != "" {
				t.Errorf("datasets (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTheDatasetOfABaselineIsNotedInItsTarget has the other side of a duet in a database of its own. The run's own
// target goes with the run, and nothing is noted there.
func TestTheDatasetOfABaselineIsNotedInItsTarget(t *testing.T) {
	w := newWorld(t)
	inTurns(w)
	w.Run.Spec.Duet.Baseline.Spec = &runtime.RawExtension{
		Raw: []byte(`{"dataset": {"database": "old", "collections": [{"name": "people", "documentCount": 1000}]}}`),
	}
	w.toLoading()
	progress := runtest.Progress(runtest.StepLoad, reportv1alpha1.ProgressRunning, 10)
	progress.Dataset = &reportv1alpha1.DatasetMark{
		Fingerprint: strings.Repeat("a", 64), State: reportv1alpha1.DatasetLoading,
	}
	progress.BaselineDataset = &reportv1alpha1.DatasetMark{
		Fingerprint: strings.Repeat("b", 64), State: reportv1alpha1.DatasetClean,
	}
	w.podSays(0, progress)
	decision := Decide(w.Observation)
	want := []benchv1alpha1.DatasetStatus{{
		Database: "old", Fingerprint: strings.Repeat("b", 64), State: benchv1alpha1.DatasetClean, RunName: "r",
	}}
	if diff := cmp.Diff(want, notedIn(w.Baseline, decision)); diff != "" {
		t.Errorf("datasets of the baseline (-want +got):\n%s", diff)
	}
	if len(decision.Datasets) != 1 {
		t.Errorf("%d targets are noted in, want that of the baseline alone", len(decision.Datasets))
	}
}

func TestADatasetIsNotedNowhere(t *testing.T) {
	for name, play := range map[string]func(*world){
		"of a run with a target of its own": func(w *world) { w.toLoading() },
		"that no load pod has told of": func(w *world) {
			refer(w)
			shareTarget(w)
			w.toMeasuring()
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			play(w)
			if w.inline() {
				w.loadPodsSay(runtest.StepLoad, reportv1alpha1.DatasetLoading, false)
			}
			if got := Decide(w.Observation).Datasets; got != nil {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestGrowingIsAPartOfMeasuring(t *testing.T) {
	w := newWorld(t)
	w.Run.Spec.Dataset.Collections[0].DocumentCount = nil
	w.Run.Spec.Workload.Growth = &benchv1alpha1.Growth{Sizes: []int64{10, 20}}
	w.toLoading()
	// prepare load verify | size read write | grow size read write
	for step, want := range map[int]string{2: "Loading", 3: "Measuring", 4: "WarmingUp", 6: "Measuring", 7: "Measuring"} {
		running := runtest.Progress(step, reportv1alpha1.ProgressRunning, 10)
		running.WarmingUp = step == 4
		w.podSays(0, running)
		w.podSays(1, running)
		if v, err := look(&w.Observation); err != nil || v.stage.name != want {
			t.Errorf("in step %d the stage is %s, want %s; error %v", step, v.stage.name, want, err)
		}
	}
	v, err := look(&w.Observation)
	if err != nil {
		t.Fatal(err)
	}
	// Four steps of 10 s, two of them with 5 s of warm-up; a load and two counts; and the slack.
	if got, want := v.deadlines().measuring(), 50*time.Second+3*time.Hour+5*time.Minute; got != want {
		t.Errorf("it has %s, want %s", got, want)
	}
}

func TestResultsOfAGrowthAreKeptBySize(t *testing.T) {
	size := func(documents int64) reportv1alpha1.Step {
		return reportv1alpha1.Step{
			Kind: "Size", Documents: documents + 1, GrowthDocuments: documents,
			Sizes: []reportv1alpha1.CollectionSize{{
				Collection: "c", DataBytes: 9, StorageBytes: 5,
				Indexes: []reportv1alpha1.IndexSize{{Name: "_id_", Bytes: 2}, {Name: "a_1", Bytes: 1}},
			}},
		}
	}
	report := reportv1alpha1.Report{}
	for documents := range int64(40) {
		report.Steps = append(report.Steps, size(documents+1), reportv1alpha1.Step{
			Name: fmt.Sprintf("read-%d", documents+1), Kind: "Measure", GrowthOf: "read", GrowthDocuments: documents + 1,
		})
	}
	told, err := result.Collected(report, reportv1alpha1.Stored{})
	if err != nil {
		t.Fatal(err)
	}
	got := collect.Result(told)
	want := benchv1alpha1.GrowthResult{
		Documents: new(int64(11)), DataBytes: new(int64(9)), StorageBytes: new(int64(5)), IndexBytes: new(int64(3)),
	}
	if diff := cmp.Diff(want, got.Growth[1]); diff != "" || len(got.Growth) != 32 {
		t.Errorf("%d sizes, the second of those that are left (-want +got):\n%s", len(got.Growth), diff)
	}
	status := &benchv1alpha1.BenchmarkRunStatus{Result: got}
	collect.Fit(status)
	last := got.Steps[len(got.Steps)-1]
	if len(got.Steps) > 32 || *got.OmittedSteps < 8 || last.Name != "read-40" || *last.Documents != 40 {
		t.Errorf("%d steps are left, %d omitted, the last is %+v", len(got.Steps), *got.OmittedSteps, last)
	}
}
