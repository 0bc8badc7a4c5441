package decide

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
)

// finding is a cause for which a run fails.
type finding struct {
	reason  string
	message string
	// since is when it happened, if a better cause may still show: the verdict waits for causeGrace after it. Zero for a
	// cause that is as good as any.
	since time.Time
}

// causes for which a run fails, the best first: what happened to the target explains what happened to the load pods,
// and both explain why a deadline passed.
var causes = []func(*view) *finding{
	targetStalled, // it was given up before it was ready
	targetLost,    // it was ready when the load began, and is or was not since
	loadPodFailed, // a load pod ended with an error, was deleted, evicted, or its node went away
	loadJobLost,   // the Job of pods that had begun is gone
	podSilent,     // a load pod ended well before it was done
	late,          // a stage has not ended in time
}

// cause is the best one that is found. None counts once every pod is done: the measurement is complete, and what
// becomes of target and pods no longer matters to it.
func (v *view) cause() *finding {
	if v.stage == benchv1alpha1.StageCollecting {
		return nil
	}
	for _, find := range causes {
		if found := find(v); found != nil {
			return found
		}
	}
	return nil
}

// graceLeft is how long a verdict must still wait for a better cause.
func (f *finding) graceLeft(now time.Time) time.Duration {
	if f.since.IsZero() {
		return 0
	}
	return causeGrace - now.Sub(f.since)
}

// shared are the reasons of a target that a run may fail for under the same name.
var shared = []string{
	benchv1alpha1.ReasonUnschedulable, benchv1alpha1.ReasonImagePull, benchv1alpha1.ReasonOOMKilled,
	benchv1alpha1.ReasonQuotaExceeded, benchv1alpha1.ReasonForbidden, benchv1alpha1.ReasonConfigError,
	benchv1alpha1.ReasonNodeLost, benchv1alpha1.ReasonCrashed, benchv1alpha1.ReasonDeadlineExceeded,
}

// blame makes a finding of one of the target's conditions: its own reason if a run has it too, else another.
func (v *view) blame(said *metav1.Condition, otherwise string) *finding {
	found := &finding{
		reason:  otherwise,
		message: fmt.Sprintf("target %q: %s: %s", v.Target.Name, said.Reason, said.Message),
	}
	if slices.Contains(shared, said.Reason) {
		found.reason = said.Reason
		found.message = fmt.Sprintf("target %q: %s", v.Target.Name, said.Message)
	}
	return found
}

func targetStalled(v *view) *finding {
	if v.Target == nil || v.Job != nil {
		return nil
	}
	conditions := v.Target.Status.Conditions
	if condition.IsFalse(conditions, benchv1alpha1.TargetAccepted) {
		return v.blame(condition.Find(conditions, benchv1alpha1.TargetAccepted), benchv1alpha1.ReasonTargetFailed)
	}
	if condition.IsTrue(conditions, benchv1alpha1.TargetStalled) {
		return v.blame(condition.Find(conditions, benchv1alpha1.TargetStalled), benchv1alpha1.ReasonTargetFailed)
	}
	return nil
}

func targetLost(v *view) *finding {
	if v.Job == nil && !v.began() {
		return nil
	}
	if v.Target == nil || v.Target.DeletionTimestamp != nil {
		return &finding{
			reason:  benchv1alpha1.ReasonTargetLost,
			message: fmt.Sprintf("the BenchmarkTarget %q was deleted while it was used", targetName(v.Run)),
		}
	}
	ready := condition.Find(v.Target.Status.Conditions, benchv1alpha1.TargetReady)
	switch {
	case ready == nil:
		return nil
	case ready.Status == metav1.ConditionTrue:
		return v.targetCameBack(ready)
	}
	found := v.blame(ready, benchv1alpha1.ReasonTargetLost)
	if found.reason == benchv1alpha1.ReasonTargetLost && ready.Reason != benchv1alpha1.ReasonMemberRestarted {
		found.since = ready.LastTransitionTime.Time
	}
	return found
}

// targetCameBack sees from the time of the condition that the target was not ready for a while: what was measured
// before and after are not the same thing.
func (v *view) targetCameBack(ready *metav1.Condition) *finding {
	if v.Job == nil || !ready.LastTransitionTime.After(v.Job.CreationTimestamp.Time) {
		return nil
	}
	return &finding{
		reason: benchv1alpha1.ReasonTargetLost,
		message: fmt.Sprintf("target %q was not ready for a time that ended at %s, while it was used",
			v.Target.Name, ready.LastTransitionTime.UTC().Format(time.RFC3339)),
	}
}

func loadJobLost(v *view) *finding {
	if !v.began() || (v.Job != nil && v.Job.DeletionTimestamp == nil) {
		return nil
	}
	return &finding{
		reason:  benchv1alpha1.ReasonLoadPodLost,
		message: "the Job of the load pods was deleted; a measurement is not started again: create another BenchmarkRun",
	}
}

// late tells what was seen when a stage did not end in time.
func late(v *view) *finding {
	due, name := v.due()
	if due.IsZero() || v.Now.Before(due) {
		return nil
	}
	found := &finding{reason: benchv1alpha1.ReasonDeadlineExceeded}
	seen := v.seen()
	switch {
	case v.stage != benchv1alpha1.StageProvisioning:
	case v.Job != nil:
		if fault, ok := v.podFault(); ok {
			found.reason, seen = fault.Reason, fault.Message
		}
	case v.Target == nil:
		found.reason = benchv1alpha1.ReasonTargetNotFound
	}
	found.message = fmt.Sprintf("%s is over (%s): %s", name, due.UTC().Format(time.RFC3339), seen)
	return found
}

// podFault is why load pods do not run.
func (v *view) podFault() (podfault.Fault, bool) {
	if fault, ok := podfault.Diagnose(v.Pods, v.Now); ok {
		return fault, true
	}
	return podfault.DiagnoseEvents(v.FailedCreates)
}

// seen is where the run is, in words.
func (v *view) seen() string {
	if v.stage == benchv1alpha1.StageProvisioning {
		return v.waitsFor()
	}
	progress := v.stepProgress()
	where := fmt.Sprintf("step %q was at %d %%, with %d per second", progress.Step, *progress.Percent,
		*progress.OperationsPerSecond)
	if v.least%2 == 0 {
		where = fmt.Sprintf("step %q was not begun by all load pods", progress.Step)
	}
	if last := v.lastPods(); last != "" {
		where += "; the last were " + last
	}
	return where
}

// waitsFor is what a run in Provisioning waits for.
func (v *view) waitsFor() string {
	switch {
	case v.Job == nil && v.Target == nil && v.inline():
		return "the target is being created"
	case v.Job == nil && v.Target == nil:
		return fmt.Sprintf("no BenchmarkTarget %q exists in this namespace", targetName(v.Run))
	case v.Job == nil:
		said := condition.Find(v.Target.Status.Conditions, benchv1alpha1.TargetReady)
		if said == nil || said.Status == metav1.ConditionTrue {
			return fmt.Sprintf("target %q has not been looked at", v.Target.Name)
		}
		return fmt.Sprintf("target %q is not ready: %s: %s", v.Target.Name, said.Reason, said.Message)
	}
	if fault, ok := v.podFault(); ok {
		return "the load pods do not run: " + fault.Message
	}
	var silent []string
	for i, progress := range v.progress {
		if progress == nil {
			silent = append(silent, podLabel(i))
		}
	}
	return "not begun: load " + strings.Join(silent, ", ")
}

// lastPods names the least advanced pods when there are others.
func (v *view) lastPods() string {
	var last []string
	for i, progress := range v.progress {
		if position(progress) == v.least {
			last = append(last, podLabel(i))
		}
	}
	if len(last) == len(v.progress) {
		return ""
	}
	return strings.Join(last, ", ")
}

func podLabel(index int) string { return fmt.Sprintf("pod %d", index) }
