package decide

import (
	"math"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// stage is one link of the chain that a run goes through.
type stage struct {
	name string
	// lasts says whether the run is still in it, or before its end.
	lasts func(*view) bool
	// always is true for a stage that every run passes, however quickly.
	always bool
}

// stages in their order. A run is in the first that lasts; the last one has no end but a verdict.
var stages = []stage{
	{benchv1alpha1.StageQueued, (*view).queued, false},            // it is not the run's turn
	{benchv1alpha1.StageProvisioning, (*view).provisioning, true}, // a load pod has not said where it is
	{benchv1alpha1.StageLoading, (*view).loading, true},           // the least advanced pod is not past Verify
	{benchv1alpha1.StageWarmingUp, (*view).warmingUp, false},      // a pod runs what is not counted
	{benchv1alpha1.StageMeasuring, (*view).measuring, true},       // a pod has a step to go
	{benchv1alpha1.StageCollecting, (*view).collecting, true},     // the reports are awaited, merged and stored
}

// Positions are comparable: step k is waited for at 2k and runs at 2k+1.
const (
	nowhere = -1
	done    = math.MaxInt
)

func position(progress *reportv1alpha1.Progress) int {
	switch {
	case progress == nil:
		return nowhere
	case progress.State == reportv1alpha1.ProgressDone:
		return done
	case progress.State == reportv1alpha1.ProgressWaiting:
		return 2 * progress.Step
	default:
		return 2*progress.Step + 1
	}
}

func (v *view) leastAdvanced() int {
	least := done
	for _, progress := range v.progress {
		least = min(least, position(progress))
	}
	return least
}

// step is the plan's step of the least advanced pod; only while there is one.
func (v *view) step() planv1alpha1.Step {
	return v.plan.Steps[v.least/2]
}

func (v *view) currentStage() string {
	for _, s := range stages {
		if s.lasts(v) {
			return s.name
		}
	}
	return benchv1alpha1.StageCollecting
}

func (v *view) provisioning() bool { return v.least == nowhere && !v.jobCompleted() }

func (v *view) loading() bool {
	return !v.jobCompleted() && v.least != done && v.step().Kind != planv1alpha1.StepMeasure && !v.step().Growing()
}

func (v *view) warmingUp() bool {
	if v.jobCompleted() || v.least == done || v.step().WarmupSeconds == 0 {
		return false
	}
	step := v.least / 2
	return slices.ContainsFunc(v.progress, func(p *reportv1alpha1.Progress) bool {
		return p.Step == step && (p.WarmingUp || p.State == reportv1alpha1.ProgressWaiting)
	})
}

func (v *view) measuring() bool { return !v.jobCompleted() && v.least != done }

func (v *view) collecting() bool { return true }

// jobCompleted says whether every load pod has ended well, whatever was read of their progress.
func (v *view) jobCompleted() bool { return jobIs(v.Job, batchv1.JobComplete) }

// loaded says whether the dataset is in place.
func (v *view) loaded() bool {
	switch v.stage {
	case benchv1alpha1.StageQueued, benchv1alpha1.StageProvisioning, benchv1alpha1.StageLoading:
		return false
	}
	return true
}

// stageOf finds a stage that a run is or was in.
func stageOf(list []benchv1alpha1.StageStatus, name string) *benchv1alpha1.StageStatus {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}

// enter adds the stage that a run is in now, ends the others, and fills in those that went by between two looks. A
// stage that comes back, as warm-ups do between steps, goes on: its start is the first and its end the last.
func enter(list []benchv1alpha1.StageStatus, name string, now time.Time) []benchv1alpha1.StageStatus {
	at := metav1.NewMicroTime(now.UTC().Truncate(time.Microsecond))
	entered := make([]benchv1alpha1.StageStatus, 0, len(list)+1)
	for _, s := range list {
		entered = append(entered, *s.DeepCopy())
	}
	current := slices.IndexFunc(stages, func(s stage) bool { return s.name == name })
	for _, s := range stages[:max(current, 0)] {
		if s.always && stageOf(entered, s.name) == nil {
			entered = append(entered, benchv1alpha1.StageStatus{Name: s.name, StartTime: at})
		}
	}
	if name != benchv1alpha1.ReasonFinished && stageOf(entered, name) == nil {
		entered = append(entered, benchv1alpha1.StageStatus{Name: name, StartTime: at})
	}
	for i := range entered {
		switch {
		case entered[i].Name == name:
			entered[i].CompletionTime = nil
		case entered[i].CompletionTime == nil:
			entered[i].CompletionTime = &at
		}
	}
	return entered
}

// onlyQueued keeps, of the stages of a run that begins anew, the one that comes before the beginning.
func onlyQueued(list []benchv1alpha1.StageStatus) []benchv1alpha1.StageStatus {
	return slices.DeleteFunc(list, func(s benchv1alpha1.StageStatus) bool { return s.Name != benchv1alpha1.StageQueued })
}
