package decide

import (
	"fmt"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// A run that fails when something was measured keeps it:
//
//	cause ──▶ Succeeded Unknown with the cause, the load pods are told to end ──▶ each hands in a partial report
//	      ──▶ the reports that came are merged and stored ──▶ Succeeded False with the cause, and a result
//
// The cause is in the status from the first pass on: what follows from it, such as a Job that is gone, would otherwise
// look like another one.

// fail decides on a run that ends for a cause: at once where nothing can have been measured.
func (s *state) fail(cause *failure) Decision {
	if !s.load.MayHaveMeasured() {
		return s.lost(cause)
	}
	return s.salvage(cause)
}

// salvaging goes on with a run that ends and whose reports are waited for.
func salvaging(s *state) *Decision {
	cause := ends(s.Run)
	if cause == nil {
		return nil
	}
	decision := s.salvage(cause)
	return &decision
}

// ends is the cause for which a run ends whose verdict waits for the reports; nil when it goes on.
func ends(run *benchv1alpha1.BenchmarkRun) *failure {
	said := condition.Find(run.Status.Conditions, benchv1alpha1.RunSucceeded)
	if said == nil || said.Status != metav1.ConditionUnknown || said.Reason == benchv1alpha1.ReasonNotEnded {
		return nil
	}
	return &failure{reason: said.Reason, message: said.Message}
}

func (s *state) salvage(cause *failure) Decision {
	if ends(s.Run) == nil {
		// What tells of the cause goes only once the cause is written.
		return Decision{
			Leave: true, Status: s.ending(cause), Wait: time.Millisecond, Drop: cuts(&s.Observation),
			Datasets: datasets(s),
		}
	}
	decision := Decision{
		Place: s.collecting().place(), Desired: leftOver(s),
		Status: s.ending(cause), Wait: pollPeriod,
		Datasets: datasets(s),
	}
	if !s.collecting().silentByNow() {
		return decision
	}
	var over Decision
	told, unreadable := s.collecting().told()
	switch {
	case !s.collecting().handedIn():
		over = s.lost(cause)
	case told != nil:
		over = Decision{Leave: true, Status: failedWith(s, cause, *told)}
	case unreadable != nil:
		over = s.lost(cause)
	default:
		return decision
	}
	over.Datasets = decision.Datasets
	return over
}

// lost decides on a run that ends for a cause without a result.
func (s *state) lost(cause *failure) Decision {
	return Decision{Leave: true, Status: s.failed(cause), Unplace: !s.collecting().handedIn()}
}

// GivesUp says whether a decision is that a run which has begun ends, and that there is nothing of what it measured.
func GivesUp(o *Observation, decision Decision) bool {
	fails := condition.IsFalse(decision.Status.Conditions, benchv1alpha1.RunSucceeded)
	return len(o.ConfigMaps) > 0 && !condition.Ended(o.Run) && fails && decision.Status.Result == nil
}

// leftOver is what a run needs while it ends: its load pods only if they are to be kept, or end by themselves.
func leftOver(s *state) []desired.Object {
	objects := runObjects(s)
	return slices.DeleteFunc(objects, func(object desired.Object) bool {
		switch object := object.(type) {
		case *batchv1.Job:
			// Requests that are under way are answered.
			if object.Name == naming.CollectJob(s.Run.Name) || object.Name == naming.Gateway(s.Run.Name) {
				return false
			}
			return s.Job == nil || !keptOnFailure(s.Run) && !jobEnds(s.Job)
		case *networkingv1.NetworkPolicy: // Nobody is cut off any more.
			return cutsOff(object)
		case *benchv1alpha1.BenchmarkTarget:
			return s.Target == nil || s.Target.DeletionTimestamp != nil
		default:
			return false
		}
	})
}

// keptOnFailure says whether the pods of a run that fails are to stay.
func keptOnFailure(run *benchv1alpha1.BenchmarkRun) bool {
	policy := ptr.Deref(run.Spec.CleanupPolicy, "")
	return policy == benchv1alpha1.CleanupKeep || policy == benchv1alpha1.CleanupKeepOnFailure
}

// jobEnds says whether the Job's controller is removing the pods that still run.
func jobEnds(job *batchv1.Job) bool {
	return condition.OfJob(job, batchv1.JobFailed) != nil || condition.OfJob(job, batchv1.JobFailureTarget) != nil
}

// silentByNow says whether no load pod will hand in a report any more: all have ended, or had the time to, or are not
// told to.
func (s collecting) silentByNow() bool {
	running := slices.ContainsFunc(s.Pods, func(pod corev1.Pod) bool {
		return pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed
	})
	stay := s.Job != nil && keptOnFailure(s.Run) && !jobEnds(s.Job) && !s.losses().endJob()
	return !running || stay || s.waitedLong(handInTime)
}

// waitedLong says whether the reports have been waited for as long.
func (s *state) waitedLong(wait time.Duration) bool {
	due := s.after(benchv1alpha1.StageCollecting, wait)
	return !due.IsZero() && !s.Now.Before(due)
}

// ending is the status of a run that will fail for a cause.
func (s *state) ending(cause *failure) benchv1alpha1.BenchmarkRunStatus {
	status := s.running()
	c := condition.In(&status.Conditions, s.Run.Generation, s.Now)
	tellOpen(c, cause.reason, condition.Short(cause.message))
	doing := "the load pods hand in what they have measured"
	if ends(s.Run) != nil && s.collecting().begun() {
		doing = s.collecting().says()
	}
	c.True(benchv1alpha1.RunProgressing, benchv1alpha1.StageCollecting, condition.Short(
		"the run ends ("+cause.reason+"); "+doing))
	status.Stages = enter(s.Run.Status.Stages, benchv1alpha1.StageCollecting, s.Now)
	status.Progress = nil
	return status
}

// failedWith is the status of a run that ends for a cause, with what was measured until then.
func failedWith(s *state, cause *failure, told reportv1alpha1.Collected) benchv1alpha1.BenchmarkRunStatus {
	if partial := told.Partial; partial != nil && partial.Cause == reportv1alpha1.PartialAborted {
		cause = because(benchv1alpha1.ReasonAborted, "%s", fmt.Sprintf("step %q: %s", partial.Step, partial.Message))
	}
	status := s.failed(cause)
	s.measured(&status, told)
	return status
}
