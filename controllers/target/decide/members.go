package decide

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
)

// maxSetsNamed is how many sets a message names at most.
const maxSetsNamed = 8

// judgeReady judges a target that was ready.
func judgeReady(o Observation, status benchv1alpha1.BenchmarkTargetStatus) verdict {
	if ByCommunity(o.Target.Spec) {
		return judgeCommunity(o)
	}
	return judgeMembers(o, readySince(o, status))
}

// judgeMembers judges the members of a target that was ready. One that went away or restarted ends it: its cache is
// cold, its primary may be another one, and what is measured before and after is not the same thing. Where that is what
// is measured, it is waited for. A node that is silent for a while ends nothing, as long as nothing restarted.
func judgeMembers(o Observation, since time.Time) verdict {
	tolerated := toleratesRestarts(o.Target.Spec)
	fault, faulty := podfault.Diagnose(o.MemberPods, o.Now)
	gone := fault.Reason == benchv1alpha1.ReasonCrashed || tolerated && fault.Lost
	if faulty && fault.Terminal && !gone {
		return verdict{stalled: true, reason: fault.Reason, message: fault.Message}
	}
	what := restarted(o, since)
	switch {
	case what != "" && !tolerated:
		return verdict{stalled: true, reason: benchv1alpha1.ReasonMemberRestarted, message: what}
	case faulty && (what == "" || !gone):
		return verdict{reason: fault.Reason, message: fault.Message}
	case what != "":
		return verdict{reason: benchv1alpha1.ReasonMemberRestarting, message: what}
	}
	return verdict{ready: true, message: readyMessage(o.Target)}
}

func toleratesRestarts(spec benchv1alpha1.BenchmarkTargetSpec) bool {
	return ptr.Deref(spec.MemberRestarts, "") == benchv1alpha1.MemberRestartsTolerate
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

// restarted says in words which member went away or started again after an instant; empty is none. A restart that is
// tolerated is over once the member is ready again.
func restarted(o Observation, since time.Time) string {
	tolerated := toleratesRestarts(o.Target.Spec)
	for _, name := range memberNames(o.Target) {
		i := slices.IndexFunc(o.MemberPods, func(pod corev1.Pod) bool { return pod.Name == name })
		if i < 0 {
			return fmt.Sprintf("pod %s was deleted after the target was ready", name)
		}
		what := restart(&o.MemberPods[i], since)
		if over := tolerated && isReady(&o.MemberPods[i]); what != "" && !over {
			return what
		}
	}
	return ""
}

func restart(pod *corev1.Pod, since time.Time) string {
	container := pod.Spec.Containers[0].Name
	switch {
	case pod.DeletionTimestamp != nil:
		return fmt.Sprintf("pod %s is being deleted after the target was ready", pod.Name)
	case pod.CreationTimestamp.After(since):
		return fmt.Sprintf("pod %s was replaced after the target was ready", pod.Name)
	case startedAgain(pod, since):
		return fmt.Sprintf("pod %s, container %s ended after the target was ready: %s",
			pod.Name, container, podfault.TerminationMessage(pod, container))
	}
	return ""
}

// startedAgain wants a restart to be counted as well as dated, because the node that dates it has a clock of its own.
func startedAgain(pod *corev1.Pod, since time.Time) bool {
	for _, container := range pod.Status.ContainerStatuses {
		if container.Name != pod.Spec.Containers[0].Name {
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

// memberNames are the names of the members' pods, of all sets; none for an external target.
func memberNames(t *benchv1alpha1.BenchmarkTarget) []string {
	all := make([][]string, 0, len(sets(t.Spec)))
	for _, s := range sets(t.Spec) {
		all = append(all, s.Pods(t))
	}
	return slices.Concat(all...)
}

// readyMembers are the names of the members' pods that are ready.
func readyMembers(o Observation) map[string]bool {
	ready := map[string]bool{}
	for i := range o.MemberPods {
		if isReady(&o.MemberPods[i]) {
			ready[o.MemberPods[i].Name] = true
		}
	}
	return ready
}

func isReady(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp == nil && slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// membersMessage says how many members are ready, and which are missing; of more than one set which set has not all.
func membersMessage(o Observation) string {
	all, ready := sets(o.Target.Spec), readyMembers(o)
	wanted := 0
	var behind []string
	for _, s := range all {
		wanted += s.Members
		running := 0
		for _, name := range s.Pods(o.Target) {
			if ready[name] {
				running++
			}
		}
		if running < s.Members {
			behind = append(behind, fmt.Sprintf("%s: %d of %d", s.Name, running, s.Members))
		}
	}
	message := fmt.Sprintf("%d of %d members are ready", len(ready), wanted)
	if len(all) == 1 || len(behind) == 0 {
		return message + missing(o)
	}
	if more := len(behind) - maxSetsNamed; more > 0 {
		behind = append(behind[:maxSetsNamed], fmt.Sprintf("and %d more sets", more))
	}
	return fmt.Sprintf("%s (%s)", message, strings.Join(behind, ", "))
}

// missing names the members that are not ready, the first of many.
func missing(o Observation) string {
	const most = 8
	ready := readyMembers(o)
	names := slices.DeleteFunc(memberNames(o.Target), func(name string) bool { return ready[name] })
	if len(names) == 0 {
		return ""
	}
	if len(names) > most {
		names = append(names[:most:most], fmt.Sprintf("%d more", len(names)-most))
	}
	return "; not ready: " + strings.Join(names, ", ")
}
