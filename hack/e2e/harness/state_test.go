package harness

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAboutKeepsTheLastLinesThatHoldTheWord(t *testing.T) {
	var said strings.Builder
	for i := range 2 * logLines {
		fmt.Fprintf(&said, "mine %d\nanother\n", i)
	}
	got := about(said.String(), "mine")
	if len(got) != logLines || got[0] != fmt.Sprintf("mine %d\n", logLines) {
		t.Errorf("got %d lines from %q on, want %d", len(got), got[0], logLines)
	}
}

func TestEventsAreInTheOrderOfTheirTimes(t *testing.T) {
	event := func(reason string, second int) corev1.Event {
		return corev1.Event{
			InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: "a"}, Reason: reason, Message: "it happened",
			LastTimestamp: metav1.NewTime(time.Date(2026, 11, 21, 0, 0, second, 0, time.UTC)),
		}
	}
	want := "  event 00:00:01 Pod a First: it happened\n  event 00:00:02 Pod a Second: it happened\n"
	got := describeEvents([]corev1.Event{event("Second", 2), event("First", 1)})
	if difference := cmp.Diff(want, got); difference != "" {
		t.Error(difference)
	}
}

func TestAPodIsDescribedWithTheEndsOfItsContainers(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	pod.Status.Phase = corev1.PodPending
	pod.Status.Conditions = []corev1.PodCondition{
		{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "no CPU"},
	}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name:  "mongod",
		State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}},
		LastTerminationState: corev1.ContainerState{
			Terminated: &corev1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled"},
		},
	}}
	got := describePod(pod)
	for _, want := range []string{
		"pod a: Pending", "no CPU", "mongod: restarts 0, waiting: CrashLoopBackOff", "137, OOMKilled",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in\n%s", want, got)
		}
	}
}
