package harness

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

const (
	// logLines of each container are printed, and as many of the manager's that speak of the namespace.
	logLines = 25
	// maxLine is how much of a line is printed.
	maxLine = 400
)

// State is all that helps to understand a failure: conditions, pods, events, the ends of the logs, the manager's too.
func (n *Namespace) State(ctx context.Context) string {
	var text strings.Builder
	fmt.Fprintf(&text, "state of namespace %s\n", n.Name)
	runs, targets := &benchv1alpha1.BenchmarkRunList{}, &benchv1alpha1.BenchmarkTargetList{}
	pods, events := &corev1.PodList{}, &corev1.EventList{}
	for _, list := range []client.ObjectList{runs, targets, pods, events} {
		if err := n.List(ctx, list, client.InNamespace(n.Name)); err != nil {
			fmt.Fprintf(&text, "  listing %T: %v\n", list, err)
		}
	}
	for i := range runs.Items {
		fmt.Fprintf(&text, "  run %s: %s\n", runs.Items[i].Name, Describe(runs.Items[i].Status.Conditions))
	}
	for i := range targets.Items {
		fmt.Fprintf(&text, "  target %s: %s\n", targets.Items[i].Name, Describe(targets.Items[i].Status.Conditions))
	}
	text.WriteString(describeEvents(events.Items))
	for i := range pods.Items {
		text.WriteString(describePod(&pods.Items[i]))
		n.writeLogs(ctx, &text, &pods.Items[i])
	}
	n.writeManager(ctx, &text)
	return text.String()
}

func (n *Namespace) writeManager(ctx context.Context, text *strings.Builder) {
	pod, err := n.ManagerPod(ctx)
	if err != nil {
		fmt.Fprintf(text, "  %v\n", err)
		return
	}
	text.WriteString(describePod(pod))
	said, err := n.Log(ctx, pod, "manager", nil)
	if err != nil {
		said = err.Error()
	}
	writeLines(text, "manager", about(said, n.Name))
}

// about are the last lines that hold a word.
func about(said, word string) []string {
	var lines []string
	for line := range strings.Lines(said) {
		if strings.Contains(line, word) {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-logLines):]
}

func writeLines(text *strings.Builder, container string, lines []string) {
	for _, line := range lines {
		line = strings.TrimRight(line, "\n")
		fmt.Fprintf(text, "      %s: %s\n", container, line[:min(len(line), maxLine)])
	}
}

func (n *Namespace) writeLogs(ctx context.Context, text *strings.Builder, pod *corev1.Pod) {
	for _, container := range pod.Spec.Containers {
		said, err := n.Log(ctx, pod, container.Name, new(int64(logLines)))
		if err != nil {
			said = err.Error()
		}
		writeLines(text, container.Name, slices.Collect(strings.Lines(said)))
	}
}

// Log is what a container wrote, or the last lines of it.
func (c *Cluster) Log(ctx context.Context, pod *corev1.Pod, container string, last *int64) (string, error) {
	options := &corev1.PodLogOptions{Container: container, TailLines: last}
	said, err := c.Typed.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, options).DoRaw(ctx)
	if err != nil {
		return "", fmt.Errorf("reading the log of pod %s, container %s: %w", pod.Name, container, err)
	}
	return string(said), nil
}

func describePod(pod *corev1.Pod) string {
	var text strings.Builder
	fmt.Fprintf(&text, "  pod %s: %s %s\n", pod.Name, pod.Status.Phase, pod.Status.Message)
	for _, condition := range pod.Status.Conditions {
		if condition.Status != corev1.ConditionTrue && condition.Message != "" {
			fmt.Fprintf(&text, "    %s=%s: %s\n", condition.Type, condition.Status, condition.Message)
		}
	}
	for _, container := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		fmt.Fprintf(&text, "    container %s: restarts %d, %s\n", container.Name, container.RestartCount,
			describeState(container.State))
		if before := container.LastTerminationState; before.Terminated != nil {
			fmt.Fprintf(&text, "      before: %s\n", describeState(before))
		}
	}
	return text.String()
}

func describeState(state corev1.ContainerState) string {
	switch {
	case state.Waiting != nil:
		return fmt.Sprintf("waiting: %s %s", state.Waiting.Reason, state.Waiting.Message)
	case state.Terminated != nil:
		return fmt.Sprintf("ended: exit code %d, %s %s", state.Terminated.ExitCode, state.Terminated.Reason,
			state.Terminated.Message)
	default:
		return "running"
	}
}

// describeEvents writes events in the order of their times.
func describeEvents(events []corev1.Event) string {
	events = slices.Clone(events)
	slices.SortStableFunc(events, func(a, b corev1.Event) int { return seen(&a).Compare(seen(&b)) })
	var text strings.Builder
	for i := range events {
		event := &events[i]
		fmt.Fprintf(&text, "  event %s %s %s %s: %s\n", seen(event).Format(time.TimeOnly), event.InvolvedObject.Kind,
			event.InvolvedObject.Name, event.Reason, event.Message)
	}
	return text.String()
}

// seen is when an event was seen last; the newer API fills in other fields than the older one.
func seen(event *corev1.Event) time.Time {
	times := []time.Time{event.CreationTimestamp.Time, event.LastTimestamp.Time, event.EventTime.Time}
	return slices.MaxFunc(times, time.Time.Compare)
}
