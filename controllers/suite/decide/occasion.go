package decide

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// occasions say when a revision is measured again.
type occasions struct{ *revision }

// begin starts the content again. Only the status says so at first: what the next look makes is named by it, so that
// nothing is made twice if that look is another operator's.
func (r occasions) begin(occasion benchv1alpha1.SuiteOccasion) Decision {
	again := *r.Observation
	again.Plan = r.Plan.Again(r.Suite, occasion)
	decision := Decision{Status: look(&again).status(false), Wait: time.Millisecond}
	if occasion.RunNow != nil {
		decision.Status.RunNow = *occasion.RunNow
	}
	decision.Status.Schedule = r.scheduled(occasion.ScheduleTime)
	return decision
}

// occasion is the one on which the content is measured again now; nil: there is none.
func (r occasions) occasion() *benchv1alpha1.SuiteOccasion {
	if asked := r.asked(); asked != "" && (r.settled || !r.begun()) {
		return &benchv1alpha1.SuiteOccasion{RunNow: &asked}
	}
	at := r.moment()
	if at == nil || at.due.IsZero() || r.hindrance(at) != "" || !r.settled {
		return nil
	}
	return &benchv1alpha1.SuiteOccasion{ScheduleTime: new(metav1.NewTime(at.due))}
}

// asked is the value with which a user asks for another measurement; empty: he asks for none that was not acted on. A
// suite that is new does not count: nothing was measured that could be repeated.
func (r occasions) asked() string {
	asked := suite.RunNow(r.Suite)
	if asked == r.Suite.Status.RunNow || r.Suite.Status.Revision == "" {
		return ""
	}
	return asked
}

// begun says whether the runs of the present revision have been begun with.
func (r occasions) begun() bool { return r.present() && r.Suite.Status.StartTime != nil }

// askedFor says that the suite starts again when it is complete; empty when it does not.
func (r occasions) askedFor() string {
	if r.asked() == "" {
		return ""
	}
	return "; then it starts again, which " + benchv1alpha1.RunNowAnnotation + " asks for"
}

// note writes what a status tells of occasions, and looks again at the next one.
func (r occasions) note(d *Decision) {
	if r.Suite.Status.Revision == "" {
		d.Status.RunNow = suite.RunNow(r.Suite)
		if d.Unstored != nil {
			d.Unstored.RunNow = d.Status.RunNow
		}
	}
	at := r.moment()
	switch {
	case at == nil:
		d.Status.Schedule = nil
	case !at.due.IsZero() && !r.settled && r.completing():
		// The runs have ended, so that they are in nobody's way when this is written.
		if condition.IsTrue(d.Status.Conditions, complete) {
			d.Wait = sooner(d.Wait, time.Millisecond)
		}
	default:
		d.Status.Schedule = r.scheduled(nil)
		d.Wait = sooner(d.Wait, at.next.Sub(r.Now))
	}
	if r.asked() != "" && condition.IsTrue(d.Status.Conditions, complete) {
		d.Wait = sooner(d.Wait, time.Millisecond)
	}
}

// moment is where an observation is in the schedule.
type moment struct {
	// next is the first time of the schedule that is still to come.
	next time.Time
	// due is the last one that has come since the schedule was looked at; the zero time: none has.
	due time.Time
	// passed is how many have come since, due included.
	passed int64
}

// moment is nil without a schedule. What the status says is next is no time of a schedule that was changed meanwhile.
func (r occasions) moment() *moment {
	declared := r.Suite.Spec.Schedule
	if declared == nil {
		return nil
	}
	table, err := suite.Timetable(*declared)
	if err != nil {
		return nil // It was accepted, so that there is none.
	}
	now := &moment{next: table.After(r.Now)}
	told := r.scheduleStatus().NextScheduleTime
	if told != nil && !told.After(r.Now) && table.Has(told.UTC()) {
		now.due, now.passed = table.Latest(told.Time, r.Now)
	}
	return now
}

func (r occasions) scheduleStatus() benchv1alpha1.SuiteScheduleStatus {
	return ptr.Deref(r.Suite.Status.Schedule, benchv1alpha1.SuiteScheduleStatus{})
}

// hindrance is why nothing starts at the time that is due; empty when it does.
func (r occasions) hindrance(at *moment) string {
	deadline := r.Suite.Spec.Schedule.StartingDeadlineSeconds
	switch {
	case r.suspended():
		return "spec.suspend is true"
	case !r.settled:
		return "its runs had not ended"
	case deadline != nil && r.Now.Sub(at.due) > time.Duration(*deadline)*time.Second:
		return "the operator came later than spec.schedule.startingDeadlineSeconds"
	default:
		return ""
	}
}

// scheduled is what a status tells of the schedule, given the time of it at which the content is measured again; nil:
// none, and all that came were skipped.
func (r occasions) scheduled(started *metav1.Time) *benchv1alpha1.SuiteScheduleStatus {
	at := r.moment()
	if at == nil {
		return nil
	}
	status := r.scheduleStatus()
	status.NextScheduleTime = new(metav1.NewTime(at.next))
	skipped, last, why := at.passed, at.due, r.hindrance(at)
	switch {
	case started != nil:
		status.LastScheduleTime = started
		skipped, why = skipped-1, "the operator was away"
	case why == "":
		why = "the suite started otherwise"
	}
	if skipped < 1 {
		return &status
	}
	status.Skipped = new(ptr.Deref(status.Skipped, 0) + skipped)
	status.Message = last.Format(time.RFC3339) + " was skipped: " + why
	if started != nil {
		status.Message = fmt.Sprintf("%s before %s skipped: %s", present.Plural(skipped, "time"),
			last.Format(time.RFC3339), why)
	}
	return &status
}

// sooner is the sooner of two times until something is looked at again, of which 0 is never.
func sooner(one, other time.Duration) time.Duration {
	if one == 0 || other == 0 {
		return one + other
	}
	return min(one, other)
}
