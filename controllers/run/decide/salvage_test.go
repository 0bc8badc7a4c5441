package decide

import (
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

// partly has the load pods leave a report that was cut for a cause when they are told to end.
func (w *world) partly(cause reportv1alpha1.PartialCause, message string) {
	w.partial = func(pod int) []byte {
		report, err := runtest.Report(w.Run, pod, w.Now)
		if err != nil {
			w.t.Fatal(err)
		}
		last := report.Steps[len(report.Steps)-1].Name
		report.Partial = &reportv1alpha1.Partial{
			Cause: cause, Message: message, Step: last, MeasuredMillis: 4000, PlannedMillis: 10_000,
		}
		encoded, err := result.Encode(report)
		if err != nil {
			w.t.Fatal(err)
		}
		return encoded
	}
}

// lostPod has load pod 1 be evicted; the other one leaves what it has.
func lostPod(w *world) {
	w.toMeasuring()
	w.partly(reportv1alpha1.PartialInterrupted, "stopped by signal 15")
	w.Pods[1].Status = corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted", Message: "node was low on memory"}
}

// abortedPod has load pod 0 miss a threshold and say so.
func abortedPod(w *world) {
	w.toMeasuring()
	w.partly(reportv1alpha1.PartialAborted, "read: p99 over 50ms for 10s")
	w.reports[naming.PodConfigMap(w.Run.Name, 0)] = w.partial(0)
	w.endPod(0, corev1.PodFailed, corev1.ContainerStateTerminated{ExitCode: 3, Message: "step: read: p99 over 50ms"})
	w.partly(reportv1alpha1.PartialInterrupted, "stopped by signal 15")
	w.pass(causeGrace)
}

func salvageScenarios() map[string]scenario {
	return map[string]scenario{
		"a run that is cancelled keeps what was measured": {
			play: func(w *world) {
				w.toMeasuring()
				w.partly(reportv1alpha1.PartialInterrupted, "stopped by signal 15")
				w.cancel()
			},
			want: map[string]string{succeeded: "False Cancelled", trust: "False Partial"},
			says: "spec.cancel",
		},
		"a pod that was last seen before its first measurement may have begun it": {
			play: func(w *world) {
				w.toLoading()
				w.allSay(runtest.StepRead, reportv1alpha1.ProgressWaiting, 0)
				w.settle()
				w.partly(reportv1alpha1.PartialInterrupted, "stopped by signal 15")
				w.cancel()
			},
			want: map[string]string{succeeded: "False Cancelled", trust: "False Partial"},
			says: "spec.cancel",
		},
		"a lost load pod loses nothing of the others": {
			play: lostPod,
			want: map[string]string{succeeded: "False LoadPodLost", trust: "False Partial"},
			says: "low on memory",
		},
		"a threshold of abortOn is the reason of the run": {
			play: abortedPod,
			want: map[string]string{succeeded: "False Aborted", trust: "False Partial"},
			says: "p99 over 50ms for 10s",
		},
	}
}

func TestAPartialResultNamesWhatIsMissing(t *testing.T) {
	w := newWorld(t)
	lostPod(w)
	w.settle()
	run := w.Run.Status.Result
	if run == nil || len(run.Steps) == 0 {
		t.Fatalf("there is no result:\n%s", w.describe())
	}
	encoded := w.stored
	report, err := reportv1alpha1.Decode(encoded)
	if err != nil {
		t.Fatal(err)
	}
	partial := report.Partial
	if partial == nil || len(partial.MissingPods) != 1 || partial.MissingPods[0] != 1 ||
		!strings.Contains(partial.Message, "low on memory") {
		t.Errorf("partial is %+v, want one that names pod 1 and what became of it", partial)
	}
	if report.Pods != 1 {
		t.Errorf("the report is of %d pods, want that of the one that is left", report.Pods)
	}
}

// TestALostLoadPodOfARunThatKeepsItsPodsLosesNothing: its Job ends only once the pod that takes the place of the lost
// one has refused to go on.
func TestALostLoadPodOfARunThatKeepsItsPodsLosesNothing(t *testing.T) {
	w := newWorld(t)
	w.Run.Spec.CleanupPolicy = new(benchv1alpha1.CleanupKeepOnFailure)
	lostPod(w)
	w.settle()
	if got := w.status(succeeded); got != "Unknown LoadPodLost" {
		t.Fatalf("Succeeded is %q before the other load pod has ended:\n%s", got, w.describe())
	}
	w.pass(15 * time.Second)
	w.jobSays(batchv1.JobFailureTarget, batchv1.JobReasonPodFailurePolicy, "exit code 1")
	w.handIn()
	w.settle()
	if got := w.status(succeeded); got != "False LoadPodLost" || w.Run.Status.Result == nil {
		t.Errorf("Succeeded is %q and the result %v, want what the other pod has measured", got, w.Run.Status.Result)
	}
}

func TestTheCauseOfARunThatEndsStays(t *testing.T) {
	w := newWorld(t)
	w.toMeasuring()
	w.partly(reportv1alpha1.PartialInterrupted, "stopped by signal 15")
	w.observe()
	w.Run.Spec.Cancel = new(true)
	first := Decide(w.Observation)
	if cause := first.Status; cause.Result != nil {
		t.Errorf("there is a result before the load pods have ended")
	}
	w.Run.Status = first.Status
	if got := w.status(succeeded); got != "Unknown Cancelled" {
		t.Errorf("Succeeded is %q while the load pods end, want the cause that is known", got)
	}
	for _, object := range first.Desired {
		if kindOf(object) == "Job" {
			t.Error("the load Job stays, so that its pods go on")
		}
	}
}
