package load

import (
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Labels by which Kueue takes a Job into one of its queues. It then suspends the Job until it has room.
const (
	QueueLabel    = "kueue.x-k8s.io/queue-name"
	PriorityLabel = "kueue.x-k8s.io/priority-class"
)

// queueLabels are those of a run that its load Job gets too.
func queueLabels(run *benchv1alpha1.BenchmarkRun, labels map[string]string) map[string]string {
	for _, key := range []string{QueueLabel, PriorityLabel} {
		if value, set := run.Labels[key]; set {
			labels[key] = value
		}
	}
	return labels
}

// Suspended says whether the load Job may not make its pods.
func Suspended(job *batchv1.Job) bool {
	return job != nil && ptr.Deref(job.Spec.Suspend, false)
}

// Started is when the load Job could make its pods; zero when it cannot, or when its controller has not said since
// when. The Job of a queue may have been suspended for days, which is no fault of the pods.
func Started(job *batchv1.Job) time.Time {
	_, queued := job.Labels[QueueLabel]
	switch {
	case Suspended(job):
		return time.Time{}
	case job.Status.StartTime != nil:
		return job.Status.StartTime.Time
	case queued || Is(job, batchv1.JobSuspended):
		return time.Time{}
	default:
		return job.CreationTimestamp.Time
	}
}

// WaitsFor is what a run with a suspended Job waits for.
func WaitsFor(job *batchv1.Job) string {
	if name, queued := job.Labels[QueueLabel]; queued {
		return fmt.Sprintf("the load Job is suspended; Kueue admits it from queue %q", name)
	}
	return "the load Job is suspended, and not by this operator"
}

// Wanted is how many pods the load Job is to have.
func Wanted(job *batchv1.Job) int {
	if job.Spec.Completions == nil {
		return 1
	}
	return int(*job.Spec.Completions)
}

// Is says whether a condition of the load Job, which may be nil, is true.
func Is(job *batchv1.Job, conditionType batchv1.JobConditionType) bool {
	return Condition(job, conditionType) != nil
}

// Condition is a condition of the load Job that is true, or nil.
func Condition(job *batchv1.Job, conditionType batchv1.JobConditionType) *batchv1.JobCondition {
	if job == nil {
		return nil
	}
	for i := range job.Status.Conditions {
		c := &job.Status.Conditions[i]
		if c.Type == conditionType && c.Status == corev1.ConditionTrue {
			return c
		}
	}
	return nil
}
