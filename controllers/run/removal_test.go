package run_test

import (
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

// toFinished takes a run to its end, a minute after which it is to go.
func (p *play) toFinished() {
	p.t.Helper()
	p.toMeasuring()
	p.allSay(runtest.StepWrite, reportv1alpha1.ProgressDone, 100)
	p.reportAll()
	p.settle()
	p.collectAll()
	p.want(benchv1alpha1.RunSucceeded, "True Completed")
}

func (p *play) gone() bool {
	p.t.Helper()
	err := environment.Client.Get(p.t.Context(), p.name, &benchv1alpha1.BenchmarkRun{})
	p.must(client.IgnoreNotFound(err))
	return apierrors.IsNotFound(err)
}

func (p *play) pin() error {
	patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"mongobench.dev/pin":"true"}}}`))
	return environment.Client.Patch(p.t.Context(), p.run(), patch)
}

func forAMinute(run *benchv1alpha1.BenchmarkRun) { run.Spec.TTLSecondsAfterFinished = new(int32(60)) }

func TestAFinishedRunGoesWhenItsTimeIsOver(t *testing.T) {
	t.Parallel()
	p := newPlay(t, forAMinute)
	p.toFinished()
	p.pass(50 * time.Second)
	p.idle()
	if p.gone() {
		t.Fatal("it went before its time was over")
	}
	p.pass(11 * time.Second)
	p.settle()
	if !p.gone() {
		t.Error("it is still there")
	}
}

// TestARunThatIsPinnedAsItIsRemovedStays has it pinned between the look at it and its removal, which the API server
// then refuses.
func TestARunThatIsPinnedAsItIsRemovedStays(t *testing.T) {
	t.Parallel()
	p := newPlay(t, forAMinute)
	p.toFinished()
	p.pass(time.Hour)
	p.writes.Refuse = func(string) error { return p.pin() }
	p.idle()
	if p.gone() {
		t.Error("it is gone")
	}
}
