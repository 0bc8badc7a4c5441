package run_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

// TestTheStatusOfASharedTargetKnowsItsDatasets plays a run on a target whose own controller goes on writing the rest of
// the status.
func TestTheStatusOfASharedTargetKnowsItsDatasets(t *testing.T) {
	t.Parallel()
	p := onSharedTarget(t)
	p.toMeasuring()
	for _, state := range []reportv1alpha1.DatasetState{
		reportv1alpha1.DatasetLoading, reportv1alpha1.DatasetClean, reportv1alpha1.DatasetDirty,
	} {
		p.datasetIs(runtest.StepWrite, reportv1alpha1.ProgressRunning, state)
		p.targetReady() // The target's controller writes in between.
		p.idle()
		p.wantDataset(string(state))
	}
	p.datasetIs(runtest.StepWrite, reportv1alpha1.ProgressDone, reportv1alpha1.DatasetDirty)
	p.podSays(1, runtest.Progress(runtest.StepWrite, reportv1alpha1.ProgressDone, 100))
	p.reportAll()
	p.settle()
	p.collectAll()
	p.want(benchv1alpha1.RunSucceeded, "True Completed")
	p.wantDataset("Dirty")
}

// TestNothingIsDecidedBeforeADatasetIsNoted cancels a run while the target's own controller writes: after a verdict
// what the load pods said is removed, and it could not be noted any more.
func TestNothingIsDecidedBeforeADatasetIsNoted(t *testing.T) {
	t.Parallel()
	p := onSharedTarget(t)
	p.toMeasuring()
	p.datasetIs(runtest.StepWrite, reportv1alpha1.ProgressRunning, reportv1alpha1.DatasetDirty)
	p.change(`{"cancel":true}`)
	p.writes.Refuse = func(write string) error {
		if write != "update status of *v1alpha1.BenchmarkTarget shared" {
			return nil
		}
		return apierrors.NewConflict(schema.GroupResource{Resource: "benchmarktargets"}, "shared", errors.New("not now"))
	}
	if _, err := p.reconcile(); err != nil {
		t.Error(err)
	}
	p.want(benchv1alpha1.RunSucceeded, "Unknown NotEnded")
	p.writes.Refuse = nil
	p.collectAll()
	p.want(benchv1alpha1.RunSucceeded, "False Cancelled")
	p.wantDataset("Dirty")
}

// onSharedTarget is a run on a target that is not its own.
func onSharedTarget(t *testing.T) *play {
	t.Helper()
	p := newPlay(t, func(run *benchv1alpha1.BenchmarkRun) {
		run.Spec.Target = nil
		run.Spec.TargetRef = &benchv1alpha1.NameReference{Name: "shared"}
	})
	p.must(environment.Client.Create(t.Context(), &benchv1alpha1.BenchmarkTarget{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: "shared"},
		Spec:       *runtest.Run("", "").Spec.Target,
	}))
	return p
}

// datasetIs has load pod 0 say what is known of the dataset.
func (p *play) datasetIs(step int, at reportv1alpha1.ProgressState, state reportv1alpha1.DatasetState) {
	p.t.Helper()
	progress := runtest.Progress(step, at, 50)
	progress.Dataset = &reportv1alpha1.DatasetMark{Fingerprint: strings.Repeat("c", 64), State: state}
	p.podSays(0, progress)
}

func (p *play) wantDataset(state string) {
	p.t.Helper()
	var target benchv1alpha1.BenchmarkTarget
	p.get("shared", &target)
	want := []benchv1alpha1.DatasetStatus{{
		Database: "mongobench", Fingerprint: strings.Repeat("c", 64), State: benchv1alpha1.DatasetState(state), RunName: "r",
	}}
	if diff := cmp.Diff(want, target.Status.Datasets); diff != "" {
		p.t.Errorf("datasets of the target (-want +got):\n%s", diff)
	}
	if target.Status.Connection == nil || len(target.Status.Conditions) == 0 {
		p.t.Errorf("the rest of the target's status is gone: %+v", target.Status)
	}
}
