package decide

import (
	"maps"
	"slices"

	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// queueLabel is on runs that Kueue admits: spec.suspend of them is Kueue's alone.
const queueLabel = "kueue.x-k8s.io/queue-name"

// newRun is the object of a slot.
func (o *Observation) newRun(s slot) *benchv1alpha1.BenchmarkRun {
	return suite.Run(o.Suite, o.Plan, s.Slot)
}

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
			due = append(due, r.newRun(s))
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
		cancelled := run.Annotations[CancelledAnnotation] != ""
		unwanted := !r.planned[name] || r.stopped != ""
		change := Change{
			Run:     run,
			Cancel:  cancelled || unwanted && !ptr.Deref(run.Spec.Cancel, false),
			Suspend: r.suspends(run),
		}
		held := run.Annotations[SuspendedAnnotation] != ""
		if change.Cancel != cancelled || change.Suspend != held || held && !ptr.Deref(run.Spec.Suspend, false) {
			changes = append(changes, change)
		}
	}
	return changes
}

// suspends says whether the suite holds a run back. One that somebody else has suspended is left to them.
func (o *Observation) suspends(run *benchv1alpha1.BenchmarkRun) bool {
	if !o.suspended() || run.Labels[queueLabel] != "" {
		return false
	}
	return run.Annotations[SuspendedAnnotation] != "" || !ptr.Deref(run.Spec.Suspend, false)
}
