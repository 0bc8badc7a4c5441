package decide

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/load"
)

// causes for which a run fails, the best first: what happened to the target explains what happened to the load pods,
// and both explain why a deadline passed.
var causes = []func(*state) *failure{
	targetStalled, // it was given up before it was ready
	targetLost,    // it was ready when the load began, and is or was not since
	loadPodFailed, // a load pod ended with an error, was deleted, evicted, or its node went away
	loadJobLost,   // the Job of pods that had begun is gone, or suspended
	podSilent,     // a load pod ended well before it was done
	late,          // a stage has not ended in time
}

// firstCause is the best one that is found. None counts once every pod is done: the measurement is complete, and what
// becomes of target and pods no longer matters to it.
func firstCause(s *state) *failure {
	if s.stage.name == benchv1alpha1.StageCollecting {
		return nil
	}
	for _, find := range causes {
		if found := find(s); found != nil {
			return found
		}
	}
	return nil
}

// targetFailure is what one of the target's conditions says: its own reason if a run has it too, else another.
func (s *state) targetFailure(said *metav1.Condition, otherwise string) *failure {
	found := &failure{
		reason:  otherwise,
		message: fmt.Sprintf("target %q: %s: %s", s.Target.Name, said.Reason, said.Message),
	}
	if slices.Contains(benchv1alpha1.SharedReasons, said.Reason) {
		found.reason = said.Reason
		found.message = fmt.Sprintf("target %q: %s", s.Target.Name, said.Message)
	}
	return found
}

func targetStalled(s *state) *failure {
	if s.Target == nil || s.Job != nil {
		return nil
	}
	conditions := s.Target.Status.Conditions
	if condition.IsFalse(conditions, benchv1alpha1.TargetAccepted) {
		return s.targetFailure(condition.Find(conditions, benchv1alpha1.TargetAccepted), benchv1alpha1.ReasonTargetFailed)
	}
	if condition.IsTrue(conditions, benchv1alpha1.TargetStalled) {
		return s.targetFailure(condition.Find(conditions, benchv1alpha1.TargetStalled), benchv1alpha1.ReasonTargetFailed)
	}
	return nil
}

func targetLost(s *state) *failure {
	if s.Job == nil && !s.began() {
		return nil
	}
	if s.Target == nil || s.Target.DeletionTimestamp != nil {
		return &failure{
			reason:  benchv1alpha1.ReasonTargetLost,
			message: fmt.Sprintf("the BenchmarkTarget %q was deleted while it was used", TargetName(s.Run)),
		}
	}
	ready := condition.Find(s.Target.Status.Conditions, benchv1alpha1.TargetReady)
	switch {
	case ready == nil:
		return nil
	case ready.Status == metav1.ConditionTrue:
		return s.targetCameBack(ready)
	case ready.Reason == benchv1alpha1.ReasonMemberRestarting &&
		s.actions().Disturbed(s.Target, ready.LastTransitionTime.Time):
		return nil
	}
	found := s.targetFailure(ready, benchv1alpha1.ReasonTargetLost)
	if found.reason == benchv1alpha1.ReasonTargetLost && ready.Reason != benchv1alpha1.ReasonMemberRestarted {
		found.since = ready.LastTransitionTime.Time
	}
	return found
}

// targetCameBack sees that the target was not ready for a while, which nobody looked at: its condition is younger than
// the run's copy. Both times are the operator's own. What was measured before and after are not the same thing.
func (s *state) targetCameBack(ready *metav1.Condition) *failure {
	seen := condition.Find(s.Run.Status.Conditions, benchv1alpha1.RunTargetReady)
	if seen == nil || seen.Status != metav1.ConditionTrue ||
		!ready.LastTransitionTime.After(seen.LastTransitionTime.Time) || s.actions().Disturbed(s.Target, time.Time{}) {
		return nil
	}
	return &failure{
		reason: benchv1alpha1.ReasonTargetLost,
		message: fmt.Sprintf("target %q was not ready for a time that ended at %s, while it was used",
			s.Target.Name, ready.LastTransitionTime.UTC().Format(time.RFC3339)),
	}
}

func loadJobLost(s *state) *failure {
	if !s.began() || (s.Job != nil && s.Job.DeletionTimestamp == nil && !load.Suspended(s.Job)) {
		return nil
	}
	if load.Suspended(s.Job) {
		return &failure{
			reason:  benchv1alpha1.ReasonLoadPodLost,
			message: "the Job of the load pods was suspended; a measurement does not go on: create another BenchmarkRun",
		}
	}
	return &failure{
		reason:  benchv1alpha1.ReasonLoadPodLost,
		message: "the Job of the load pods was deleted; a measurement is not started again: create another BenchmarkRun",
	}
}
