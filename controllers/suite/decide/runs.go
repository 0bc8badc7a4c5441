package decide

import (
	"maps"
	"slices"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// queueLabel is on runs that Kueue admits: spec.suspend of them is Kueue's alone.
const queueLabel = "kueue.x-k8s.io/queue-name"

// run is the object of a slot.
func (v *view) run(s slot) *benchv1alpha1.BenchmarkRun {
	return suite.Run(v.Suite, v.Plan, s.Slot)
}

// due are the runs that are to be made now: the first slots without one, as many as there is room for. A run has its
// room until what it started is removed.
func (v *view) due() []*benchv1alpha1.BenchmarkRun {
	if v.settled || v.stopped != "" || v.suspended() {
		return nil
	}
	room := v.room()
	var due []*benchv1alpha1.BenchmarkRun
	for _, s := range v.slots {
		switch {
		case len(due) >= room:
			return due
		case s.run == nil && s.sample == nil:
			due = append(due, v.run(s))
		case s.run != nil && v.redone(s.run) && !occupies(s.run):
			room-- // It is being removed, and the next one takes its turn.
		}
	}
	return due
}

// room is how many runs may be made besides those that exist.
func (v *view) room() int {
	room := 1
	if v.Suite.Spec.Parallelism != nil {
		room = int(*v.Suite.Spec.Parallelism)
	}
	for _, run := range v.Runs {
		if occupies(run) {
			room--
		}
	}
	return room
}

func (v *view) suspended() bool {
	return v.Suite.Spec.Suspend != nil && *v.Suite.Spec.Suspend
}

// changes are what the suite has to do to runs that have not ended: those that no slot needs are cancelled, for they
// would disturb the others, and so are all when the revision was stopped; all others share the suite's suspension.
func (v *view) changes() []Change {
	var changes []Change
	for _, name := range slices.Sorted(maps.Keys(v.Runs)) {
		run := v.Runs[name]
		if hasEnded(run) || run.DeletionTimestamp != nil {
			continue
		}
		cancelled := run.Annotations[CancelledAnnotation] != ""
		unwanted := !v.planned[name] || v.stopped != ""
		change := Change{
			Run:     run,
			Cancel:  cancelled || unwanted && !isTrue(run.Spec.Cancel),
			Suspend: v.suspends(run),
		}
		held := run.Annotations[SuspendedAnnotation] != ""
		if change.Cancel != cancelled || change.Suspend != held || held && !isTrue(run.Spec.Suspend) {
			changes = append(changes, change)
		}
	}
	return changes
}

// suspends says whether the suite holds a run back. One that somebody else has suspended is left to them.
func (v *view) suspends(run *benchv1alpha1.BenchmarkRun) bool {
	if !v.suspended() || run.Labels[queueLabel] != "" {
		return false
	}
	return run.Annotations[SuspendedAnnotation] != "" || !isTrue(run.Spec.Suspend)
}

func isTrue(value *bool) bool { return value != nil && *value }
