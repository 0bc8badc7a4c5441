package decide

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// loadPodFailed finds the load pod that was the first to fail. When one fails the Job controller deletes the others,
// so that a pod that was deleted is blamed only when none failed by itself.
func loadPodFailed(v *view) *finding {
	if jobSuspended(v.Job) { // Its controller has deleted the pods.
		return nil
	}
	type culprit struct {
		pod   *corev1.Pod
		found *finding
	}
	var culprits []culprit
	for i := range v.Pods {
		if found := podFailure(&v.Pods[i], v.Now); found != nil && !v.podDone(&v.Pods[i]) {
			culprits = append(culprits, culprit{&v.Pods[i], found})
		}
	}
	if len(culprits) == 0 {
		return v.jobFailed()
	}
	first := slices.MinFunc(culprits, func(a, b culprit) int {
		return cmp.Or(
			compareBool(a.pod.DeletionTimestamp != nil, b.pod.DeletionTimestamp != nil),
			a.found.since.Compare(b.found.since),
			cmp.Compare(a.pod.Name, b.pod.Name),
		)
	})
	if out := jobCondition(v.Job, batchv1.JobFailed); out != nil && first.pod.DeletionTimestamp != nil &&
		out.Reason == batchv1.JobReasonDeadlineExceeded {
		return v.jobFailed()
	}
	return first.found
}

// podFailure says for what a load pod alone would make the run fail.
func podFailure(pod *corev1.Pod, now time.Time) *finding {
	fault, faulty := podfault.Diagnose([]corev1.Pod{*pod}, now)
	found := &finding{reason: fault.Reason, message: fault.Message, since: happened(pod)}
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
func (v *view) jobFailed() *finding {
	failed := jobCondition(v.Job, batchv1.JobFailed)
	if failed == nil {
		return nil
	}
	if failed.Reason == batchv1.JobReasonDeadlineExceeded {
		return &finding{
			reason:  benchv1alpha1.ReasonDeadlineExceeded,
			message: "the Job of the load pods ran longer than all deadlines together: " + v.seen(),
		}
	}
	lost := v.unfinished()
	gone := "are gone, and their Job"
	if len(lost) == 1 {
		gone = "is gone, and its Job"
	}
	return &finding{
		reason: benchv1alpha1.ReasonLoadPodLost,
		message: fmt.Sprintf("load %s %s failed: %s: %s", strings.Join(lost, ", "), gone, failed.Reason,
			failed.Message),
		since: failed.LastTransitionTime.Time,
	}
}

// unfinished names the load pods that are not done, by their index: their objects may be gone.
func (v *view) unfinished() []string {
	var labels []string
	for i, progress := range v.progress {
		if position(progress) != done {
			labels = append(labels, podLabel(i))
		}
	}
	return labels
}

// podSilent finds a load pod that ended well and never said that it was done. Its last words may be on their way.
func podSilent(v *view) *finding {
	for i := range v.Pods {
		pod := &v.Pods[i]
		if pod.Status.Phase != corev1.PodSucceeded || v.podDone(pod) {
			continue
		}
		return &finding{
			reason:  benchv1alpha1.ReasonReportMissing,
			message: fmt.Sprintf("load pod %s ended without an error and without a report", pod.Name),
			since:   happened(pod),
		}
	}
	return nil
}

// podDone says whether a pod has left its report.
func (v *view) podDone(pod *corev1.Pod) bool {
	index, err := strconv.Atoi(pod.Annotations[batchv1.JobCompletionIndexAnnotation])
	if err != nil || index < 0 || index >= len(v.progress) {
		return false
	}
	return v.progress[index] != nil && v.progress[index].State == reportv1alpha1.ProgressDone
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
