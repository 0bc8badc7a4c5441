package decide

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/load"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// loadPodFailed finds the load pod that was the first to fail. When one fails the Job controller deletes the others,
// so that a pod that was deleted is blamed only when none failed by itself.
func loadPodFailed(s *state) *failure {
	if load.Suspended(s.Job) { // Its controller has deleted the pods.
		return nil
	}
	type culprit struct {
		pod   *corev1.Pod
		found *failure
	}
	var culprits []culprit
	for i := range s.Pods {
		if found := podFailure(&s.Pods[i], s.Now); found != nil && !s.load.PodDone(&s.Pods[i]) {
			culprits = append(culprits, culprit{&s.Pods[i], found})
		}
	}
	if len(culprits) == 0 {
		return jobFailed(s)
	}
	first := slices.MinFunc(culprits, func(a, b culprit) int {
		return cmp.Or(
			compareBool(a.pod.DeletionTimestamp != nil, b.pod.DeletionTimestamp != nil),
			a.found.since.Compare(b.found.since),
			cmp.Compare(a.pod.Name, b.pod.Name),
		)
	})
	if out := load.Condition(s.Job, batchv1.JobFailed); out != nil && first.pod.DeletionTimestamp != nil &&
		out.Reason == batchv1.JobReasonDeadlineExceeded {
		return jobFailed(s)
	}
	return first.found
}

// podFailure says for what a load pod alone would make the run fail.
func podFailure(pod *corev1.Pod, now time.Time) *failure {
	fault, faulty := podfault.Diagnose([]corev1.Pod{*pod}, now)
	found := &failure{reason: fault.Reason, message: fault.Message, since: happened(pod)}
	switch {
	case faulty && fault.Reason == benchv1alpha1.ReasonOOMKilled:
		return found
	case faulty && fault.Reason == benchv1alpha1.ReasonNodeLost:
		found.reason = benchv1alpha1.ReasonLoadPodLost
		return found
	case pod.DeletionTimestamp != nil:
		found.reason = benchv1alpha1.ReasonLoadPodLost
		found.message = fmt.Sprintf("load pod %s was deleted", pod.Name)
		return found
	case pod.Status.Phase == corev1.PodFailed:
		found.reason = benchv1alpha1.ReasonLoadPodFailed
		if said := podfault.TerminationMessage(pod, naming.LoadContainer); said != "" {
			found.message = fmt.Sprintf("load pod %s: %s", pod.Name, said)
		}
		return found
	case faulty && fault.Terminal:
		return found
	}
	return nil
}

// jobFailed is what is left to say when no pod tells more.
func jobFailed(s *state) *failure {
	failed := load.Condition(s.Job, batchv1.JobFailed)
	if failed == nil {
		return nil
	}
	if failed.Reason == batchv1.JobReasonDeadlineExceeded {
		return &failure{
			reason:  benchv1alpha1.ReasonDeadlineExceeded,
			message: "the Job of the load pods ran longer than all deadlines together: " + s.seen(),
		}
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
	for i := range s.Pods {
		pod := &s.Pods[i]
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
		grace := int64(0)
		if pod.DeletionGracePeriodSeconds != nil {
			grace = *pod.DeletionGracePeriodSeconds
		}
		note(pod.DeletionTimestamp.Add(-time.Duration(grace) * time.Second))
	}
	for _, container := range pod.Status.ContainerStatuses {
		if container.State.Terminated != nil {
			note(container.State.Terminated.FinishedAt.Time)
		}
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue {
			note(c.LastTransitionTime.Time)
		}
	}
	return first
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}
