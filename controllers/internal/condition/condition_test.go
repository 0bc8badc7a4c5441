package condition_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	registry "github.com/mongobench/mongobench-operator/internal/reason"
)

var now = time.Date(2026, time.November, 21, 10, 0, 0, 0, time.UTC)

func TestTransitionTimeMovesWithTheStatusOnly(t *testing.T) {
	var first []metav1.Condition
	condition.In(&first, 1, now).False("Ready", "Starting", "0 of 1")
	second := first
	later := condition.In(&second, 2, now.Add(time.Minute))
	later.False("Ready", "Pending", "1 of 1")
	got := later.Find("Ready")
	if !got.LastTransitionTime.Time.Equal(now) || got.Reason != "Pending" || got.ObservedGeneration != 2 {
		t.Errorf("condition %+v", got)
	}
	later.True("Ready", "Ready", "")
	if got := later.Find("Ready"); !got.LastTransitionTime.Time.Equal(now.Add(time.Minute)) {
		t.Errorf("transition at %s", got.LastTransitionTime)
	}
	if condition.Reason(first, "Ready") != "Starting" {
		t.Error("the list that was copied has changed")
	}
}

func TestEndlessMessageIsCut(t *testing.T) {
	var list []metav1.Condition
	s := condition.In(&list, 1, now)
	s.Unknown("Trusted", "NotMeasured", strings.Repeat("x", 1<<20))
	if n := len(list[0].Message); n != 32768 {
		t.Errorf("message of %d bytes", n)
	}
}

// TestAVerdictNamesTheRemedyOnce also when it is written over and over, as each reconcile does.
func TestAVerdictNamesTheRemedyOnce(t *testing.T) {
	const cause = "killed for lack of memory"
	advice := registry.Remedy("OOMKilled")
	var list []metav1.Condition
	s := condition.In(&list, 1, now)
	for _, message := range []string{cause, cause + "; " + advice, strings.Repeat("x", 1<<20)} {
		s.False("Succeeded", "OOMKilled", message)
		if got := list[0].Message; strings.Count(got, advice) != 1 || !strings.HasSuffix(got, "; "+advice) ||
			len(got) > 32768 {
			t.Errorf("the message is %.200q, %d bytes", got, len(got))
		}
	}
	for _, other := range []func(){
		func() { s.False("Succeeded", "Unheard", cause) },
		func() { s.Unknown("Succeeded", "OOMKilled", cause) },
		func() { s.False("Ready", "OOMKilled", cause) },
	} {
		other()
		if got := list[len(list)-1].Message; got != cause {
			t.Errorf("the message is %q", got)
		}
	}
}

func TestReading(t *testing.T) {
	var list []metav1.Condition
	s := condition.In(&list, 1, now)
	s.True("Accepted", "Valid", "")
	s.False("Ready", "Starting", "")
	if !condition.IsTrue(list, "Accepted") || !condition.IsFalse(list, "Ready") ||
		condition.IsFalse(list, "Absent") || condition.Reason(list, "Absent") != "" {
		t.Errorf("conditions %+v", list)
	}
}

func TestEventsAreTheDifference(t *testing.T) {
	of := func(conditionType, status, reason, message string) metav1.Condition {
		return metav1.Condition{
			Type: conditionType, Status: metav1.ConditionStatus(status), Reason: reason, Message: message,
		}
	}
	type list = []metav1.Condition
	for name, tc := range map[string]struct {
		before, after list
		want          []condition.Event
	}{
		"nothing changed": {
			before: list{of("Ready", "True", "Ready", "")}, after: list{of("Ready", "True", "Ready", "")},
		},
		"only the words changed": {
			before: list{of("Ready", "False", "PodsStarting", "1 of 3")},
			after:  list{of("Ready", "False", "PodsStarting", "2 of 3")},
		},
		"a condition is new": {
			after: list{of("Accepted", "True", "Valid", "fine")},
			want:  []condition.Event{{Type: "Normal", Action: "Accepted", Reason: "Valid", Message: "fine"}},
		},
		"a condition that is new and open": {
			after: list{of("Succeeded", "Unknown", "NotEnded", "the run has not ended")},
		},
		"a condition that is new and waits for the end": {
			after: list{of("Complete", "False", "NotEnded", "the run has not ended")},
		},
		"the end is told once, of the condition that makes it bad news": {
			before: list{of("Succeeded", "Unknown", "NotEnded", ""), of("Complete", "False", "NotEnded", "")},
			after:  list{of("Succeeded", "False", "OOMKilled", "m"), of("Complete", "True", "OOMKilled", "m")},
			want:   []condition.Event{{Type: "Warning", Action: "Succeeded", Reason: "OOMKilled", Message: "m"}},
		},
		"a condition without words": {after: list{of("Stalled", "False", "NotStalled", "")}},
		"bad news are a warning, and told once": {
			before: list{of("Stalled", "False", "NotStalled", ""), of("Ready", "False", "PodsStarting", "")},
			after:  list{of("Ready", "False", "OOMKilled", "m"), of("Stalled", "True", "OOMKilled", "m")},
			want:   []condition.Event{{Type: "Warning", Action: "Stalled", Reason: "OOMKilled", Message: "m"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, condition.Events(tc.before, tc.after)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}
