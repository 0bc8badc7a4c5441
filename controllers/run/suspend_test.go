package run_test

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

// change is a merge patch of the run's specification.
func (p *play) change(spec string) {
	p.t.Helper()
	patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":`+spec+`}`))
	p.must(environment.Client.Patch(p.t.Context(), p.run(), patch))
}

// TestSuspendedRunBeginsAnew takes a run that measures away, and through everything once more. Each reconcile is that
// of a new manager.
func TestSuspendedRunBeginsAnew(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.toMeasuring()
	p.change(`{"suspend":true}`)
	p.idle()
	p.want(benchv1alpha1.RunAdmitted, "True Admitted")
	p.want(benchv1alpha1.RunProgressing, "True Queued")
	if got := p.names(); !slices.Equal(got, []string{"ConfigMap r-report"}) {
		t.Errorf("of a suspended run these are left: %v, want the place of the report", got)
	}
	p.collectGarbage()
	p.idle()
	p.want(benchv1alpha1.RunAdmitted, "False Suspended")
	p.want(benchv1alpha1.RunSucceeded, "Unknown NotEnded")
	if status := p.run().Status; status.PlanHash != "" || status.Progress != nil || len(status.Stages) != 1 {
		t.Errorf("the status still has plan %q, progress %v and stages %v", status.PlanHash, status.Progress, status.Stages)
	}
	p.change(`{"suspend":false}`)
	p.toMeasuring()
	p.want(benchv1alpha1.RunProgressing, "True Measuring")
	p.allSay(runtest.StepWrite, reportv1alpha1.ProgressDone, 100)
	p.reportAll()
	p.settle()
	p.collectAll()
	p.want(benchv1alpha1.RunSucceeded, "True Completed")
}

func TestCancelledRunLeavesNothing(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.toMeasuring()
	p.change(`{"cancel":true}`)
	p.collectAll()
	p.want(benchv1alpha1.RunSucceeded, "False Cancelled")
	if got := p.names(); len(got) > 0 {
		t.Errorf("of a cancelled run these are left: %v", got)
	}
	patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"cancel":false}}`))
	if err := environment.Client.Patch(t.Context(), p.run(), patch); err == nil {
		t.Error("cancel was taken back")
	}
}

// TestCancelledRunKeepsWhatWasMeasured has one of two load pods hand in a partial report before it is gone.
func TestCancelledRunKeepsWhatWasMeasured(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.toMeasuring()
	p.change(`{"cancel":true}`)
	p.settle()
	p.want(benchv1alpha1.RunSucceeded, "Unknown Cancelled")
	p.want(benchv1alpha1.RunProgressing, "True Collecting")
	if slices.Contains(p.names(), "Job r-load") {
		t.Error("the load Job is still there, so that its pods go on")
	}
	report, err := runtest.Report(p.run(), 0, p.now)
	p.must(err)
	report.Partial = &reportv1alpha1.Partial{
		Cause: reportv1alpha1.PartialInterrupted, Message: "stopped by signal 15",
		Step:           report.Steps[len(report.Steps)-1].Name,
		MeasuredMillis: 4000, PlannedMillis: 10_000,
	}
	encoded, err := result.Encode(report)
	p.must(err)
	p.write(0, func(own *corev1.ConfigMap) {
		own.BinaryData = map[string][]byte{reportv1alpha1.ReportKey: encoded}
	})
	p.collectAll()
	p.want(benchv1alpha1.RunSucceeded, "False Cancelled")
	p.want(benchv1alpha1.RunTrusted, "False Partial")
	said := p.message(benchv1alpha1.RunTrusted)
	if !strings.Contains(said, "nothing of load pod 1 is in the report") || !strings.Contains(said, "spec.cancel") {
		t.Errorf("Trusted says %q, want the pod that left nothing, and the cause", said)
	}
	if p.run().Status.Result == nil {
		t.Error("what was measured is not in the status")
	}
}

// TestQueuedRunMakesNothing has a second run of a group wait for the first, with one write, and then take its turn.
func TestQueuedRunMakesNothing(t *testing.T) {
	t.Parallel()
	grouped := func(run *benchv1alpha1.BenchmarkRun) {
		run.Spec.Concurrency = &benchv1alpha1.Concurrency{Group: new("g")}
	}
	p := newPlay(t, grouped)
	p.settle()
	first := p.name
	second := runtest.Run(p.namespace, "s")
	grouped(second)
	p.must(environment.Client.Create(t.Context(), second))
	p.name = client.ObjectKeyFromObject(second)
	before := len(p.writes.Done)
	p.idle()
	p.want(benchv1alpha1.RunAdmitted, "False Queued")
	if wrote := p.writes.Done[before:]; len(wrote) != 1 || !strings.HasPrefix(wrote[0], "update status") {
		t.Errorf("a queued run wrote %v", wrote)
	}
	want := `the next of its namespace in line for group "g", where namespaces take turns; measured now: ` + first.String()
	if said := p.message(benchv1alpha1.RunAdmitted); said != want {
		t.Errorf("Admitted says %q, want %q", said, want)
	}
	p.must(environment.Client.Delete(t.Context(), &benchv1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: first.Namespace, Name: first.Name},
	}))
	p.settle()
	p.want(benchv1alpha1.RunAdmitted, "True Admitted")
	if !slices.Contains(p.names(), "BenchmarkTarget s") {
		t.Errorf("an admitted run made %v", p.names())
	}
}
