package condition

import (
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	registry "github.com/mongobench/mongobench-operator/internal/reason"
)

// maxMessage is the API server's limit on a condition's message.
const maxMessage = 32768

// maxShort bounds a message that Short has cut, so that all conditions of an object leave room for a result.
const maxShort = 1024

// Short cuts a message to what people still read.
func Short(message string) string { return Cut(strings.TrimSpace(message), maxShort) }

// Cut cuts a text to a number of bytes.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-len("...")], "") + "..."
}

// verdicts are the conditions that, when they are False, name the cause and the remedy.
var verdicts = map[string]bool{benchv1alpha1.RunAccepted: true, benchv1alpha1.RunSucceeded: true}

// Setter writes conditions of one generation at one instant into one list.
type Setter struct {
	list       *[]metav1.Condition
	generation int64
	now        metav1.Time
}

// In writes into a list, which becomes a copy of what it was: others may hold that.
func In(list *[]metav1.Condition, generation int64, now time.Time) *Setter {
	*list = slices.Clone(*list)
	return &Setter{list: list, generation: generation, now: metav1.NewTime(now.UTC().Truncate(time.Second))}
}

// Find returns the condition of a type as it is now, or nil.
func (s *Setter) Find(conditionType string) *metav1.Condition { return Find(*s.list, conditionType) }

// Set writes one condition. Its transition time moves only with its status. A verdict also says what to do about it.
func (s *Setter) Set(conditionType string, status metav1.ConditionStatus, reason, message string) {
	advice := registry.Remedy(reason)
	if status != metav1.ConditionFalse || !verdicts[conditionType] || strings.Contains(message, advice) {
		advice = ""
	}
	if advice != "" {
		advice = "; " + advice
	}
	message = Cut(message, maxMessage-len(advice)) + advice
	apimeta.SetStatusCondition(s.list, metav1.Condition{
		Type: conditionType, Status: status, Reason: reason, Message: message,
		ObservedGeneration: s.generation, LastTransitionTime: s.now,
	})
}

// True writes a condition with the status True.
func (s *Setter) True(conditionType, reason, message string) {
	s.Set(conditionType, metav1.ConditionTrue, reason, message)
}

// False writes a condition with the status False.
func (s *Setter) False(conditionType, reason, message string) {
	s.Set(conditionType, metav1.ConditionFalse, reason, message)
}

// Unknown writes a condition with the status Unknown.
func (s *Setter) Unknown(conditionType, reason, message string) {
	s.Set(conditionType, metav1.ConditionUnknown, reason, message)
}

// Find returns the condition of a type, or nil.
func Find(list []metav1.Condition, conditionType string) *metav1.Condition {
	return apimeta.FindStatusCondition(list, conditionType)
}

// IsTrue says whether the condition of a type is there and True.
func IsTrue(list []metav1.Condition, conditionType string) bool {
	return apimeta.IsStatusConditionTrue(list, conditionType)
}

// IsFalse says whether the condition of a type is there and False.
func IsFalse(list []metav1.Condition, conditionType string) bool {
	return apimeta.IsStatusConditionFalse(list, conditionType)
}

// Reason is the reason of the condition of a type, or empty.
func Reason(list []metav1.Condition, conditionType string) string {
	return ptr.Deref(Find(list, conditionType), metav1.Condition{}).Reason
}

// Ended says whether a run has its verdict.
func Ended(run *benchv1alpha1.BenchmarkRun) bool {
	verdict := Find(run.Status.Conditions, benchv1alpha1.RunSucceeded)
	return verdict != nil && verdict.Status != metav1.ConditionUnknown
}

// Holds says whether a run has a place of its group, and uses its target, as its status tells: from its admission until
// nothing of it is left. Operators that knew no queue wrote no such condition; what they accepted had begun.
func Holds(run *benchv1alpha1.BenchmarkRun) bool {
	list := run.Status.Conditions
	switch {
	case Ended(run) && IsFalse(list, benchv1alpha1.RunProgressing):
		return false
	case Find(list, benchv1alpha1.RunAdmitted) != nil:
		return IsTrue(list, benchv1alpha1.RunAdmitted)
	default:
		return IsTrue(list, benchv1alpha1.RunAccepted)
	}
}

// OfJob is a condition of a Job, which may be nil, that is true; else nil.
func OfJob(job *batchv1.Job, conditionType batchv1.JobConditionType) *batchv1.JobCondition {
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

// Event is one change of a condition, as it is told to people.
type Event struct {
	// Type is corev1.EventTypeNormal or corev1.EventTypeWarning.
	Type string
	// Action is the type of the condition that changed.
	Action  string
	Reason  string
	Message string
}

// alarming are the conditions whose status, when it is this one, is bad news.
var alarming = map[string]metav1.ConditionStatus{
	"Accepted":  metav1.ConditionFalse,
	"Regressed": metav1.ConditionTrue,
	"Stalled":   metav1.ConditionTrue,
	"Succeeded": metav1.ConditionFalse,
	"Trusted":   metav1.ConditionFalse,
}

// Events are the changes from one list of conditions to another: one for each condition whose status or reason is a
// different one. Two conditions that changed for the same reason with the same words make one event. A condition
// without words, or one that is new and says that nothing is known or has ended yet, is no news.
func Events(before, after []metav1.Condition) []Event {
	var events []Event
	type words struct{ reason, message string }
	told := map[words]int{}
	for _, c := range after {
		was := Find(before, c.Type)
		begins := was == nil && (c.Status == metav1.ConditionUnknown || c.Reason == benchv1alpha1.ReasonNotEnded)
		isNews := c.Message != "" && !begins
		if !isNews || was != nil && was.Status == c.Status && was.Reason == c.Reason {
			continue
		}
		event := Event{Type: corev1.EventTypeNormal, Action: c.Type, Reason: c.Reason, Message: c.Message}
		if alarming[c.Type] == c.Status {
			event.Type = corev1.EventTypeWarning
		}
		said := words{c.Reason, c.Message}
		at, again := told[said]
		switch {
		case !again:
			told[said] = len(events)
			events = append(events, event)
		case event.Type == corev1.EventTypeWarning:
			events[at] = event
		}
	}
	return events
}
