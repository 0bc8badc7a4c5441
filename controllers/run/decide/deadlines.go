package decide

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/load"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// deadlines of a run, with what its plan adds up to.
type deadlines struct {
	benchv1alpha1.Deadlines
	plan planv1alpha1.Plan
}

func (s *state) deadlines() deadlines {
	return deadlines{Deadlines: spec.Deadlines(s.Run.Spec.Deadlines), plan: s.load.Plan}
}

func (d deadlines) scheduling() time.Duration { return seconds(*d.SchedulingSeconds) }

func (d deadlines) queueing() time.Duration { return seconds(*d.QueueingSeconds) }

func (d deadlines) loading() time.Duration { return seconds(*d.LoadingSeconds) }

// measuring is what the run says, or else what its steps add up to.
func (d deadlines) measuring() time.Duration {
	if wanted := d.MeasuringSeconds; wanted != nil {
		return seconds(*wanted)
	}
	sum := seconds(benchv1alpha1.MeasuringSlackSeconds)
	for _, step := range d.plan.Steps {
		most := time.Duration(operation.MostSeconds(step)) * time.Second
		if d.plan.Duet != nil { // Both sides, in turns, with what lies between the windows.
			most *= duetFactor
		}
		sum += most
		if step.OperationCount > 0 || step.Replay != nil && step.DurationSeconds == 0 {
			sum += seconds(benchv1alpha1.OperationCountSeconds)
		}
		if step.Growing() && step.Kind != planv1alpha1.StepMeasure {
			// What makes the collection grow, and what counts it, may each take as long as the first load.
			sum += d.loading()
		}
	}
	return sum
}

// duetFactor is how many times as long as its plan says a step of a duet may take: two sides, each of which may have to
// come to rest for as long as the other is measured.
const duetFactor = 4

func (d deadlines) storing() time.Duration { return seconds(*d.StoringSeconds) }

// The deadlines of the stages, and what their times are called. They are zero in a pass that enters the stage.

func neverDue(*state) (time.Time, string) { return time.Time{}, "" }

func provisioningDue(s *state) (time.Time, string) {
	const scheduling = "spec.deadlines.schedulingSeconds"
	job, _ := s.starting()
	switch {
	case job != nil:
		started := load.Started(job)
		if started.IsZero() {
			return load.HeldSince(job).Add(s.deadlines().queueing()), "spec.deadlines.queueingSeconds"
		}
		return started.Add(s.deadlines().scheduling()), scheduling
	case s.Target == nil, s.Run.Spec.Duet != nil && s.Baseline == nil:
		return s.after(benchv1alpha1.StageProvisioning, s.deadlines().scheduling()), scheduling
	}
	var due time.Time
	for _, one := range s.sides() {
		if last := sideDue(s, one); last.After(due) {
			due = last
		}
	}
	return due, "the target's provisioningSeconds"
}

// sideDue is when an existing target must be ready: it is waited for as long as it may take by itself, and some more.
func sideDue(s *state, one side) time.Time {
	normal := s.normal().Target
	if one.target != s.Target {
		normal = new(spec.NormaliseTarget(one.target.Spec))
	}
	patience := seconds(*normal.ProvisioningSeconds()) + targetSlack
	due := s.after(benchv1alpha1.StageProvisioning, patience)
	for _, began := range []*metav1.Time{&one.target.CreationTimestamp, one.target.Status.ProvisioningStartTime} {
		if began != nil && !due.IsZero() && began.Add(patience).After(due) {
			due = began.Add(patience)
		}
	}
	return due
}

func loadingDue(s *state) (time.Time, string) {
	return s.after(benchv1alpha1.StageLoading, s.deadlines().loading()), "spec.deadlines.loadingSeconds"
}

// measuringDue is the same for warm-ups and what is measured, which take turns.
func measuringDue(s *state) (time.Time, string) {
	loading := stageOf(s.Run.Status.Stages, benchv1alpha1.StageLoading)
	if loading == nil || loading.CompletionTime == nil {
		return time.Time{}, ""
	}
	return loading.CompletionTime.Add(s.deadlines().measuring()), "spec.deadlines.measuringSeconds"
}

func collectingDue(s *state) (time.Time, string) {
	return s.after(benchv1alpha1.StageCollecting, s.deadlines().storing()), "spec.deadlines.storingSeconds"
}
