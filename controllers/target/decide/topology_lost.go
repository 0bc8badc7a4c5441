package decide

import (
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// forgotten says which set has lost what the topology Job made, before the target was ever ready: each of its members
// began anew with nothing, since their data goes with their pods. Empty is none. One member that is left is enough:
// the others get everything from it. In a server that prepares itself the Job makes nothing.
func forgotten(o Observation) string {
	began, ended := topologyTimes(o)
	if o.Target.Status.Connection != nil || ended.IsZero() || preparesItself(o.Target.Spec) {
		return ""
	}
	for _, s := range sets(o.Target.Spec) {
		if routes(s) || keepsData(s) {
			continue
		}
		names := s.Pods(o.Target)
		lost := slices.DeleteFunc(slices.Clone(o.MemberPods), func(pod corev1.Pod) bool {
			return !slices.Contains(names, pod.Name) || !emptied(&pod, s, began, ended)
		})
		if len(lost) == len(names) {
			return lost[0].Name + " restarted without data after the topology Job had found it; the Job is created again"
		}
	}
	return ""
}

// keepsData says whether the data of a set's members outlives their pods.
func keepsData(s product.Set) bool {
	return s.Volume.Medium == benchv1alpha1.StorageMediumPersistentVolume && !s.Volatile
}

// emptied says whether a member is another one than the topology Job worked on: a pod that was made after the Job's had
// begun, or a process that was started after it had ended.
func emptied(pod *corev1.Pod, s product.Set, began, ended time.Time) bool {
	if pod.CreationTimestamp.After(began) {
		return true
	}
	for _, container := range pod.Status.ContainerStatuses {
		running := container.State.Running
		if container.Name != pod.Spec.Containers[0].Name || running == nil {
			continue
		}
		if container.RestartCount == 0 {
			// Both are told in whole seconds: a Job is often done in the second in which the member began.
			return running.StartedAt.After(ended)
		}
		// A container that is started again in its pod finds the pod's disk as it was.
		return s.Volatile && !running.StartedAt.Time.Before(ended)
	}
	return false
}

// topologyTimes are when the pod of the topology Job that succeeded began and ended; zero while there is none.
func topologyTimes(o Observation) (began, ended time.Time) {
	if o.TopologyJob == nil || goes(o.TopologyJob) {
		return began, ended
	}
	for i := range o.TopologyPods {
		for _, container := range o.TopologyPods[i].Status.ContainerStatuses {
			done := container.State.Terminated
			if container.Name == naming.TopologyContainer && done != nil && done.ExitCode == 0 {
				began, ended = done.StartedAt.Time, done.FinishedAt.Time
			}
		}
	}
	return began, ended
}

// answerCounts says whether what the topology Job answered is so: nobody removes it, and nothing was forgotten.
func answerCounts(o Observation) bool { return !goes(o.TopologyJob) && forgotten(o) == "" }

// goes says whether a Job is being removed: what it answered counts no more.
func goes(job *batchv1.Job) bool { return job != nil && job.DeletionTimestamp != nil }
