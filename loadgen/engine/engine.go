package engine

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"sync"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/clock"
	"github.com/mongobench/mongobench-operator/loadgen/exchange"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// Engine follows a plan as one of its pods.
type Engine struct {
	Plan planv1.Plan
	// PlanHash identifies the plan in the report.
	PlanHash string
	// Pod is the index of this pod, from 0 to Plan.Pods - 1.
	Pod    int
	Target loadgen.Target
	// Through is the service that measured operations go through; nil: they go to the Target itself.
	Through loadgen.Through
	// Gate is needed with several pods; one pod alone begins each step at once.
	Gate loadgen.Gate
	// Trials are needed with several pods where a step searches.
	Trials   loadgen.Trials
	Reporter loadgen.Reporter
	// Observer looks at the servers from before the first step until after the last; nil: the servers are not observed.
	Observer loadgen.Observer
	// Pinger finds how far the servers are before each Measure; nil: it is not known.
	Pinger loadgen.Pinger
	// Turns give out the windows of each Measure, when it takes turns with that of another engine; nil: it does not.
	Turns loadgen.Turns
	// Files opens those that the plan names; nil: there are none.
	Files interface {
		Open(file planv1.File) (io.ReadCloser, error)
	}
	// Watcher is told what this pod does; it may be nil.
	Watcher loadgen.Watcher
	// Outlets write or send elsewhere what this pod does, and Sampler is given every measured operation; it may be nil.
	Outlets []loadgen.Outlet
	Sampler loadgen.Sampler
	// Resume continues a load that was begun before: collections are not dropped, and documents that are there already
	// are no error.
	Resume bool
	// Replaces is what the load pod that this one replaces said last; nil: this is the first. What was loaded by then is
	// not sent again.
	Replaces *reportv1.Progress
	// PodUID tells this pod from one that it replaces; empty outside of a cluster.
	PodUID string
	// AllowExisting lets the plan's collections replace those of a database that no load generator made.
	AllowExisting bool
	// RunUID identifies the run to which the pod belongs, for as long as it has the database; empty: one of its own.
	RunUID string
	// RunName is what another run that is kept from the database is told of this one.
	RunName string
	// SharesDatabase lets others that share it measure in the database at the same time.
	SharesDatabase bool
	// Finish, if there is one, is called once the report is handed in, while the database is still the run's: other pods
	// may be at work.
	Finish func(ctx context.Context) error
	// Operated says that the operator reads the progress, and does what it is asked for in it.
	Operated bool
	// NewAlarm makes what operations are sent on time by; nil is alarm.Precise. Fake time needs an alarm.Timer.
	NewAlarm func() alarm.Alarm
	// Clock is what tells when a step began, and whether the wall clock was set meanwhile; nil is the machine's.
	Clock clock.Clock
	// Version of the load generator, for the report.
	Version string
	Log     *slog.Logger
}

// Connections is the largest number of workers that a pod of the plan has at a time.
func Connections(plan planv1.Plan, pod int) int {
	most := int64(1)
	for _, step := range plan.Steps {
		workers := int64(0)
		for _, part := range step.Parts() {
			_, own := planv1.Share(int64(part.Threads), plan.Pods, pod)
			workers += own
		}
		most = max(most, workers)
	}
	return int(most)
}

// Run follows the plan to its end and returns the report, which the Reporter has got too. What ends it before, such as
// the end of the context, is the error. If something was measured by then, the error is a *CutError, and the report,
// which the Reporter has got as well, is partial; otherwise it is empty.
func (e *Engine) Run(ctx context.Context) (reportv1.Report, error) {
	if err := e.complete(); err != nil {
		return reportv1.Report{}, err
	}
	if e.Plan.Processors > 0 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(e.Plan.Processors))
	}
	if err := e.replace(ctx); err != nil {
		return reportv1.Report{}, err
	}
	pod, err := newPod(ctx, e)
	if err != nil {
		return reportv1.Report{}, err
	}
	server, err := e.Target.Describe(ctx)
	if err != nil {
		return reportv1.Report{}, fmt.Errorf("describing the server: %w", err)
	}
	pod.server = server
	if err := usePlan(e.Plan, &server); err != nil {
		return reportv1.Report{}, err
	}
	report := reportv1.Report{
		Version:        reportv1.Version,
		PlanHash:       e.PlanHash,
		LoadgenVersion: e.Version,
		Driver:         e.Target.Driver(),
		Pods:           1,
		Server:         server,
		Machines:       measure.Machines(),
		FilesHash:      pod.data.hash,
	}
	pod.began = e.Clock.Now() // As the samples of servers begin.
	observed := observe(ctx, e.Observer)
	defer observed()
	defer pod.mark.release(ctx)
	cut := pod.follow(ctx, &report)
	report.Members = observed()
	for _, outlet := range e.Outlets {
		report.Outlets = append(report.Outlets, outlet.Finish())
	}
	if cut != nil {
		return handInPart(ctx, pod, report, cut)
	}
	if err := e.Reporter.Report(ctx, report); err != nil {
		return reportv1.Report{}, fmt.Errorf("handing in the report: %w", err)
	}
	last := reportv1.Progress{Step: len(e.Plan.Steps) - 1, State: reportv1.ProgressDone, Percent: 100}
	if err := pod.progress.tell(ctx, last); err != nil {
		return reportv1.Report{}, fmt.Errorf("reporting the end: %w", err)
	}
	if e.Finish != nil {
		return report, e.Finish(ctx)
	}
	return report, nil
}

// complete says what several pods lack.
func (e *Engine) complete() error {
	switch {
	case e.Plan.Pods > 1 && e.Gate == nil:
		return fmt.Errorf("the plan is for %d pods, and there is no gate to start them together", e.Plan.Pods)
	case e.Plan.SearchesTogether() && e.Trials == nil:
		return fmt.Errorf("%d pods search together, and they have no way to tell each other of trials", e.Plan.Pods)
	}
	return nil
}

// follow does the steps of the plan, and writes them into the report. What ends it early says where. So does the loss
// of the database to another run.
func (p *pod) follow(ctx context.Context, report *reportv1.Report) *CutError {
	ctx, lose := context.WithCancelCause(ctx)
	defer lose(nil)
	if p.mark.database != nil {
		p.mark.database.lose = lose
	}
	for index, planned := range p.Plan.Steps {
		step, err := doStep(ctx, p, index)
		if step != nil {
			report.Steps = append(report.Steps, *step)
		}
		if err != nil {
			where := partial(ctx, planned, step, err)
			return &CutError{Partial: where, step: index, err: fmt.Errorf("step %q: %w", planned.Name, err)}
		}
	}
	return nil
}

// observe starts an observer, if there is one. The returned function stops it and may be called again.
func observe(ctx context.Context, observer loadgen.Observer) (stop func() []reportv1.Member) {
	if observer == nil {
		return func() []reportv1.Member { return nil }
	}
	observer.Start(ctx)
	return sync.OnceValue(observer.Stop)
}

// steps make what does a step of each kind.
var steps = map[planv1.StepKind]func(*pod, int) (stepRun, error){
	planv1.StepPrepare: once(prepare),
	planv1.StepIndex:   once(index),
	planv1.StepVerify:  once(verifyLoad),
	planv1.StepSurvey:  once(survey),
	planv1.StepBalance: once(balance),
	planv1.StepSize:    once(size),
	planv1.StepLoad:    newLoadStep,
	planv1.StepMeasure: func(p *pod, index int) (stepRun, error) {
		switch {
		case p.Turns != nil:
			return newTurnStep(p, index), nil
		case p.Plan.Steps[index].Search != nil:
			return newSearchStep(p, index)
		case p.Plan.Steps[index].Replay != nil:
			return newReplayStep(p, index)
		default:
			return newMeasureStep(p, index)
		}
	},
}

// doStep does one step of the plan: what can be done beforehand, the gate, the work. The result is nil when the step is
// another pod's: then this pod only waits until it may begin, so that it cannot be ahead of the others by more than a
// step. With an error it is what the step had measured, and nil if that is nothing.
func doStep(ctx context.Context, p *pod, index int) (*reportv1.Step, error) {
	planned := p.Plan.Steps[index]
	if p.Pod > 0 && planned.Kind.Alone() {
		_, err := awaitStart(ctx, p, index)
		return nil, err
	}
	construct, known := steps[planned.Kind]
	if !known {
		return nil, fmt.Errorf("this load generator does not know steps of kind %q", planned.Kind)
	}
	work, err := construct(p, index)
	if err != nil {
		return nil, err
	}
	defer work.close()
	if err := work.ready(ctx); err != nil {
		return nil, err
	}
	if err := p.mark.beforeChange(ctx, planned); err != nil {
		return nil, err
	}
	step := &reportv1.Step{
		Name: planned.Name, Kind: string(planned.Kind), GrowthOf: planned.GrowthOf, GrowthDocuments: planned.Documents,
	}
	step.Pings = p.pings(ctx, planned)
	step.IntendedStart, err = awaitStart(ctx, p, index)
	if err != nil {
		return nil, err
	}
	step.Start = p.Clock.Now()
	step.ClockSetMicros = clock.Set(p.began, step.Start).Microseconds()
	exchange.Began(step.Pings, step.Start)
	if step.IntendedStart.IsZero() {
		step.IntendedStart = step.Start
	}
	step.StartSkewMicros = step.Start.Sub(step.IntendedStart).Microseconds()
	step.MeasureStart, step.End = step.Start, step.Start
	p.Log.Info("Step begins", "step", planned.Name, "kind", planned.Kind)

	kept := p.keepDiagnostics(planned, step.Start)
	err = runStep(ctx, p, index, work, step)
	kept()
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if err != nil {
		return measured(step), err
	}
	p.lookBack(ctx, index, step)
	p.Log.Info("Step ended", "step", planned.Name, "seconds", step.End.Sub(step.Start).Seconds())
	return step, nil
}

// pings are what the Pinger finds before a Measure, while this pod asks for nothing else.
func (p *pod) pings(ctx context.Context, planned planv1.Step) []reportv1.Ping {
	if p.Pinger == nil || planned.Kind != planv1.StepMeasure {
		return nil
	}
	found, err := p.Pinger.Ping(ctx)
	if err != nil && ctx.Err() == nil {
		p.Log.Warn("Not every server answered before the step", "step", planned.Name, "error", err)
	}
	return found
}

// runStep does the work of a step, and meanwhile tells the Reporter and the Watcher of it.
func runStep(ctx context.Context, p *pod, index int, work stepRun, step *reportv1.Step) error {
	watchers := p.watchers()
	watchers.Begin(p.Plan.Steps[index])
	defer watchers.End()
	defer announce(ctx, p, index, work)()
	clockStep := p.Clock.Watch(ctx, step.Start)
	err := work.run(ctx, step)
	step.ClockStepMicros = clockStep().Microseconds()
	step.MeasureStart, step.End = clock.Anchor(step.MeasureStart, step.Start), clock.Anchor(step.End, step.Start)
	return err
}

// awaitStart says that this pod is ready for a step and returns once it is time to begin; without a gate that is at
// once, and the returned instant is zero.
func awaitStart(ctx context.Context, p *pod, index int) (time.Time, error) {
	waiting := reportv1.Progress{Step: index, State: reportv1.ProgressWaiting}
	if err := p.progress.tell(ctx, waiting); err != nil {
		return time.Time{}, fmt.Errorf("reporting that the pod is ready: %w", err)
	}
	if p.Plan.Pods <= 1 {
		return time.Time{}, nil
	}
	start, err := p.Gate.Wait(ctx, index)
	if err != nil {
		return time.Time{}, fmt.Errorf("waiting for the start: %w", err)
	}
	return start, alarm.Timer{}.Until(ctx, start)
}

// stepRun is one step at work.
type stepRun interface {
	// ready does all that can be done before the gate opens.
	ready(ctx context.Context) error
	// run does the work and writes what was measured into the step.
	run(ctx context.Context, step *reportv1.Step) error
	// close gives back what ready opened, whether or not that or run succeeded. It is called once.
	close()
	// done may be called while run works.
	done() advance
}

// advance is how far a step has come.
type advance struct {
	percent   int
	count     int64
	warmingUp bool
}
