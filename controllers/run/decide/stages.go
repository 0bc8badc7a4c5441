package decide

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/admit"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/progress"
)

// stages in their order. A run is in the first that lasts; the last one has no end but a verdict.
var stages = []stage{
	{
		name:  benchv1alpha1.StageQueued,
		lasts: func(s *state) bool { return !s.admitted() },
		doing: func(s *state) string { return admit.WaitsFor(s.Turn, s.Run) },
		due:   neverDue,
	},
	{
		name: benchv1alpha1.StageProvisioning, always: true,
		lasts: func(s *state) bool { return s.load.Silent() && !s.completed() },
		doing: (*state).waitsFor,
		due:   provisioningDue,
	},
	{
		name: benchv1alpha1.StageLoading, always: true,
		lasts: func(s *state) bool { return s.load.Loading() && !s.completed() },
		doing: stepSays("runs"),
		due:   loadingDue,
	},
	{
		name: benchv1alpha1.StageWarmingUp, loaded: true,
		lasts: func(s *state) bool { return s.load.WarmingUp() && !s.completed() },
		doing: stepSays("warms up"),
		due:   measuringDue,
	},
	{
		name: benchv1alpha1.StageMeasuring, always: true, loaded: true,
		lasts: func(s *state) bool { return !s.load.Done() && !s.completed() },
		doing: stepSays("is measured"),
		due:   measuringDue,
	},
	{
		name: benchv1alpha1.StageCollecting, always: true, loaded: true,
		lasts: func(*state) bool { return true },
		doing: func(*state) string { return "the reports of the load pods are being merged" },
		due:   collectingDue,
	},
}

// stepSays tells what the least advanced load pods do. A step that measures nothing only runs.
func stepSays(does string) func(*state) string {
	return func(s *state) string {
		step := s.load.Step()
		if step.Kind != planv1alpha1.StepMeasure {
			return fmt.Sprintf("step %q runs", step.Name)
		}
		return fmt.Sprintf("step %q %s", step.Name, does)
	}
}

// look works out what follows from an observation.
func look(o *Observation) (*state, error) {
	load, err := progress.Read(o.Run, o.Target, o.ConfigMaps)
	if err != nil {
		return nil, err
	}
	s := &state{Observation: *o, load: load}
	s.stage = stages[slices.IndexFunc(stages, func(one stage) bool { return one.lasts(s) })]
	return s, nil
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
