package podfault

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

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
	for _, words := range quotaWords {
		if strings.Contains(message, words) {
			return benchv1alpha1.ReasonQuotaExceeded
		}
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
