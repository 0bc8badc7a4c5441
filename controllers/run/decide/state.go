package decide

import (
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/act"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/collect"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/load"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/progress"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// stage is one link of the chain that a run goes through.
type stage struct {
	name string
	// lasts says whether the run is still in it, or before its end.
	lasts func(*state) bool
	// always is true for a stage that every run passes, however quickly.
	always bool
	// loaded is true when the dataset is in place.
	loaded bool
	// doing is what the run does in it, in words that stay the same while it does it.
	doing func(*state) string
	// due is when it must have ended, and what that time is called; the time is zero when there is none yet.
	due func(*state) (time.Time, string)
}

// atStep says whether load pods are at a step of the plan in this stage.
func (s stage) atStep() bool { return slices.Contains(benchv1alpha1.StepStages, s.name) }

// state is an observation with what follows from it.
type state struct {
	Observation
	load  *progress.Load
	stage stage
}

// actions are what load pod 0 asks the operator to do.
func (s *state) actions() *act.Actions {
	return &act.Actions{
		Run: s.Run, Now: s.Now, Load: s.load, Running: s.stage.atStep(),
		Gate: s.ConfigMaps[naming.GateConfigMap(s.Run.Name)], Members: s.Members,
	}
}

// scene is what the pods of the run are on.
func (s *state) scene() collect.Scene {
	return collect.Scene{Target: s.Target, Members: s.Members, Pods: s.Pods}
}

// began says whether load pods have done anything: from then on they are never started again.
func (s *state) began() bool {
	return s.load.Begun() || stageOf(s.Run.Status.Stages, benchv1alpha1.StageLoading) != nil
}

// targetReady says whether load pods may be sent to the target.
func (s *state) targetReady() bool {
	return s.Target != nil && s.Target.DeletionTimestamp == nil && s.Target.Status.Connection != nil &&
		condition.IsTrue(s.Target.Status.Conditions, benchv1alpha1.TargetReady)
}

// completed says whether every load pod has ended well, whatever was read of their progress.
func (s *state) completed() bool { return load.Is(s.Job, batchv1.JobComplete) }

// stageOf finds a stage that a run is or was in.
func stageOf(list []benchv1alpha1.StageStatus, name string) *benchv1alpha1.StageStatus {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}
