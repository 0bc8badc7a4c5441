package decide

import (
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// revision is an observation, and what it says of the revision that is planned.
type revision struct {
	*Observation
	slots []slot
	// planned has the names of the slots.
	planned map[string]bool
	// stopped is the reason that no further run is made of the revision for; empty: none.
	stopped string
	// settled is a revision that was complete and is to stay so.
	settled bool
}

// slot is a run that there is to be, and what there is of it.
type slot struct {
	suite.Slot
	// run is nil when it does not exist.
	run *benchv1alpha1.BenchmarkRun
	// sample is that of the stored result, of a run that is gone.
	sample *comparison.Sample
}

func look(o *Observation) *revision {
	r := &revision{Observation: o, planned: make(map[string]bool, len(o.Plan.Slots))}
	stored := r.storedSamples()
	r.slots = make([]slot, 0, len(o.Plan.Slots))
	for _, planned := range o.Plan.Slots {
		r.planned[planned.Name] = true
		s := slot{Slot: planned, run: o.Runs[planned.Name]}
		if s.run == nil {
			s.sample = stored[planned.Name]
		}
		r.slots = append(r.slots, s)
	}
	if o.searches() {
		r.slots = r.searched(r.slots)
	}
	r.settled = r.wasComplete()
	r.stopped = r.stopReason()
	return r
}

// storedSamples are those that an earlier completion of the present revision left, by the names of their runs.
func (o *Observation) storedSamples() map[string]*comparison.Sample {
	result := o.result(o.resultName())
	if result == nil {
		return nil
	}
	samples := map[string]*comparison.Sample{}
	for _, side := range result.Sides {
		for i := range side.Samples {
			samples[side.Samples[i].Run] = &side.Samples[i]
		}
	}
	return samples
}

// present says whether the status speaks of the plan's revision.
func (o *Observation) present() bool { return o.Suite.Status.Revision == o.Plan.Revision }

func hasSucceeded(run *benchv1alpha1.BenchmarkRun) bool {
	return condition.IsTrue(run.Status.Conditions, benchv1alpha1.RunSucceeded) && run.Status.Result != nil
}

// occupies says whether a run may disturb another: what it started is removed only some time after its verdict.
func occupies(run *benchv1alpha1.BenchmarkRun) bool {
	return !condition.Ended(run) || condition.IsTrue(run.Status.Conditions, benchv1alpha1.RunProgressing) ||
		run.DeletionTimestamp != nil
}

// void says whether a run ended only because the suite did not need it then, or is to be repeated: it says nothing of
// the variant.
func void(run *benchv1alpha1.BenchmarkRun) bool {
	return (run.Annotations[CancelledAnnotation] != "" || repeated(run)) && !hasSucceeded(run)
}

// repeated says whether a user wants a run to be made again.
func repeated(run *benchv1alpha1.BenchmarkRun) bool {
	return run.Annotations[benchv1alpha1.RepeatAnnotation] == "true"
}

// ended says whether there is nothing to wait for: the run has its verdict, or its sample is kept. A run that was
// cancelled by the suite itself, which goes on, is to be made again.
func (r *revision) ended(s slot) bool {
	if s.run == nil {
		return s.sample != nil
	}
	return condition.Ended(s.run) && (!r.redone(s.run) || r.stopped != "")
}

// redone says whether a run is to be removed and made again.
func (o *Observation) redone(run *benchv1alpha1.BenchmarkRun) bool {
	return void(run) && !o.tracked(run)
}

func (r *revision) failed(s slot) bool {
	return s.run != nil && r.ended(s) && !hasSucceeded(s.run)
}

// stopReason says why the revision was ended before all of its runs were made.
func (r *revision) stopReason() string {
	open, failed := false, false
	for _, s := range r.slots {
		switch {
		case s.run == nil:
			open = open || s.sample == nil
		case !condition.Ended(s.run) || void(s.run):
			open = true
		case !hasSucceeded(s.run):
			failed = true
		}
	}
	switch {
	case !open:
		return ""
	case failed && ptr.Deref(r.Suite.Spec.StopOnFailure, false):
		return benchv1alpha1.ReasonStoppedOnFailure
	case r.late():
		return benchv1alpha1.ReasonTimedOut
	default:
		return ""
	}
}

// late says whether the time of the revision is over.
func (r *revision) late() bool {
	due := r.deadline(r.started())
	return !due.IsZero() && !r.Now.Before(due)
}

// started is when the first run of the revision was made; nil before. A revision that was complete and got further runs
// starts again.
func (r *revision) started() *metav1.Time {
	if !r.present() || r.Suite.Status.CompletionTime != nil && !r.settled {
		return nil
	}
	return r.Suite.Status.StartTime
}

// deadline is when the runs of the revision must have ended; zero when there is none.
func (r *revision) deadline(started *metav1.Time) time.Time {
	if r.Suite.Spec.TimeoutSeconds == nil || started == nil {
		return time.Time{}
	}
	return started.Add(time.Duration(*r.Suite.Spec.TimeoutSeconds) * time.Second)
}

// wasComplete says whether the very runs that are planned were complete, and what ended them holds still.
func (r *revision) wasComplete() bool {
	status := &r.Suite.Status
	counts, completed := status.Runs, status.CompletionTime
	if !r.present() || completed == nil || counts == nil || int(*counts.Planned) != len(r.slots) || r.repeats() {
		return false
	}
	due := r.deadline(status.StartTime)
	switch {
	case *counts.Succeeded+*counts.Failed >= *counts.Planned:
		return true
	case ptr.Deref(r.Suite.Spec.StopOnFailure, false) && *counts.Failed > 0:
		return true
	default:
		return !due.IsZero() && !completed.Time.Before(due)
	}
}

// repeats says whether a run of the revision is to be repeated.
func (r *revision) repeats() bool {
	return slices.ContainsFunc(r.slots, func(s slot) bool {
		return s.run != nil && condition.Ended(s.run) && repeated(s.run) && r.redone(s.run)
	})
}

// allEnded says whether no run of the revision is awaited.
func (r *revision) allEnded() bool {
	for _, s := range r.slots {
		active := s.run != nil && !condition.Ended(s.run)
		if active || r.stopped == "" && !r.ended(s) {
			return false
		}
	}
	return true
}

// completing says whether the revision is to be compared now: its last run has ended, or what it is compared by
// changed.
func (r *revision) completing() bool {
	if !r.settled {
		return r.allEnded()
	}
	was := condition.Find(r.Suite.Status.Conditions, regressed)
	return was == nil || was.Reason == benchv1alpha1.ReasonNotCompared || was.ObservedGeneration != r.Suite.Generation ||
		r.awaitsBaseline(r.Suite.Status.Conditions) || r.lapsed()
}

// awaitsBaseline says whether a suite is complete but for another one.
func (o *Observation) awaitsBaseline(conditions []metav1.Condition) bool {
	wanted := o.Suite.Spec.Baseline
	return wanted != nil && wanted.Suite != nil && condition.IsTrue(conditions, complete) &&
		condition.Reason(conditions, regressed) == benchv1alpha1.ReasonNoBaseline
}

// queueLabel is on runs that Kueue admits: spec.suspend of them is Kueue's alone.
const queueLabel = "kueue.x-k8s.io/queue-name"

// due are the runs that are to be made now: the first slots without one, as many as there is room for. A run has its
// room until what it started is removed.
func (r *revision) due() []*benchv1alpha1.BenchmarkRun {
	if r.settled || r.stopped != "" || r.suspended() {
		return nil
	}
	room := r.room()
	var due []*benchv1alpha1.BenchmarkRun
	for _, s := range r.slots {
		switch {
		case len(due) >= room:
			return due
		case s.run == nil && s.sample == nil:
			due = append(due, suite.Run(r.Suite, r.Plan, s.Slot))
		case s.run != nil && r.redone(s.run) && !occupies(s.run):
			room-- // It is being removed, and the next one takes its turn.
		}
	}
	return due
}

// room is how many runs may be made besides those that exist.
func (o *Observation) room() int {
	room := int(*spec.NormaliseSuite(o.Suite.Spec).Parallelism)
	for _, run := range o.Runs {
		if occupies(run) {
			room--
		}
	}
	return room
}

func (o *Observation) suspended() bool {
	return ptr.Deref(o.Suite.Spec.Suspend, false)
}

// changes are what the suite has to do to runs that have not ended: those that no slot needs are cancelled, for they
// would disturb the others, and so are all when the revision was stopped; all others share the suite's suspension.
func (r *revision) changes() []Change {
	var changes []Change
	for _, name := range slices.Sorted(maps.Keys(r.Runs)) {
		run := r.Runs[name]
		if condition.Ended(run) || run.DeletionTimestamp != nil {
			continue
		}
		if change, differs := r.change(run); differs {
			changes = append(changes, change)
		}
	}
	return changes
}

// change is what the suite is to hold in a run that has not ended, and whether that is something else than it holds.
func (r *revision) change(run *benchv1alpha1.BenchmarkRun) (Change, bool) {
	cancelled := run.Annotations[CancelledAnnotation] != ""
	unwanted := !r.planned[run.Name] || r.stopped != ""
	change := Change{
		Run:     run,
		Cancel:  cancelled || unwanted && !ptr.Deref(run.Spec.Cancel, false),
		Suspend: r.suspends(run),
	}
	held := run.Annotations[SuspendedAnnotation] != ""
	if change.Suspend && !held && !r.stopsNow() {
		change.Version = run.ResourceVersion
	}
	return change, change.Cancel != cancelled || change.Suspend != held || held && !ptr.Deref(run.Spec.Suspend, false)
}

// suspends says whether the suite holds a run back. One that a user has suspended is left to that user, and one that
// has begun goes on to its end unless the suite is to stop now.
func (o *Observation) suspends(run *benchv1alpha1.BenchmarkRun) bool {
	switch {
	case !o.suspended() || run.Labels[queueLabel] != "":
		return false
	case run.Annotations[SuspendedAnnotation] != "":
		return true
	default:
		return !ptr.Deref(run.Spec.Suspend, false) && (o.stopsNow() || !begun(run))
	}
}

// stopsNow says whether a suspension stops runs that have begun.
func (o *Observation) stopsNow() bool {
	return *spec.NormaliseSuite(o.Suite.Spec).SuspendPolicy == benchv1alpha1.SuspendNow
}

// begun says whether it is the run's turn, so that something of it may be there.
func begun(run *benchv1alpha1.BenchmarkRun) bool {
	return condition.IsTrue(run.Status.Conditions, benchv1alpha1.RunAdmitted)
}
