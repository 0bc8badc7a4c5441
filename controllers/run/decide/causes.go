package decide

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/load"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// causeGrace is how long a failure may wait for a better cause: a killed mongod is seen by the load pods at once, and
// by the kubelet, which can say why, some seconds later.
const causeGrace = 5 * time.Second

// failure is a cause for which a run fails.
type failure struct {
	reason  string
	message string
	// since is when it happened, if a better cause may still show: the verdict waits for a while after it. Zero for a
	// cause that is as good as any.
	since time.Time
}

// because is a failure for a cause that is as good as any.
func because(reason, message string, details ...any) *failure {
	return &failure{reason: reason, message: fmt.Sprintf(message, details...)}
}

// graceLeft is how long a verdict must still wait for a better cause.
func (f *failure) graceLeft(now time.Time, grace time.Duration) time.Duration {
	if f.since.IsZero() {
		return 0
	}
	return grace - now.Sub(f.since)
}

// causes for which a run fails, the best first: what happened to the target explains what happened to the load pods,
// and both explain why a deadline passed.
var causes = []func(*state) *failure{
	refused,       // the API server does not take what the run needs to begin
	targetStalled, // it was given up before it was ready
	targetLost,    // it was ready when the load began, and is or was not since
	gatewayFailed, // a pod of the gateway ended, was deleted, evicted, or its node went away
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
func (s side) failure(said *metav1.Condition, otherwise string) *failure {
	found := &failure{
		reason:  otherwise,
		message: fmt.Sprintf("target %q: %s: %s", s.name, said.Reason, said.Message),
	}
	if slices.Contains(benchv1alpha1.SharedReasons, said.Reason) {
		found.reason = said.Reason
		found.message = fmt.Sprintf("target %q: %s", s.name, said.Message)
	}
	return found
}

func targetStalled(s *state) *failure {
	if s.Job != nil {
		return nil
	}
	for _, one := range s.sides() {
		if one.target == nil {
			continue
		}
		conditions := one.target.Status.Conditions
		if condition.IsFalse(conditions, benchv1alpha1.TargetAccepted) {
			return one.failure(condition.Find(conditions, benchv1alpha1.TargetAccepted), benchv1alpha1.ReasonTargetFailed)
		}
		if condition.IsTrue(conditions, benchv1alpha1.TargetStalled) {
			return one.failure(condition.Find(conditions, benchv1alpha1.TargetStalled), benchv1alpha1.ReasonTargetFailed)
		}
	}
	return nil
}

func targetLost(s *state) *failure {
	if s.Job == nil && !s.began() {
		return nil
	}
	for _, one := range s.sides() {
		if found := sideLost(s, one); found != nil {
			return found
		}
	}
	return nil
}

// sideLost is targetLost for one of the targets.
func sideLost(s *state, one side) *failure {
	if one.target == nil || one.target.DeletionTimestamp != nil {
		return because(benchv1alpha1.ReasonTargetLost,
			"the BenchmarkTarget %q was deleted while it was used", one.name)
	}
	ready := condition.Find(one.target.Status.Conditions, benchv1alpha1.TargetReady)
	switch {
	case ready == nil:
		return nil
	case ready.Status == metav1.ConditionTrue:
		return cameBack(s, one, ready)
	case ready.Reason == benchv1alpha1.ReasonMemberRestarting &&
		s.actions().Disturbed(one.target, ready.LastTransitionTime.Time):
		return nil
	}
	found := one.failure(ready, benchv1alpha1.ReasonTargetLost)
	if found.reason == benchv1alpha1.ReasonTargetLost && ready.Reason != benchv1alpha1.ReasonMemberRestarted {
		found.since = ready.LastTransitionTime.Time
	}
	return found
}

// cameBack sees that a target was not ready for a while, unseen by any pass: its condition is younger than the run's
// copy. Both times are the operator's own. What was measured before and after are not the same thing.
func cameBack(s *state, one side, ready *metav1.Condition) *failure {
	seen := condition.Find(s.Run.Status.Conditions, benchv1alpha1.RunTargetReady)
	if seen == nil || seen.Status != metav1.ConditionTrue ||
		!ready.LastTransitionTime.After(seen.LastTransitionTime.Time) || s.actions().Disturbed(one.target, time.Time{}) {
		return nil
	}
	return because(benchv1alpha1.ReasonTargetLost,
		"target %q was not ready for a time that ended at %s, while it was used",
		one.name, ready.LastTransitionTime.UTC().Format(time.RFC3339))
}

func loadJobLost(s *state) *failure {
	if !s.began() || (s.Job != nil && s.Job.DeletionTimestamp == nil && !load.Suspended(s.Job)) {
		return nil
	}
	if load.Suspended(s.Job) {
		return because(benchv1alpha1.ReasonLoadPodLost,
			"the Job of the load pods was suspended; a measurement does not go on: create another BenchmarkRun")
	}
	return because(benchv1alpha1.ReasonLoadPodLost,
		"the Job of the load pods was deleted; a measurement is not started again: create another BenchmarkRun")
}

// late tells what was seen when a stage did not end in time.
func late(s *state) *failure {
	due, name := s.stage.due(s)
	if due.IsZero() || s.Now.Before(due) {
		return nil
	}
	found := &failure{reason: benchv1alpha1.ReasonDeadlineExceeded}
	seen := s.seen()
	switch {
	case s.stage.name != benchv1alpha1.StageProvisioning:
	case s.Job != nil, s.GatewayJob != nil:
		if fault, ok := s.podFault(); ok {
			found.reason, seen = fault.Reason, fault.Message
		}
	case s.Target == nil && !s.inline(), BaselineName(s.Run) != "" && s.Baseline == nil:
		found.reason = benchv1alpha1.ReasonTargetNotFound
	}
	found.message = fmt.Sprintf("%s is over (%s): %s", name, due.UTC().Format(time.RFC3339), seen)
	return found
}

// seen is where the run is, in words.
func (s *state) seen() string {
	if s.stage.name == benchv1alpha1.StageProvisioning {
		return s.withTrouble(s.waitsFor())
	}
	step := s.load.OfStep()
	where := fmt.Sprintf("step %q was at %d %%, with %d per second", step.Step, *step.Percent,
		*step.OperationsPerSecond)
	if s.load.Waiting() {
		where = fmt.Sprintf("step %q was not begun by all load pods", step.Step)
	}
	if last := s.load.Last(); last != "" {
		where += "; the last were " + last
	}
	return where + s.losses().replacing()
}

// withTrouble adds what the last pass could not write, which it left in the status (see Troubled).
func (s *state) withTrouble(seen string) string {
	said := condition.Find(s.Run.Status.Conditions, benchv1alpha1.RunProgressing)
	if said == nil || said.Message == condition.Short(seen) {
		return seen
	}
	return seen + "; " + said.Message
}

// loadPodFailed finds the load pod that was the first to fail. When one fails the Job controller deletes the others,
// so that a pod that was deleted is blamed only when none failed by itself. One that took the place of a lost one too
// late did not: it only says what happened before it.
func loadPodFailed(s *state) *failure {
	if load.Suspended(s.Job) { // Its controller has deleted the pods.
		return nil
	}
	type culprit struct {
		pod   *corev1.Pod
		found *failure
	}
	var culprits []culprit
	for _, pod := range s.losses().mayFail() {
		if found := loadRole.failure(pod, s.Now); found != nil && !s.load.PodDone(pod) && !s.losses().replaces(pod) {
			found.message += replacedBefore(pod)
			culprits = append(culprits, culprit{pod, found})
		}
	}
	if len(culprits) == 0 {
		return jobFailed(s)
	}
	deleted := func(of culprit) bool { return of.pod.DeletionTimestamp != nil }
	follows := func(of culprit) bool {
		return deleted(of) || podfault.ExitCode(of.pod, naming.LoadContainer) == planv1alpha1.ExitReplacedTooLate
	}
	if byThemselves := slices.DeleteFunc(slices.Clone(culprits), follows); len(byThemselves) > 0 {
		culprits = byThemselves
	}
	first := slices.MinFunc(culprits, func(a, b culprit) int {
		return cmp.Or(a.found.since.Compare(b.found.since), cmp.Compare(a.pod.Name, b.pod.Name))
	})
	if out := condition.OfJob(s.Job, batchv1.JobFailed); out != nil && deleted(first) &&
		out.Reason == batchv1.JobReasonDeadlineExceeded {
		return jobFailed(s)
	}
	return forMembers(s, first.found)
}

// forMembers is the fault of a member of the target in place of that of a load pod, which follows from it. The target
// will say so as well, but its controller need not have been the first to look: after an operator was away, and nobody
// knows how long, the time that a failure waits for a better cause is over when it is first seen.
func forMembers(s *state, found *failure) *failure {
	where := s.Target
	fault, faulty := podfault.Diagnose(s.Members, s.Now)
	if !faulty && s.Baseline != nil {
		where = s.Baseline
		fault, faulty = podfault.Diagnose(s.BaselineMembers, s.Now)
	}
	if !faulty || where == nil || s.actions().Disturbed(where, time.Time{}) {
		return found
	}
	better := because(fault.Reason, "target %q: %s", where.Name, fault.Message)
	if fault.Reason == benchv1alpha1.ReasonCrashed { // Of a target that was ready this is a restart.
		better.reason = benchv1alpha1.ReasonTargetLost
	}
	return better
}

// jobFailed is what is left to say when no pod tells more.
func jobFailed(s *state) *failure {
	failed := condition.OfJob(s.Job, batchv1.JobFailed)
	if failed == nil {
		return nil
	}
	if failed.Reason == batchv1.JobReasonDeadlineExceeded {
		return because(benchv1alpha1.ReasonDeadlineExceeded,
			"the Job of the load pods ran longer than all deadlines together: %s", s.seen())
	}
	lost := s.load.Unfinished()
	gone := "are gone, and their Job"
	if len(lost) == 1 {
		gone = "is gone, and its Job"
	}
	return &failure{
		reason: benchv1alpha1.ReasonLoadPodLost,
		message: fmt.Sprintf("load %s %s failed: %s: %s", strings.Join(lost, ", "), gone, failed.Reason,
			failed.Message),
		since: failed.LastTransitionTime.Time,
	}
}

// podSilent finds a load pod that ended well and never said that it was done. Its last words may be on their way.
func podSilent(s *state) *failure {
	for i := range s.current {
		pod := &s.current[i]
		if pod.Status.Phase != corev1.PodSucceeded || s.load.PodDone(pod) {
			continue
		}
		return &failure{
			reason:  benchv1alpha1.ReasonReportMissing,
			message: fmt.Sprintf("load pod %s ended without an error and without a report", pod.Name),
			since:   happened(pod),
		}
	}
	return nil
}

// happened is when a pod ended, or was told to; zero when nothing says so.
func happened(pod *corev1.Pod) time.Time {
	var first time.Time
	note := func(at time.Time) {
		if !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	if pod.DeletionTimestamp != nil {
		grace := time.Duration(ptr.Deref(pod.DeletionGracePeriodSeconds, 0)) * time.Second
		note(pod.DeletionTimestamp.Add(-grace))
	}
	for _, container := range pod.Status.ContainerStatuses {
		if container.State.Terminated != nil {
			note(container.State.Terminated.FinishedAt.Time)
		}
	}
	if c := podfault.Condition(pod, corev1.DisruptionTarget); c != nil && c.Status == corev1.ConditionTrue {
		note(c.LastTransitionTime.Time)
	}
	return first
}
