package decide

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
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
	loadJobLost,   // the Job of pods that had begun is gone, or suspended
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
	case ready.Reason == benchv1alpha1.ReasonMemberRestarting && v.disturbed(ready.LastTransitionTime.Time):
		return nil
	}
	found := v.blame(ready, benchv1alpha1.ReasonTargetLost)
	if found.reason == benchv1alpha1.ReasonTargetLost && ready.Reason != benchv1alpha1.ReasonMemberRestarted {
		found.since = ready.LastTransitionTime.Time
	}
	return found
}

// targetCameBack sees that the target was not ready for a while, which nobody looked at: its condition is younger than
// the run's copy. Both times are the operator's own. What was measured before and after are not the same thing.
func (v *view) targetCameBack(ready *metav1.Condition) *finding {
	seen := condition.Find(v.Run.Status.Conditions, benchv1alpha1.RunTargetReady)
	if seen == nil || seen.Status != metav1.ConditionTrue ||
		!ready.LastTransitionTime.After(seen.LastTransitionTime.Time) || v.disturbed(time.Time{}) {
		return nil
	}
	return &finding{
		reason: benchv1alpha1.ReasonTargetLost,
		message: fmt.Sprintf("target %q was not ready for a time that ended at %s, while it was used",
			v.Target.Name, ready.LastTransitionTime.UTC().Format(time.RFC3339)),
	}
}

func loadJobLost(v *view) *finding {
	if !v.began() || (v.Job != nil && v.Job.DeletionTimestamp == nil && !jobSuspended(v.Job)) {
		return nil
	}
	if jobSuspended(v.Job) {
		return &finding{
			reason:  benchv1alpha1.ReasonLoadPodLost,
			message: "the Job of the load pods was suspended; a measurement does not go on: create another BenchmarkRun",
		}
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
	case v.Target == nil && !v.inline():
		found.reason = benchv1alpha1.ReasonTargetNotFound
	}
	found.message = fmt.Sprintf("%s is over (%s): %s", name, due.UTC().Format(time.RFC3339), seen)
	return found
}
