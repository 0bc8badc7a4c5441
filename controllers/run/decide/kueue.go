package decide

import (
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Labels by which Kueue takes a Job into one of its queues. It then suspends the Job until it has room.
const (
	kueueQueueLabel    = "kueue.x-k8s.io/queue-name"
	kueuePriorityLabel = "kueue.x-k8s.io/priority-class"
)

// queueLabels are those of a run that its load Job gets too.
func queueLabels(run *benchv1alpha1.BenchmarkRun, labels map[string]string) map[string]string {
	for _, key := range []string{kueueQueueLabel, kueuePriorityLabel} {
		if value, set := run.Labels[key]; set {
			labels[key] = value
		}
	}
	return labels
}

// jobSuspended says whether the load Job may not make its pods.
func jobSuspended(job *batchv1.Job) bool {
	return job != nil && ptr.Deref(job.Spec.Suspend, false)
}

// jobStarted is when the load Job could make its pods; zero when it cannot, or when its controller has not said since
// when. The Job of a queue may have been suspended for days, which is no fault of the pods.
func jobStarted(job *batchv1.Job) time.Time {
	_, queued := job.Labels[kueueQueueLabel]
	switch {
	case jobSuspended(job):
		return time.Time{}
	case job.Status.StartTime != nil:
		return job.Status.StartTime.Time
	case queued || jobIs(job, batchv1.JobSuspended):
		return time.Time{}
	default:
		return job.CreationTimestamp.Time
	}
}

// waitsForJob is what a run with a suspended Job waits for.
func waitsForJob(job *batchv1.Job) string {
	if name, queued := job.Labels[kueueQueueLabel]; queued {
		return fmt.Sprintf("the load Job is suspended; Kueue admits it from queue %q", name)
	}
	return "the load Job is suspended, and not by this operator"
}
