package run_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

// foregroundDelete leaves an object in place, marked, until what it owns is gone; nothing here removes that.
type foregroundDelete struct{ policy metav1.DeletionPropagation }

func (f *foregroundDelete) ApplyToDelete(options *client.DeleteOptions) {
	options.PropagationPolicy = &f.policy
}

func policy(p benchv1alpha1.CleanupPolicy, ttl *int32) func(*benchv1alpha1.BenchmarkRun) {
	return func(run *benchv1alpha1.BenchmarkRun) {
		run.Spec.CleanupPolicy = &p
		run.Spec.KeepSeconds = ttl
	}
}

func (p *play) message(conditionType string) string {
	p.t.Helper()
	c := condition.Find(p.run().Status.Conditions, conditionType)
	if c == nil {
		return ""
	}
	return c.Message
}

func TestFailedLoadPodFailsTheRunAndIsKeptForATime(t *testing.T) {
	t.Parallel()
	p := newPlay(t, policy(benchv1alpha1.CleanupKeepOnFailure, new(int32(60))))
	p.toMeasuring()
	budgets := []string{"PodDisruptionBudget r-load", "PodDisruptionBudget r-members"}
	there := slices.DeleteFunc(p.names(), func(name string) bool { return slices.Contains(budgets, name) })
	if len(p.names()) != len(there)+len(budgets) {
		t.Errorf("while it is measured these are there: %v", p.names())
	}
	p.endPod(1, corev1.ContainerStateTerminated{ExitCode: 1, Message: "authentication failed"})

	result := p.settle()
	p.want(benchv1alpha1.RunSucceeded, "Unknown NotEnded")
	if result.RequeueAfter <= 0 || result.RequeueAfter > 5*time.Second {
		t.Errorf("the wait for a better cause is %s", result.RequeueAfter)
	}

	p.pass(5 * time.Second)
	p.idle()
	p.want(benchv1alpha1.RunSucceeded, "False LoadPodFailed")
	p.want(benchv1alpha1.RunProgressing, "False Finished")
	if said := p.message(benchv1alpha1.RunSucceeded); !strings.Contains(said, "r-load-1: authentication failed") {
		t.Errorf("Succeeded says %q", said)
	}
	// There is nothing to store.
	there = slices.DeleteFunc(there, func(name string) bool { return name == "ConfigMap r-report" })
	if got := p.names(); !slices.Equal(got, there) {
		t.Errorf("kept are %v, want %v", got, there)
	}

	p.pass(61 * time.Second)
	p.idle()
	if got := p.names(); len(got) > 0 {
		t.Errorf("after its time is over these are there: %v", got)
	}
}

func TestUnschedulableLoadPodPastItsDeadline(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.toJob()
	p.startPods(corev1.PodPending, corev1.PodCondition{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: "0/3 nodes are available",
	})
	p.idle()
	p.want(benchv1alpha1.RunSucceeded, "Unknown NotEnded")
	if said := p.message(benchv1alpha1.RunProgressing); !strings.Contains(said, "0/3 nodes are available") {
		t.Errorf("Progressing says %q", said)
	}
	p.pass(310 * time.Second)
	p.collectAll()
	p.want(benchv1alpha1.RunSucceeded, "False Unschedulable")
}

// collectAll goes on until the run is finished.
func (p *play) collectAll() {
	p.t.Helper()
	p.settle()
	p.collectGarbage()
	p.settle()
	p.collectAsked()
	p.settle()
	p.collectGarbage()
	p.idle()
	p.want(benchv1alpha1.RunProgressing, "False Finished")
}

func TestTargetKilledWhileMeasuringExplainsFailedLoadPods(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.toMeasuring()
	p.endPod(0, corev1.ContainerStateTerminated{ExitCode: 1, Message: "connection closed"})
	p.settle()
	p.want(benchv1alpha1.RunSucceeded, "Unknown NotEnded")
	p.pass(2 * time.Second)
	p.targetSays(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonOOMKilled, "a member was killed")
	p.collectAll()
	p.want(benchv1alpha1.RunSucceeded, "False OOMKilled")
	p.want(benchv1alpha1.RunTargetReady, "False OOMKilled")
	p.want(benchv1alpha1.RunDataLoaded, "True Loaded")
	p.collectAll()
	if got := p.names(); len(got) > 0 {
		t.Errorf("left are %v", got)
	}
}

func TestJobThatVanishesIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.toMeasuring()
	background := client.PropagationPolicy(metav1.DeletePropagationBackground)
	p.must(environment.Client.Delete(t.Context(), p.job(), background))
	p.collectGarbage()
	before := len(p.writes.Done)
	p.idle()
	p.want(benchv1alpha1.RunSucceeded, "False LoadPodLost")
	p.want(benchv1alpha1.RunProgressing, "False Finished")
	for _, write := range p.writes.Done[before:] {
		if strings.HasPrefix(write, "create ") {
			t.Errorf("after the Job was lost: %s", write)
		}
	}
}

func TestRejectedRunMakesNothing(t *testing.T) {
	t.Parallel()
	p := newPlay(t, func(run *benchv1alpha1.BenchmarkRun) { run.Spec.Workload.Steps[0].Name = "load" })
	p.idle()
	p.want(benchv1alpha1.RunAccepted, "False Invalid")
	p.want(benchv1alpha1.RunSucceeded, "False Invalid")
	if got := p.names(); len(got) > 0 {
		t.Errorf("made: %v", got)
	}
}

func TestReferredTargetIsWaitedForAndLeftInPlace(t *testing.T) {
	t.Parallel()
	p := newPlay(t, func(run *benchv1alpha1.BenchmarkRun) {
		run.Spec.Target = nil
		run.Spec.TargetRef = &benchv1alpha1.NameReference{Name: "shared"}
	})
	p.idle()
	p.want(benchv1alpha1.RunTargetReady, "False TargetNotFound")
	p.must(environment.Client.Create(t.Context(), &benchv1alpha1.BenchmarkTarget{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: "shared"},
		Spec:       *runtest.Run("", "").Spec.Target,
	}))
	p.toMeasuring()
	p.allSay(runtest.StepWrite, reportv1alpha1.ProgressDone, 100)
	p.reportAll()
	p.settle()
	p.collectAll()
	p.want(benchv1alpha1.RunSucceeded, "True Completed")
	p.get("shared", &benchv1alpha1.BenchmarkTarget{})
}

func TestStatusIsWrittenWhenAStepFailed(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.writes.Refuse = func(write string) error {
		if write == "apply Role r-load" {
			return errors.New("not now")
		}
		return nil
	}
	_, err := p.reconcile() // It is admitted.
	p.must(err)
	if _, err := p.reconcile(); err == nil {
		t.Error("the failure was not returned")
	}
	p.want(benchv1alpha1.RunAccepted, "True Valid")
	p.want(benchv1alpha1.RunProgressing, "True Provisioning")
	if said := p.message(benchv1alpha1.RunProgressing); !strings.Contains(said, "applying Role r-load: not now") {
		t.Errorf("Progressing says %q", said)
	}
	if got := p.names(); !slices.Contains(got, "ConfigMap r-gate") || !slices.Contains(got, "RoleBinding r-load") {
		t.Errorf("what could be made was not: %v", got)
	}
	p.writes.Refuse = nil
	p.idle()
	if said := p.message(benchv1alpha1.RunProgressing); strings.Contains(said, "not now") {
		t.Errorf("Progressing still says %q", said)
	}
}

// TestVerdictIsWrittenBeforeItsEvidenceIsRemoved: when the status cannot be written, nothing may have been removed.
func TestVerdictIsWrittenBeforeItsEvidenceIsRemoved(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.toMeasuring()
	there := p.names()
	p.endPod(1, corev1.ContainerStateTerminated{ExitCode: 1, Message: "authentication failed"})
	p.pass(6 * time.Second)
	p.writes.Refuse = func(write string) error {
		if strings.HasPrefix(write, "update status") {
			return errors.New("not now")
		}
		return nil
	}
	if _, err := p.reconcile(); err == nil {
		t.Error("the failure was not returned")
	}
	if got := p.names(); !slices.Equal(got, there) {
		t.Errorf("there are %v, want %v", got, there)
	}
	p.writes.Refuse = nil
	p.collectAll()
	p.want(benchv1alpha1.RunSucceeded, "False LoadPodFailed")
}

func TestGateIsNeverChangedByAManagerThatSawAnOlderOne(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.toJob()
	p.startPods(corev1.PodRunning)
	p.allSay(runtest.StepLoad, reportv1alpha1.ProgressWaiting, 0)
	p.writes.Refuse = func(write string) error {
		if write != "apply ConfigMap r-gate" {
			return nil
		}
		// Another writer publishes between the read and the write.
		p.writes.Refuse = nil
		var gate corev1.ConfigMap
		p.get("r-gate", &gate)
		gate.Data = map[string]string{"start-1": "1"}
		return environment.Client.Update(t.Context(), &gate)
	}
	p.settle()
	if got := p.gate()["start-1"]; got != "1" {
		t.Errorf("start-1 is %q, want the one that was published first", got)
	}
}

func TestEventsTellWhatChanged(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.toJob()
	close(p.recorder.Events)
	var told []string
	for event := range p.recorder.Events {
		told = append(told, event)
	}
	for _, want := range []string{"Normal Valid", "Normal Provisioning", "Normal TargetReady"} {
		if !slices.ContainsFunc(told, func(event string) bool { return strings.HasPrefix(event, want) }) {
			t.Errorf("no event begins with %q: %v", want, told)
		}
	}
}
