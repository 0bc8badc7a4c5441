package decide

import (
	"fmt"
	"time"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/load"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

const (
	// progressPeriod is how often the progress of a running step is copied into the status.
	progressPeriod = 2 * time.Second
	// pollPeriod is how often something is looked at again that no watch tells of.
	pollPeriod = time.Second
	// targetSlack is by how much a target may overstay its own deadline before the run stops waiting for it.
	targetSlack = 60 * time.Second
	// collectingTime is the time for reading, merging and storing the reports.
	collectingTime = 60 * time.Second
	// cleaningTime is the time for the objects of a run to go away.
	cleaningTime = 120 * time.Second
	// jobSlack is added to all deadlines for the load Job's own.
	jobSlack = 300 * time.Second
)

func seconds(count int32) time.Duration { return time.Duration(count) * time.Second }

// deadlines of a run, with what its plan adds up to.
type deadlines struct {
	benchv1alpha1.Deadlines
	plan planv1alpha1.Plan
}

func (s *state) deadlines() deadlines {
	return deadlines{Deadlines: spec.Deadlines(s.Run.Spec.Deadlines), plan: s.load.Plan}
}

func (d deadlines) scheduling() time.Duration { return seconds(*d.SchedulingSeconds) }

func (d deadlines) loading() time.Duration { return seconds(*d.LoadingSeconds) }

// measuring is what the run says, or else what its steps add up to.
func (d deadlines) measuring() time.Duration {
	if wanted := d.MeasuringSeconds; wanted != nil {
		return seconds(*wanted)
	}
	sum := seconds(benchv1alpha1.MeasuringSlackSeconds)
	for _, step := range d.plan.Steps {
		sum += time.Duration(operation.MostSeconds(step)) * time.Second
		if step.OperationCount > 0 {
			sum += seconds(benchv1alpha1.OperationCountSeconds)
		}
		if step.Growing() && step.Kind != planv1alpha1.StepMeasure {
			// What makes the collection grow, and what counts it, may each take as long as the first load.
			sum += d.loading()
		}
	}
	return sum
}

// job is more than all stages of the load pods may take together.
func (d deadlines) job() time.Duration {
	return d.scheduling() + d.loading() + d.measuring() + jobSlack
}

// The deadlines of the stages, and what their times are called. They are zero in a pass that enters the stage.

func neverDue(*state) (time.Time, string) { return time.Time{}, "" }

func provisioningDue(s *state) (time.Time, string) {
	const scheduling = "spec.deadlines.schedulingSeconds"
	switch {
	case s.Job != nil:
		started := load.Started(s.Job)
		if started.IsZero() {
			return started, ""
		}
		return started.Add(s.deadlines().scheduling()), scheduling
	case s.Target == nil:
		return s.after(benchv1alpha1.StageProvisioning, s.deadlines().scheduling()), scheduling
	}
	// An existing target is waited for as long as it may take by itself, and some more.
	patience := seconds(*spec.NormaliseTarget(s.Target.Spec).ProvisioningSeconds) + targetSlack
	began := s.after(benchv1alpha1.StageProvisioning, patience)
	if made := s.Target.CreationTimestamp.Add(patience); !began.IsZero() && made.After(began) {
		began = made
	}
	return began, "the target's provisioningSeconds"
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
	return s.after(benchv1alpha1.StageCollecting, collectingTime), fmt.Sprintf("the %s for collecting", collectingTime)
}

// after is a time after the start of a stage; zero when the stage has not been entered.
func (s *state) after(name string, wait time.Duration) time.Time {
	if entered := stageOf(s.Run.Status.Stages, name); entered != nil {
		return entered.StartTime.Add(wait)
	}
	return time.Time{}
}

// wait is the time until the run must be looked at again, when nothing else wakes the controller.
func (s *state) wait() time.Duration {
	next := time.Hour
	if due, _ := s.stage.due(s); !due.IsZero() {
		next = due.Sub(s.Now)
	}
	if ends := s.actions().NextEnd(); ends > 0 {
		next = min(next, ends)
	}
	switch {
	case s.stage.atStep():
		next = min(next, progressPeriod)
	case s.stage.name == benchv1alpha1.StageCollecting, PodsMissing(&s.Observation):
		next = min(next, pollPeriod)
	case s.Job != nil && len(s.Pods) < load.Wanted(s.Job) && !load.Suspended(s.Job):
		next = min(next, podCreation)
	}
	return max(next, time.Millisecond)
}
