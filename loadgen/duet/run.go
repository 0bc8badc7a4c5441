package duet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/duet"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
)

// Duet is two engines that measure in turns.
type Duet struct {
	// Candidate follows a plan with a Duet, and Baseline is to follow the plan of its baseline: that is filled in here, as
	// what else it has to be like the candidate's in. The candidate's Reporter is told of both.
	Candidate, Baseline *engine.Engine
	// Resting look at the servers of each side, by duet.Side; nil: it is not known whether they rest.
	Resting [2]resting
	// Told, if set, is told what a step has come to after each group of windows.
	Told func(reportv1.DuetStep)
	// Record, if set, is handed every group of windows of a step, and no step ends before its time is up: what it would
	// have come to from one group to another can be found out afterwards. What it is handed must not be changed.
	Record func(step string, group duet.Group)
}

// Run measures both sides and returns the report of the candidate, which has that of the baseline in it. Its errors are
// those of an Engine; what ends one side ends the other.
func (d *Duet) Run(ctx context.Context) (reportv1.Report, error) {
	plan := d.Candidate.Plan
	turns, err := d.conductor(plan)
	if err != nil {
		return reportv1.Report{}, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	meeting := &meeting{
		Reporter: d.Candidate.Reporter, plan: plan, turns: turns, cancel: cancel,
		loaded: make(chan struct{}), ended: make(chan struct{}),
	}
	base := d.Baseline
	base.Plan, base.Pod, base.Finish, base.Watcher = plan.Duet.Baseline, 0, nil, nil
	base.Version, base.Log, base.NewAlarm = d.Candidate.Version, d.Candidate.Log, d.Candidate.NewAlarm
	base.PlanHash, base.RunUID, base.RunName = d.Candidate.PlanHash, d.Candidate.RunUID, d.Candidate.RunName
	base.Turns, base.Reporter = &side{conductor: turns, which: duet.Baseline}, baselineReporter{meeting}
	d.Candidate.Turns, d.Candidate.Reporter = &side{conductor: turns, which: duet.Candidate}, meeting

	var working sync.WaitGroup
	var failed error
	working.Go(func() {
		defer close(meeting.ended)
		if _, failed = base.Run(ctx); failed != nil {
			failed = fmt.Errorf("the baseline: %w", failed)
			turns.fail(failed)
			cancel(failed)
		}
	})
	report, err := d.Candidate.Run(ctx)
	if err != nil {
		turns.fail(err)
		cancel(err)
	}
	working.Wait()
	if len(report.Steps) > 0 {
		report.Duet = turns.duet(meeting.baseline)
	}
	if err == nil || failed != nil && errors.Is(context.Cause(ctx), failed) {
		err = failed
	}
	return report, err
}

// conductor prepares the turns of a plan.
func (d *Duet) conductor(plan planv1.Plan) (*conductor, error) {
	declared := plan.Duet
	c := &conductor{form: duet.Form(declared.Form), resting: d.Resting, changed: make(chan struct{})}
	if declared.Form == benchv1alpha1.DuetConcurrent {
		c.resting = [2]resting{} // Neither side rests.
	}
	for _, one := range plan.Steps {
		if one.Kind != planv1.StepMeasure {
			continue
		}
		operations := make([]string, 0, len(one.Operations))
		for _, operation := range one.Operations {
			if operation.PartOf == "" {
				operations = append(operations, operation.Name)
			}
		}
		judge, err := duet.NewJudge(operations, one.Compare, declared.Lines)
		if err != nil {
			return nil, fmt.Errorf("step %q: %w", one.Name, err)
		}
		c.steps = append(c.steps, step{
			name: one.Name, planned: one, judge: d.recorded(one.Name, judge),
			warmUp: time.Duration(one.WarmupSeconds) * time.Second,
			budget: time.Duration(one.DurationSeconds) * time.Second,
			window: time.Duration(declared.WindowMillis) * time.Millisecond,
		})
	}
	if d.Told != nil {
		c.told = func(at int) { d.Told(c.report(at)) }
	}
	return c, nil
}

// recorded is the judge of a step, or one that never decides if the duet is recorded.
func (d *Duet) recorded(step string, of judge) judge {
	if d.Record == nil {
		return of
	}
	return recorder{judge: of, record: func(group duet.Group) { d.Record(step, group) }}
}

// recorder is a judge whose groups are recorded, and which never decides.
type recorder struct {
	judge

	record func(duet.Group)
}

// Add hands the group on, too.
func (r recorder) Add(group duet.Group) {
	r.record(group)
	r.judge.Add(group)
}

// Decided is never: the recording is as long as the step.
func (recorder) Decided() bool { return false }

// meeting is the Reporter of the candidate: the dataset counts as loaded once both sides have theirs, and the report of
// the baseline goes with the candidate's.
type meeting struct {
	loadgen.Reporter

	plan   planv1.Plan
	turns  *conductor
	cancel context.CancelCauseFunc
	// loaded is closed once the baseline has its dataset, and ended once its engine has ended.
	loaded, ended chan struct{}
	once          sync.Once
	baseline      reportv1.Report

	mutex sync.Mutex
	// dataset is what is known of the one in the baseline's target.
	dataset *reportv1.DatasetMark
}

// Progress waits until the baseline is as far, and tells of its dataset too.
func (m *meeting) Progress(ctx context.Context, progress reportv1.Progress) error {
	if progress.Step >= m.plan.AfterLoading() && progress.State == reportv1.ProgressWaiting {
		select {
		case <-m.loaded:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if progress.State == reportv1.ProgressRunning {
		progress.Lines = m.turns.known(m.plan.Steps[progress.Step].Name)
	}
	m.mutex.Lock()
	progress.BaselineDataset = m.dataset
	m.mutex.Unlock()
	return m.Reporter.Progress(ctx, progress)
}

// errCut is the cause of a baseline whose candidate has ended before the end of the plan.
var errCut = errors.New("the candidate was cut short")

// Report waits for that of the baseline.
func (m *meeting) Report(ctx context.Context, report reportv1.Report) error {
	if report.Partial != nil {
		m.turns.fail(errCut)
		m.cancel(errCut)
	}
	<-m.ended
	report.Duet = m.turns.duet(m.baseline)
	return m.Reporter.Report(ctx, report)
}

// baselineReporter is the Reporter of the baseline.
type baselineReporter struct{ *meeting }

// Progress says when the dataset is loaded, and keeps what is known of it for the candidate's.
func (b baselineReporter) Progress(_ context.Context, progress reportv1.Progress) error {
	b.mutex.Lock()
	b.dataset = progress.Dataset
	b.mutex.Unlock()
	if progress.Step >= b.plan.Duet.Baseline.AfterLoading() {
		b.once.Do(func() { close(b.loaded) })
	}
	return nil
}

// Report keeps the report for the candidate's.
func (b baselineReporter) Report(_ context.Context, report reportv1.Report) error {
	b.baseline = report
	return nil
}
