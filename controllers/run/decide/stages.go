package decide

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/act"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/admit"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/collect"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/load"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/progress"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// stages in their order. A run is in the first that lasts; the last one has no end but a verdict.
var stages = []stage{
	{
		name:  benchv1alpha1.StageQueued,
		lasts: func(s *state) bool { return !s.admitted() },
		doing: func(s *state) string { return admit.WaitsFor(s.Turn, s.Run, held(s)) },
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
		doing: func(s *state) string { return s.collecting().says() },
		due:   collectingDue,
	},
}

// stepSays tells what the least advanced load pods do. A step that measures nothing only runs.
func stepSays(does string) func(*state) string {
	return func(s *state) string {
		step := s.load.Step()
		if step.Kind != planv1alpha1.StepMeasure {
			return fmt.Sprintf("step %q runs", step.Name) + s.losses().replacing()
		}
		return fmt.Sprintf("step %q %s", step.Name, does) + s.losses().replacing()
	}
}

// podFault is why load pods do not run or, before there are any, those of the gateway.
func (s *state) podFault() (podfault.Fault, bool) {
	_, pods := s.starting()
	if fault, ok := podfault.Diagnose(pods, s.Now); ok {
		return fault, true
	}
	return podfault.DiagnoseEvents(s.FailedCreates)
}

// waitsFor is what a run in Provisioning waits for.
func (s *state) waitsFor() string {
	switch {
	case s.Job == nil && !s.targetReady():
		return s.waitsForTarget()
	case s.Job == nil && !s.gateway().serves():
		return s.gateway().waitsFor()
	case s.Job == nil:
		return "the Job of the load pods is being made"
	case load.Suspended(s.Job):
		return load.WaitsFor(s.Job)
	}
	if fault, ok := s.podFault(); ok {
		return "the load pods do not run: " + fault.Message
	}
	return "not begun: load " + strings.Join(s.load.Unheard(), ", ")
}

func (s *state) waitsForTarget() string {
	if s.Target == nil && s.inline() {
		return "the target is being created"
	}
	for _, side := range s.sides() {
		if side.target == nil {
			return fmt.Sprintf("no BenchmarkTarget %q exists in this namespace", side.name)
		}
		if side.ready() {
			continue
		}
		said := condition.Find(side.target.Status.Conditions, benchv1alpha1.TargetReady)
		if said == nil || said.Status == metav1.ConditionTrue {
			return fmt.Sprintf("target %q has not been looked at", side.name)
		}
		return fmt.Sprintf("target %q is not ready: %s: %s", side.name, said.Reason, said.Message)
	}
	return "the targets have not been looked at"
}

// look works out what follows from an observation.
func look(o *Observation) (*state, error) {
	s := &state{Observation: *o}
	s.current, s.replaced = load.Current(o.Pods)
	s.normal = sync.OnceValue(func() benchv1alpha1.BenchmarkRunSpec {
		return spec.NormaliseOn(o.Run.Spec, ptr.Deref(o.Target, benchv1alpha1.BenchmarkTarget{}).Spec)
	})
	var err error
	compile := func() planv1alpha1.Plan {
		return spec.CompileDuet(s.normal(), ptr.Deref(o.Baseline, benchv1alpha1.BenchmarkTarget{}).Spec)
	}
	if s.load, err = progress.Read(o.Run, compile, o.ConfigMaps); err != nil {
		return nil, err
	}
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

// onlyQueued keeps, of the stages of a run that starts over, the one that comes before the start.
func onlyQueued(list []benchv1alpha1.StageStatus) []benchv1alpha1.StageStatus {
	return slices.DeleteFunc(list, func(s benchv1alpha1.StageStatus) bool { return s.Name != benchv1alpha1.StageQueued })
}

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
	// current are the newest load pods of each index, and replaced those in whose place they are.
	current, replaced []corev1.Pod
	// normal is the specification of the run with the target that it is measured on, normalised when it is first asked
	// for. Before a target that the run refers to is there, nothing of it is known.
	normal func() benchv1alpha1.BenchmarkRunSpec
}

// actions are what load pod 0 asks the operator to do.
func (s *state) actions() *act.Actions {
	return &act.Actions{
		Run: s.Run, Now: s.Now, Load: s.load, Running: s.stage.atStep(),
		Gate: s.ConfigMaps[naming.GateConfigMap(s.Run.Name)], Members: s.Members,
		CutOff: cutOff(&s.Observation),
	}
}

// scene is what the pods of the run are on.
func (s *state) scene() collect.Scene {
	return collect.Scene{Target: s.Target, Members: s.Members, Pods: slices.Concat(s.current, s.GatewayPods)}
}

// began says whether load pods have done anything: from then on they are never started again.
func (s *state) began() bool {
	return s.load.Begun() || stageOf(s.Run.Status.Stages, benchv1alpha1.StageLoading) != nil
}

// targetReady says whether load pods may be sent to the target, and to the other one of a duet.
func (s *state) targetReady() bool {
	return !slices.ContainsFunc(s.sides(), func(one side) bool { return !one.ready() })
}

// completed says whether every load pod has ended well, whatever was read of their progress.
func (s *state) completed() bool { return condition.OfJob(s.Job, batchv1.JobComplete) != nil }

// stageOf finds a stage that a run is or was in.
func stageOf(list []benchv1alpha1.StageStatus, name string) *benchv1alpha1.StageStatus {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}

// maxDatasets is how many datasets the status of a target holds.
const maxDatasets = 16

// datasets are what load pod 0 says of those in the targets that outlive the run: a shared one, and that of the other
// side of a duet. Nil when there is nothing to change. The database itself has the last word: this is for people.
func datasets(s *state) []Noted {
	var all []Noted
	first := s.load.First()
	note := func(target *benchv1alpha1.BenchmarkTarget, database string, mark *reportv1alpha1.DatasetMark) {
		if target == nil || target.DeletionTimestamp != nil || mark == nil {
			return
		}
		said := benchv1alpha1.DatasetStatus{
			Database: database, Fingerprint: mark.Fingerprint, State: benchv1alpha1.DatasetState(mark.State),
			RunName: s.Run.Name,
		}
		if known := noted(target.Status.Datasets, said); known != nil {
			all = append(all, Noted{Target: target, Datasets: known})
		}
	}
	if !s.inline() {
		note(s.Target, s.load.Plan.Database, first.Dataset)
	}
	if other := s.load.Plan.Duet; other != nil {
		note(s.Baseline, other.Baseline.Database, first.BaselineDataset)
	}
	return all
}

// noted are the known datasets of a target with the one that is said; nil when that is known.
func noted(known []benchv1alpha1.DatasetStatus, said benchv1alpha1.DatasetStatus) []benchv1alpha1.DatasetStatus {
	known = slices.Clone(known)
	at := slices.IndexFunc(known, func(d benchv1alpha1.DatasetStatus) bool { return d.Database == said.Database })
	switch {
	case at < 0:
		known = append(known, said)
		return known[max(0, len(known)-maxDatasets):]
	case known[at].Fingerprint == said.Fingerprint && known[at].State == said.State:
		// A run that finds a dataset as it was changes nothing.
		return nil
	}
	known[at] = said
	return known
}

const (
	// progressPeriod is how often the progress of a running step is copied into the status: each time the whole run is
	// written, and everybody who watches it is sent it.
	progressPeriod = 10 * time.Second
	// duetPeriod is the same of a duet, which people watch while it narrows: a run may be decided within a minute.
	duetPeriod = 5 * time.Second
	// pollPeriod is how often something is looked at again that no watch tells of.
	pollPeriod = time.Second
	// quotaPeriod is how often Kueue is asked what it says of a run.
	quotaPeriod = 2 * time.Second
	// targetSlack is by how much a target may overstay its own deadline before the run stops waiting for it.
	targetSlack = 60 * time.Second
	// handInTime is the time that load pods which were told to end have to hand in what they measured.
	handInTime = 60 * time.Second
	// cleaningTime is the time for the objects of a run to go away.
	cleaningTime = 120 * time.Second
	// jobTime is the load Job's own deadline, which ends pods of a run that no operator looks after any more. A Job is
	// never changed, and the deadlines of a run may be: it is what the API allows them to be together.
	jobTime = (86400+604800+2592000)*time.Second + mostStoring
	// mostStoring is the largest storingSeconds.
	mostStoring = 604800 * time.Second
)

func seconds(count int32) time.Duration { return time.Duration(count) * time.Second }

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
	if s.Quota.Asked { // Its Workload is not watched: where Kueue is not installed there is no such kind.
		next = min(next, quotaPeriod)
	}
	job, pods := s.starting()
	switch {
	case s.stage.atStep() && s.Run.Spec.Duet != nil:
		next = min(next, duetPeriod)
	case s.stage.atStep():
		next = min(next, progressPeriod)
	case s.stage.name == benchv1alpha1.StageCollecting, PodsMissing(&s.Observation) != nil:
		next = min(next, pollPeriod)
	case job != nil && len(pods) < load.Wanted(job) && !load.Suspended(job):
		next = min(next, podCreation)
	}
	return max(next, time.Millisecond)
}
