package loadgen

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// Engine follows a plan as one of its pods.
type Engine struct {
	Plan planv1.Plan
	// PlanHash identifies the plan in the report.
	PlanHash string
	// Pod is the index of this pod, from 0 to Plan.Pods - 1.
	Pod    int
	Target Target
	// Gate is needed with several pods; one pod alone begins each step at once.
	Gate     Gate
	Reporter Reporter
	// Observer looks at the servers from before the first step until after the last; nil: nobody does.
	Observer Observer
	// Watcher is told what this pod is at; nil: nobody is.
	Watcher Watcher
	// Resume goes on with a load that was begun before: collections are not dropped, and documents that are there already
	// are no error.
	Resume bool
	// AllowExisting lets the plan's collections replace those of a database that no load generator made.
	AllowExisting bool
	// FixedProcessors keeps the number of processors that Go uses as it is. Otherwise a warm-up of at least two seconds
	// tells whether one processor does the same with less.
	FixedProcessors bool
	// Operated says that the operator reads the progress, and does what it is asked for in it.
	Operated bool
	// NewAlarm makes what operations are sent on time by; nil is alarm.Precise. Fake time needs an alarm.Timer.
	NewAlarm func() alarm.Alarm
	// Version of the load generator, for the report.
	Version string
	Log     *slog.Logger

	compiled *compiled
	telling  *telling
	marking  *marking
	// actor is the Target, when a step has actions.
	actor Actor
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

// Run follows the plan to its end and returns the report, which the Reporter has got too. When the context ends before,
// its cause is the error: there is no report of half a plan.
func (e *Engine) Run(ctx context.Context) (reportv1.Report, error) {
	if e.Plan.Pods > 1 && e.Gate == nil {
		return reportv1.Report{}, fmt.Errorf("the plan is for %d pods, and there is no gate to start them together",
			e.Plan.Pods)
	}
	var err error
	if e.compiled, err = compile(e.Plan); err != nil {
		return reportv1.Report{}, err
	}
	e.telling = newTelling()
	if err := e.useTarget(); err != nil {
		return reportv1.Report{}, err
	}
	server, err := e.Target.Describe(ctx)
	if err != nil {
		return reportv1.Report{}, fmt.Errorf("describing the server: %w", err)
	}
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
	}
	observed := e.observe(ctx)
	defer observed()
	for index := range e.Plan.Steps {
		step, err := e.step(ctx, index)
		if err != nil {
			return reportv1.Report{}, fmt.Errorf("step %q: %w", e.Plan.Steps[index].Name, err)
		}
		if step != nil {
			report.Steps = append(report.Steps, *step)
		}
	}
	report.Members = observed()
	if err := e.Reporter.Report(ctx, report); err != nil {
		return reportv1.Report{}, fmt.Errorf("handing in the report: %w", err)
	}
	last := reportv1.Progress{Step: len(e.Plan.Steps) - 1, State: reportv1.ProgressDone, Percent: 100}
	if err := e.tell(ctx, last); err != nil {
		return reportv1.Report{}, fmt.Errorf("reporting the end: %w", err)
	}
	return report, nil
}

// useTarget makes sure that the target can do all that the plan needs of it.
func (e *Engine) useTarget() error {
	var err error
	if e.actor, err = actor(e.Plan, e.Target); err != nil {
		return err
	}
	if e.marking, err = newMarking(e.Plan, e.Target); err != nil {
		return err
	}
	return checkSizer(e.Plan, e.Target)
}

// step does one step of the plan: what can be done beforehand, the gate, the work. The result is nil when the step is
// another pod's: then this pod only waits until it may begin, so that it cannot be ahead of the others by more than a
// step.
func (e *Engine) step(ctx context.Context, index int) (*reportv1.Step, error) {
	planned := e.Plan.Steps[index]
	if e.Pod > 0 && planned.Kind.Alone() {
		_, err := e.awaitStart(ctx, index)
		return nil, err
	}
	work, err := e.stepRun(index)
	if err != nil {
		return nil, err
	}
	defer work.close()
	if err := work.ready(ctx); err != nil {
		return nil, err
	}
	if err := e.beforeChange(ctx, planned); err != nil {
		return nil, err
	}
	step := &reportv1.Step{
		Name: planned.Name, Kind: string(planned.Kind), GrowthOf: planned.GrowthOf, GrowthDocuments: planned.Documents,
	}
	step.IntendedStart, err = e.awaitStart(ctx, index)
	if err != nil {
		return nil, err
	}
	step.Start = time.Now()
	if step.IntendedStart.IsZero() {
		step.IntendedStart = step.Start
	}
	step.StartSkewMicros = step.Start.Sub(step.IntendedStart).Microseconds()
	step.MeasureStart, step.End = step.Start, step.Start
	e.Log.Info("Step begins", "step", planned.Name, "kind", planned.Kind)

	stop, end := e.announce(ctx, index, work), e.watchStep(planned)
	err = work.run(ctx, step)
	end()
	stop()
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	if err != nil {
		return nil, err
	}
	e.Log.Info("Step ended", "step", planned.Name, "seconds", step.End.Sub(step.Start).Seconds())
	return step, nil
}

// stepRun chooses what does a step.
func (e *Engine) stepRun(index int) (stepRun, error) {
	step := e.Plan.Steps[index]
	switch step.Kind {
	case planv1.StepPrepare:
		return &onceStep{planned: step, work: e.prepare}, nil
	case planv1.StepIndex:
		return &onceStep{planned: step, work: e.index}, nil
	case planv1.StepVerify:
		return &onceStep{planned: step, work: e.verify}, nil
	case planv1.StepBalance:
		return &onceStep{planned: step, work: e.balance}, nil
	case planv1.StepSize:
		return &onceStep{planned: step, work: e.size}, nil
	case planv1.StepLoad:
		return e.newLoadStep(step), nil
	case planv1.StepMeasure:
		if step.Search != nil {
			return e.newSearchStep(index)
		}
		return e.newMeasureStep(index), nil
	default:
		return nil, fmt.Errorf("this load generator does not know steps of kind %q", step.Kind)
	}
}

// awaitStart says that this pod is ready for a step and returns once it is time to begin; without a gate that is at
// once, and the returned instant is zero.
func (e *Engine) awaitStart(ctx context.Context, index int) (time.Time, error) {
	waiting := reportv1.Progress{Step: index, State: reportv1.ProgressWaiting}
	if err := e.tell(ctx, waiting); err != nil {
		return time.Time{}, fmt.Errorf("reporting that the pod is ready: %w", err)
	}
	if e.Plan.Pods <= 1 {
		return time.Time{}, nil
	}
	start, err := e.Gate.Wait(ctx, index)
	if err != nil {
		return time.Time{}, fmt.Errorf("waiting for the start: %w", err)
	}
	return start, alarm.Timer{}.Until(ctx, start)
}

// announce reports how far a step has come, every second and at once when there is something else to tell, until the
// returned function is called.
func (e *Engine) announce(ctx context.Context, index int, work stepRun) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		progress := reportv1.Progress{Step: index, State: reportv1.ProgressRunning}
		before, last := int64(0), time.Now()
		for {
			now := time.Time{}
			select {
			case <-ctx.Done():
				return
			case <-e.telling.news:
			case now = <-ticker.C:
			}
			current := work.done()
			progress.Percent, progress.WarmingUp = current.percent, current.warmingUp
			if !now.IsZero() {
				progress.OperationsPerSecond = int64(float64(current.count-before) / max(now.Sub(last).Seconds(), 0.001))
				before, last = current.count, now
			}
			if err := e.tell(ctx, progress); err != nil && ctx.Err() == nil {
				e.Log.Warn("Progress was not reported", "error", err)
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

// Connections is the largest number of workers that a pod of the plan has at a time.
func Connections(plan planv1.Plan, pod int) int {
	most := int64(1)
	for _, step := range plan.Steps {
		_, workers := planv1.Share(int64(step.Threads), plan.Pods, pod)
		most = max(most, workers)
	}
	return int(most)
}
