package decide

import (
	"fmt"
	"time"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
)

const (
	// podCreation is the time that the Job controller is given before its silence is looked into.
	podCreation = 2 * time.Second
	// causeGrace is how long a failure may wait for a better cause: a killed mongod is seen by the load pods at once,
	// and by the kubelet, which can say why, some seconds later.
	causeGrace = 5 * time.Second
	// gateLead is how far ahead a start instant is published: five times the pods' polling.
	gateLead = time.Second
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

func seconds(wanted *int32, otherwise int32) time.Duration {
	if wanted != nil {
		otherwise = *wanted
	}
	return time.Duration(otherwise) * time.Second
}

func (v *view) deadlines() benchv1alpha1.Deadlines {
	if v.Run.Spec.Deadlines == nil {
		return benchv1alpha1.Deadlines{}
	}
	return *v.Run.Spec.Deadlines
}

func (v *view) schedulingTime() time.Duration {
	return seconds(v.deadlines().SchedulingSeconds, benchv1alpha1.DefaultSchedulingSeconds)
}

func (v *view) loadingTime() time.Duration {
	return seconds(v.deadlines().LoadingSeconds, benchv1alpha1.DefaultLoadingSeconds)
}

// measuringTime is what the run says, or else what its steps add up to.
func (v *view) measuringTime() time.Duration {
	sum := time.Duration(benchv1alpha1.MeasuringSlackSeconds) * time.Second
	for _, step := range v.plan.Steps {
		sum += time.Duration(operation.MostSeconds(step)) * time.Second
		if step.OperationCount > 0 {
			sum += time.Duration(benchv1alpha1.OperationCountSeconds) * time.Second
		}
		if step.Growing() && step.Kind != planv1alpha1.StepMeasure {
			// What makes the collection grow, and what counts it, may each take as long as the first load.
			sum += v.loadingTime()
		}
	}
	if wanted := v.deadlines().MeasuringSeconds; wanted != nil {
		return time.Duration(*wanted) * time.Second
	}
	return sum
}

// provisioningTime is how long an existing target is waited for: as long as it may take by itself, and some more.
func (v *view) provisioningTime() time.Duration {
	return seconds(v.Target.Spec.ProvisioningSeconds, benchv1alpha1.DefaultProvisioningSeconds) + targetSlack
}

// due is when the stage that the run is in must have ended, and what that time is called. It is zero in a pass that
// enters the stage.
func (v *view) due() (time.Time, string) {
	switch v.stage {
	case benchv1alpha1.StageQueued:
		return time.Time{}, ""
	case benchv1alpha1.StageProvisioning:
		return v.provisioningDue()
	case benchv1alpha1.StageLoading:
		return v.after(benchv1alpha1.StageLoading, v.loadingTime()), "spec.deadlines.loadingSeconds"
	case benchv1alpha1.StageWarmingUp, benchv1alpha1.StageMeasuring:
		loading := stageOf(v.Run.Status.Stages, benchv1alpha1.StageLoading)
		if loading == nil || loading.CompletionTime == nil {
			return time.Time{}, ""
		}
		return loading.CompletionTime.Add(v.measuringTime()), "spec.deadlines.measuringSeconds"
	default:
		return v.after(benchv1alpha1.StageCollecting, collectingTime), fmt.Sprintf("the %s for collecting", collectingTime)
	}
}

func (v *view) provisioningDue() (time.Time, string) {
	switch {
	case v.Job != nil:
		started := jobStarted(v.Job)
		if started.IsZero() {
			return started, ""
		}
		return started.Add(v.schedulingTime()), "spec.deadlines.schedulingSeconds"
	case v.Target == nil:
		return v.after(benchv1alpha1.StageProvisioning, v.schedulingTime()), "spec.deadlines.schedulingSeconds"
	}
	began := v.after(benchv1alpha1.StageProvisioning, v.provisioningTime())
	if made := v.Target.CreationTimestamp.Add(v.provisioningTime()); !began.IsZero() && made.After(began) {
		began = made
	}
	return began, "the target's provisioningSeconds"
}

// after is a time after the start of a stage; zero when the stage has not been entered.
func (v *view) after(name string, wait time.Duration) time.Time {
	if entered := stageOf(v.Run.Status.Stages, name); entered != nil {
		return entered.StartTime.Add(wait)
	}
	return time.Time{}
}

// stepRuns says whether the load pods are at a step of the plan.
func (v *view) stepRuns() bool {
	switch v.stage {
	case benchv1alpha1.StageLoading, benchv1alpha1.StageWarmingUp, benchv1alpha1.StageMeasuring:
		return true
	}
	return false
}

// wait is the time until the run must be looked at again, when nothing else wakes the controller.
func (v *view) wait() time.Duration {
	next := time.Hour
	if due, _ := v.due(); !due.IsZero() {
		next = due.Sub(v.Now)
	}
	if ends := v.partitionEnds(); ends > 0 {
		next = min(next, ends)
	}
	switch {
	case v.stepRuns():
		next = min(next, progressPeriod)
	case v.stage == benchv1alpha1.StageCollecting, PodsMissing(&v.Observation):
		next = min(next, pollPeriod)
	case v.Job != nil && len(v.Pods) < wantedPods(v.Job) && !jobSuspended(v.Job):
		next = min(next, podCreation)
	}
	return max(next, time.Millisecond)
}
