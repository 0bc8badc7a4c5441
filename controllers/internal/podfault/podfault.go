package podfault

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// RefusalGrace is how long what the API server refuses for good is tried again all the same: the operator's own rights,
// or a policy, may have changed a moment ago, and not every API server may know of it yet.
const RefusalGrace = 20 * time.Second

const (
	// maxDetail bounds what is quoted of another program's words, and endOfDetail is how much of it is from their end.
	maxDetail   = 1024
	endOfDetail = 640
	// graceBeforeLost is how long, after the end of its grace period, a pod that is being deleted may still be there
	// before its node is taken for lost.
	graceBeforeLost = 30 * time.Second
	// schedulerRetries is how long the scheduler is left to repeat what failed by an error of its own.
	schedulerRetries = 10 * time.Second
	// evictedReason is what the kubelet writes into an evicted pod's status.
	evictedReason = "Evicted"
)

// Fault is why a pod does not run, or no longer does.
type Fault struct {
	// Reason is one of the reasons that a run and a target share.
	Reason string
	// Message names the pod, the container where there is one, and the cause in the words of who saw it.
	Message string
	// Terminal faults do not mend themselves by waiting: a container that ran out of memory, a name that is no image.
	Terminal bool
	// Lost is true when the pod was taken away (evicted, deleted, its node gone), rather than failed by itself.
	Lost bool
}

// Diagnose finds the fault of a list of pods: the terminal one if there is one, else the first in the order of names.
func Diagnose(pods []corev1.Pod, now time.Time) (Fault, bool) {
	sorted := byName(pods)
	var found Fault
	for i := range sorted {
		fault, ok := diagnosePod(&sorted[i], now)
		if ok && fault.Terminal {
			return fault, true
		}
		if ok && found.Reason == "" {
			found = fault
		}
	}
	return found, found.Reason != ""
}

func byName(pods []corev1.Pod) []corev1.Pod {
	return slices.SortedFunc(slices.Values(pods), func(a, b corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
}

func diagnosePod(pod *corev1.Pod, now time.Time) (Fault, bool) {
	for _, container := range containers(pod) {
		if fault, ok := diagnoseContainer(pod, container); ok {
			return fault, true
		}
	}
	for _, check := range []func(*corev1.Pod, time.Time) (Fault, bool){evicted, nodeLost, unschedulable, failed} {
		if fault, ok := check(pod, now); ok {
			return fault, true
		}
	}
	return Fault{}, false
}

func containers(pod *corev1.Pod) []corev1.ContainerStatus {
	return slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses)
}

func diagnoseContainer(pod *corev1.Pod, container corev1.ContainerStatus) (Fault, bool) {
	where := fmt.Sprintf("pod %s, container %s: ", pod.Name, container.Name)
	for _, state := range []corev1.ContainerState{container.State, container.LastTerminationState} {
		if state.Terminated != nil && state.Terminated.Reason == "OOMKilled" {
			message := where + "killed for lack of memory" + limit(pod, container.Name)
			return Fault{Reason: benchv1alpha1.ReasonOOMKilled, Message: message, Terminal: true}, true
		}
	}
	if waiting := container.State.Waiting; waiting != nil {
		return diagnoseWaiting(where, waiting, container.LastTerminationState.Terminated)
	}
	return Fault{}, false
}

func diagnoseWaiting(
	where string, waiting *corev1.ContainerStateWaiting, last *corev1.ContainerStateTerminated,
) (Fault, bool) {
	says := where + waiting.Reason
	if waiting.Message != "" {
		says += ": " + detail(waiting.Message)
	}
	switch waiting.Reason {
	case "ErrImagePull", "ImagePullBackOff", "RegistryUnavailable", "ImageInspectError", "SignatureValidationFailed":
		return Fault{Reason: benchv1alpha1.ReasonImagePull, Message: says}, true
	case "InvalidImageName", "ErrImageNeverPull":
		return Fault{Reason: benchv1alpha1.ReasonImagePull, Message: says, Terminal: true}, true
	case "CreateContainerConfigError", "CreateContainerError", "RunContainerError", "PostStartHookError":
		return Fault{Reason: benchv1alpha1.ReasonConfigError, Message: says}, true
	case "CrashLoopBackOff":
		if last != nil {
			says = where + exit(last) + ", over and over"
		}
		return Fault{Reason: benchv1alpha1.ReasonCrashed, Message: says}, true
	}
	return Fault{}, false
}

// Restarted finds the first container, in the order of the pods' names, that ended with an error and has been started
// again, but is not ready. Diagnose sees it only while it waits for its next start, so that whether a deadline told of
// the crash would be a matter of chance.
func Restarted(pods []corev1.Pod) (Fault, bool) {
	for _, pod := range byName(pods) {
		for _, container := range containers(&pod) {
			last := container.LastTerminationState.Terminated
			if container.Ready || last == nil || last.ExitCode == 0 {
				continue
			}
			message := fmt.Sprintf("pod %s, container %s: %s, and was started again", pod.Name, container.Name, exit(last))
			return Fault{Reason: benchv1alpha1.ReasonCrashed, Message: message}, true
		}
	}
	return Fault{}, false
}

func evicted(pod *corev1.Pod, _ time.Time) (Fault, bool) {
	if pod.Status.Reason == evictedReason {
		return lost(pod, "evicted: "+detail(pod.Status.Message), true)
	}
	target := Condition(pod, corev1.DisruptionTarget)
	if target != nil && target.Status == corev1.ConditionTrue {
		return lost(pod, target.Reason+": "+detail(target.Message), true)
	}
	return Fault{}, false
}

// nodeLost tells a node that is silent from one that works: the node controller speaks for it, and a kubelet that is
// alive ends a deleted pod within its grace period.
func nodeLost(pod *corev1.Pod, now time.Time) (Fault, bool) {
	switch {
	case pod.Status.Reason == "NodeLost", silent(pod):
		return lost(pod, "its node "+pod.Spec.NodeName+" does not answer", false)
	case pod.DeletionTimestamp != nil && now.Sub(pod.DeletionTimestamp.Time) > graceBeforeLost:
		return lost(pod, "it was deleted, and its node "+pod.Spec.NodeName+" does not confirm that it ended", false)
	}
	return Fault{}, false
}

// silent says whether the node controller has taken back what a kubelet that does not answer had said of a pod. It
// makes the pod not ready and gives no reason, while the kubelet's word on the containers stays; a kubelet gives one.
// Older clusters say that they do not know.
func silent(pod *corev1.Pod) bool {
	ready, containers := Condition(pod, corev1.PodReady), Condition(pod, corev1.ContainersReady)
	switch {
	case ready == nil:
		return false
	case ready.Status == corev1.ConditionUnknown || ready.Reason == "NodeStatusUnknown":
		return true
	default:
		return ready.Status == corev1.ConditionFalse && ready.Reason == "" &&
			containers != nil && containers.Status == corev1.ConditionTrue
	}
}

// SilentSince is when the node controller took a pod's node for silent; zero when it did not.
func SilentSince(pod *corev1.Pod) time.Time {
	if !silent(pod) {
		return time.Time{}
	}
	return Condition(pod, corev1.PodReady).LastTransitionTime.Time
}

func lost(pod *corev1.Pod, what string, terminal bool) (Fault, bool) {
	return Fault{
		Reason: benchv1alpha1.ReasonNodeLost, Message: fmt.Sprintf("pod %s: %s", pod.Name, what),
		Terminal: terminal, Lost: true,
	}, true
}

// unschedulable passes over an error of the scheduler itself, such as a volume that was bound by another meanwhile,
// unless the scheduler's next attempts did not mend it.
func unschedulable(pod *corev1.Pod, now time.Time) (Fault, bool) {
	scheduled := Condition(pod, corev1.PodScheduled)
	if scheduled == nil || scheduled.Status != corev1.ConditionFalse {
		return Fault{}, false
	}
	since := now.Sub(scheduled.LastTransitionTime.Time)
	if scheduled.Reason == corev1.PodReasonSchedulerError && since < schedulerRetries {
		return Fault{}, false
	}
	return Fault{
		Reason:  benchv1alpha1.ReasonUnschedulable,
		Message: fmt.Sprintf("pod %s: %s", pod.Name, detail(scheduled.Message)),
	}, true
}

// failed is a pod that ended, without a cause that has a name of its own. One that ended because it is being deleted
// will be made again.
func failed(pod *corev1.Pod, _ time.Time) (Fault, bool) {
	if pod.Status.Phase != corev1.PodFailed || pod.DeletionTimestamp != nil {
		return Fault{}, false
	}
	for _, container := range containers(pod) {
		if ended := container.State.Terminated; ended != nil && ended.ExitCode != 0 {
			message := fmt.Sprintf("pod %s, container %s: %s", pod.Name, container.Name, exit(ended))
			return Fault{Reason: benchv1alpha1.ReasonCrashed, Message: message, Terminal: true}, true
		}
	}
	message := fmt.Sprintf("pod %s: failed: %s %s", pod.Name, pod.Status.Reason, detail(pod.Status.Message))
	return Fault{Reason: benchv1alpha1.ReasonCrashed, Message: strings.TrimSpace(message), Terminal: true}, true
}

// TerminationMessage is what a pod's container said last, or how it ended when it said nothing; empty while it runs.
func TerminationMessage(pod *corev1.Pod, container string) string {
	for _, status := range containers(pod) {
		for _, state := range []corev1.ContainerState{status.State, status.LastTerminationState} {
			if status.Name == container && state.Terminated != nil {
				return exit(state.Terminated)
			}
		}
	}
	return ""
}

// ExitCode is that with which a pod's container ended; 0 while it runs.
func ExitCode(pod *corev1.Pod, container string) int32 {
	for _, status := range pod.Status.ContainerStatuses {
		if status.Name == container && status.State.Terminated != nil {
			return status.State.Terminated.ExitCode
		}
	}
	return 0
}

func exit(ended *corev1.ContainerStateTerminated) string {
	if said := detail(errorsIn(ended.Message)); said != "" {
		return said
	}
	if ended.Signal != 0 {
		return fmt.Sprintf("ended by signal %d", ended.Signal)
	}
	return fmt.Sprintf("exit code %d", ended.ExitCode)
}

func limit(pod *corev1.Pod, name string) string {
	for _, container := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		memory, ok := container.Resources.Limits[corev1.ResourceMemory]
		if container.Name == name && ok {
			return fmt.Sprintf(": its limit is %s; raise resources.memory", memory.String())
		}
	}
	return ""
}

// Condition is the condition of a pod that has a type, or nil.
func Condition(pod *corev1.Pod, conditionType corev1.PodConditionType) *corev1.PodCondition {
	all := pod.Status.Conditions
	at := slices.IndexFunc(all, func(c corev1.PodCondition) bool { return c.Type == conditionType })
	if at < 0 {
		return nil
	}
	return &all[at]
}

// errorsIn are the lines of a server's log that tell of errors, where it marks them; else all of what was said.
func errorsIn(message string) string {
	var marked []string
	for line := range strings.Lines(message) {
		if strings.Contains(line, "[ERROR]") {
			marked = append(marked, line)
		}
	}
	if len(marked) == 0 {
		return message
	}
	return strings.Join(marked, "")
}

// detail leaves out the middle of what is too long: a sentence says first what it is about, and a log ends with the
// cause.
func detail(message string) string {
	message = strings.Join(strings.Fields(message), " ")
	if len(message) <= maxDetail {
		return message
	}
	first, last := message[:maxDetail-endOfDetail], message[len(message)-endOfDetail:]
	return strings.ToValidUTF8(first, "") + " ... " + strings.ToValidUTF8(last, "")
}

// quotaWords are how the API server's quota and limit admission begins its refusals.
var quotaWords = []string{
	"exceeded quota", "failed quota", "maximum cpu usage", "maximum memory usage",
	"minimum cpu usage", "minimum memory usage", "limit to request ratio",
}

// DiagnoseEvents finds, in the FailedCreate events of a StatefulSet or Job, why its pods could not be created. The
// newest event counts. Neither cause is terminal: a quota is raised, a policy is changed, and the pod is created after
// all.
func DiagnoseEvents(events []corev1.Event) (Fault, bool) {
	var newest *corev1.Event
	for i := range events {
		if newest == nil || lastSeen(&events[i]).After(lastSeen(newest)) {
			newest = &events[i]
		}
	}
	if newest == nil {
		return Fault{}, false
	}
	return Fault{Reason: RefusalReason(newest.Message), Message: detail(newest.Message)}, true
}

// RefusalReason tells a quota from other causes by the words in which the API server refuses an object.
func RefusalReason(message string) string {
	if slices.ContainsFunc(quotaWords, func(words string) bool { return strings.Contains(message, words) }) {
		return benchv1alpha1.ReasonQuotaExceeded
	}
	return benchv1alpha1.ReasonForbidden
}

// lastSeen is the time of an event; the newer API fills in other fields than the older one.
func lastSeen(event *corev1.Event) time.Time {
	times := []time.Time{event.CreationTimestamp.Time, event.LastTimestamp.Time, event.EventTime.Time}
	if event.Series != nil {
		times = append(times, event.Series.LastObservedTime.Time)
	}
	return slices.MaxFunc(times, time.Time.Compare)
}
