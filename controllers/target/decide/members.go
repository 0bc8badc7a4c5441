package decide

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/naming"
	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
)

// judgeReady judges a target that was ready. A member that went away or restarted ends it: its cache is cold, its
// primary may be another one, and what is measured before and after is not the same thing. A node that is silent for a
// while does not, as long as nothing restarted.
func judgeReady(o Observation, status benchv1alpha1.BenchmarkTargetStatus) verdict {
	fault, faulty := podfault.Diagnose(o.MemberPods, o.Now)
	if faulty && fault.Terminal && fault.Reason != benchv1alpha1.ReasonCrashed {
		return verdict{stalled: true, reason: fault.Reason, message: fault.Message}
	}
	if what := restarted(o, readySince(o, status)); what != "" {
		return verdict{stalled: true, reason: benchv1alpha1.ReasonMemberRestarted, message: what}
	}
	if faulty {
		return verdict{reason: fault.Reason, message: fault.Message}
	}
	return verdict{ready: true, message: readyMessage(o.Target)}
}

// readySince is when the target became ready: when the topology Job ended, by the same clock that dates the pods. The
// condition stands in for a Job that is not there; by itself it would forget the time when a node was silent in
// between.
func readySince(o Observation, status benchv1alpha1.BenchmarkTargetStatus) time.Time {
	if o.TopologyJob != nil && o.TopologyJob.Status.CompletionTime != nil {
		return o.TopologyJob.Status.CompletionTime.Time
	}
	if ready := condition.Find(status.Conditions, benchv1alpha1.TargetReady); ready != nil {
		return ready.LastTransitionTime.Time
	}
	return o.Now
}

// restarted says in words which member went away or started again after an instant; empty is none.
func restarted(o Observation, since time.Time) string {
	for _, name := range memberNames(o.Target) {
		i := slices.IndexFunc(o.MemberPods, func(pod corev1.Pod) bool { return pod.Name == name })
		if i < 0 {
			return fmt.Sprintf("pod %s was deleted after the target was ready", name)
		}
		pod := &o.MemberPods[i]
		switch {
		case pod.DeletionTimestamp != nil:
			return fmt.Sprintf("pod %s is being deleted after the target was ready", name)
		case pod.CreationTimestamp.After(since):
			return fmt.Sprintf("pod %s was replaced after the target was ready", name)
		}
		if startedAgain(pod, since) {
			return fmt.Sprintf("pod %s, container %s ended after the target was ready: %s",
				name, naming.MongodContainer, podfault.TerminationMessage(pod, naming.MongodContainer))
		}
	}
	return ""
}

// startedAgain wants a restart to be counted as well as dated, because the node that dates it has a clock of its own.
func startedAgain(pod *corev1.Pod, since time.Time) bool {
	for _, container := range pod.Status.ContainerStatuses {
		if container.Name != naming.MongodContainer {
			continue
		}
		if container.State.Terminated != nil {
			return true
		}
		last := container.LastTerminationState.Terminated
		return container.RestartCount > 0 && last != nil && last.FinishedAt.After(since)
	}
	return false
}

// memberNames are the names of the members' pods; none for an external target.
func memberNames(t *benchv1alpha1.BenchmarkTarget) []string {
	if t.Spec.Topology == benchv1alpha1.TopologyExternal {
		return nil
	}
	names := make([]string, 0, members(t.Spec))
	for i := range members(t.Spec) {
		names = append(names, naming.MemberPod(t.Name, i))
	}
	return names
}

func readyMembers(o Observation) int {
	ready := 0
	for i := range o.MemberPods {
		pod := &o.MemberPods[i]
		isReady := slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
		})
		if isReady && pod.DeletionTimestamp == nil {
			ready++
		}
	}
	return ready
}
