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
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/act"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/admit"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/collect"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/load"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/progress"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/operation"
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

// podFault is why load pods do not run.
func (s *state) podFault() (podfault.Fault, bool) {
	if fault, ok := podfault.Diagnose(s.current, s.Now); ok {
		return fault, true
	}
	return podfault.DiagnoseEvents(s.FailedCreates)
}

// waitsFor is what a run in Provisioning waits for.
func (s *state) waitsFor() string {
	switch {
	case s.Job == nil && s.targetReady():
		return "the Job of the load pods is being made"
	case s.Job == nil:
		return s.waitsForTarget()
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
	if s.Target == nil {
		return fmt.Sprintf("no BenchmarkTarget %q exists in this namespace", TargetName(s.Run))
	}
	said := condition.Find(s.Target.Status.Conditions, benchv1alpha1.TargetReady)
	if said == nil || said.Status == metav1.ConditionTrue {
		return fmt.Sprintf("target %q has not been looked at", s.Target.Name)
	}
	return fmt.Sprintf("target %q is not ready: %s: %s", s.Target.Name, said.Reason, said.Message)
}

// look works out what follows from an observation.
func look(o *Observation) (*state, error) {
	s := &state{Observation: *o}
	s.current, s.replaced = load.Current(o.Pods)
	s.normal = sync.OnceValue(func() benchv1alpha1.BenchmarkRunSpec {
		return spec.NormaliseOn(o.Run.Spec, ptr.Deref(o.Target, benchv1alpha1.BenchmarkTarget{}).Spec)
	})
	var err error
	if s.load, err = progress.Read(o.Run, s.normal, o.ConfigMaps); err != nil {
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
	return collect.Scene{Target: s.Target, Members: s.Members, Pods: s.current}
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

// datasets are those of a shared target's status, with what load pod 0 says of the one in the run's database; nil when
// there is nothing to change. The database itself has the last word: this is for people, and outlives the run.
func datasets(s *state) []benchv1alpha1.DatasetStatus {
	if s.inline() || s.Target == nil || s.Target.DeletionTimestamp != nil {
		return nil
	}
	first := s.load.First()
	if first.Dataset == nil {
		return nil
	}
	said := benchv1alpha1.DatasetStatus{
		Database: s.load.Plan.Database, Fingerprint: first.Dataset.Fingerprint,
		State: benchv1alpha1.DatasetState(first.Dataset.State), RunName: s.Run.Name,
	}
	known := slices.Clone(s.Target.Status.Datasets)
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

func (d deadlines) storing() time.Duration { return seconds(*d.StoringSeconds) }

// The deadlines of the stages, and what their times are called. They are zero in a pass that enters the stage.

func neverDue(*state) (time.Time, string) { return time.Time{}, "" }

func provisioningDue(s *state) (time.Time, string) {
	const scheduling = "spec.deadlines.schedulingSeconds"
	switch {
	case s.Job != nil:
		started := load.Started(s.Job)
		if started.IsZero() {
			return load.HeldSince(s.Job).Add(s.deadlines().queueing()), "spec.deadlines.queueingSeconds"
		}
		return started.Add(s.deadlines().scheduling()), scheduling
	case s.Target == nil:
		return s.after(benchv1alpha1.StageProvisioning, s.deadlines().scheduling()), scheduling
	}
	// An existing target is waited for as long as it may take by itself, and some more.
	patience := seconds(*s.normal().Target.ProvisioningSeconds()) + targetSlack
	due := s.after(benchv1alpha1.StageProvisioning, patience)
	for _, began := range []*metav1.Time{&s.Target.CreationTimestamp, s.Target.Status.ProvisioningStartTime} {
		if began != nil && !due.IsZero() && began.Add(patience).After(due) {
			due = began.Add(patience)
		}
	}
	return due, "the target's provisioningSeconds"
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
	switch {
	case s.stage.atStep():
		next = min(next, progressPeriod)
	case s.stage.name == benchv1alpha1.StageCollecting, PodsMissing(&s.Observation):
		next = min(next, pollPeriod)
	case s.Job != nil && len(s.current) < load.Wanted(s.Job) && !load.Suspended(s.Job):
		next = min(next, podCreation)
	}
	return max(next, time.Millisecond)
}
