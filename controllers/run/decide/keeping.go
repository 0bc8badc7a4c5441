package decide

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
)

// keeps says whether target and pods of a run that has ended stay.
func keeps(run *benchv1alpha1.BenchmarkRun) bool {
	switch ptr.Deref(run.Spec.CleanupPolicy, "") {
	case benchv1alpha1.CleanupKeep:
		return true
	case benchv1alpha1.CleanupKeepOnFailure:
		return condition.IsFalse(run.Status.Conditions, benchv1alpha1.RunSucceeded)
	default:
		return false
	}
}

// keptFor is for how much longer something is kept: not at all, for ever (0), or for a time.
func keptFor(o *Observation) (bool, time.Duration) {
	if !keeps(o.Run) {
		return false, 0
	}
	left := sinceFinished(o, o.Run.Spec.KeepSeconds)
	if left == nil {
		return true, 0
	}
	return *left > 0, max(*left, 0)
}

// livesFor is for how much longer the run itself stays: for ever (nil), or for a time, which may be over. One that is
// pinned stays, and so does one of a suite, which would make it again.
func livesFor(o *Observation) *time.Duration {
	owner := metav1.GetControllerOf(o.Run)
	if owner != nil && owner.Kind == "BenchmarkSuite" || o.Run.Annotations[benchv1alpha1.PinAnnotation] == "true" {
		return nil
	}
	return sinceFinished(o, o.Run.Spec.TTLSecondsAfterFinished)
}

// sinceFinished is how much is left of a time after the end of the run; nil when there is no such time, or no end.
func sinceFinished(o *Observation, count *int32) *time.Duration {
	finished := condition.Find(o.Run.Status.Conditions, benchv1alpha1.RunProgressing)
	if count == nil || finished == nil || finished.Status != metav1.ConditionFalse {
		return nil
	}
	return new(finished.LastTransitionTime.Add(seconds(*count)).Sub(o.Now))
}

// finished is the decision on a run that has nothing left to do: its status stays as it is. What it kept goes when its
// time is over, or when the cleanupPolicy was changed, and the run itself when its own time is over.
func finished(o *Observation) Decision {
	decision := Decision{Status: *o.Run.Status.DeepCopy()}
	decision.Leave, decision.Wait = keptFor(o)
	decision.Drop = passing(o)
	left := livesFor(o)
	switch {
	case left == nil:
	case *left <= 0:
		return Decision{Remove: true, Leave: true, Status: decision.Status}
	case decision.Wait == 0 || *left < decision.Wait:
		decision.Wait = *left
	}
	return decision
}

// keepWait is the time after which a run that has just ended is looked at again for what it keeps.
func keepWait(run *benchv1alpha1.BenchmarkRun) time.Duration {
	if run.Spec.KeepSeconds == nil {
		return 0
	}
	return max(seconds(*run.Spec.KeepSeconds), time.Millisecond)
}
