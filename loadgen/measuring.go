package loadgen

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// measureStep drives a mix of operations.
type measureStep struct {
	engine  *Engine
	planned planv1.Step
	workers []*worker
	// recording is what the workers record.
	recording *measure.Recording
	// begin and end of the measure window; end is zero when a number of operations ends it.
	begin, end time.Time
	// share is this pod's part of the step's operation count.
	share int64
	// started is set once begin and end are.
	started atomic.Bool
}

// newMeasureStep makes this pod's workers.
func (e *Engine) newMeasureStep(index int) *measureStep {
	step := e.Plan.Steps[index]
	m := &measureStep{engine: e, planned: step}
	first, workers := planv1.Share(int64(step.Threads), e.Plan.Pods, e.Pod)
	mix := make([]reportv1.Operation, len(step.Operations))
	for i, operation := range step.Operations {
		mix[i] = reportv1.Operation{Name: operation.Name, Kind: operation.Kind}
	}
	m.recording = measure.NewRecording(mix, false, time.Duration(step.DurationSeconds)*time.Second)
	for number := first; number < first+workers; number++ {
		m.workers = append(m.workers, &worker{
			first: number, stride: int64(step.Threads),
			mix: e.compiled.mixes[index], pacer: ClosedLoop{}, classify: e.Target.Classify,
			recorder: m.recording.Recorder(),
		})
		m.share += step.OperationCount / int64(step.Threads)
		if number < step.OperationCount%int64(step.Threads) {
			m.share++
		}
	}
	return m
}

// ready opens the workers' sessions, so that no handshake is measured.
func (m *measureStep) ready(ctx context.Context) error {
	sessions, err := m.engine.sessions(ctx, len(m.workers), m.planned)
	if err != nil {
		return err
	}
	for i, session := range sessions {
		m.workers[i].session = session
	}
	return nil
}

func (m *measureStep) run(ctx context.Context, step *reportv1.Step) error {
	m.begin = step.Start.Add(time.Duration(m.planned.WarmupSeconds) * time.Second)
	if m.planned.DurationSeconds > 0 {
		m.end = m.begin.Add(time.Duration(m.planned.DurationSeconds) * time.Second)
	}
	m.started.Store(true)
	group, working := errgroup.WithContext(ctx)
	bounds := window{begin: m.begin, end: m.end, count: m.planned.OperationCount}
	for _, worker := range m.workers {
		group.Go(func() error { return worker.run(working, bounds) })
	}
	// A worker that fails during the warm-up ends the wait; what it said is Wait's answer.
	_ = waitUntil(working, m.begin)
	before := measure.ReadUsage()
	err := group.Wait()
	for _, worker := range m.workers {
		worker.session.Close()
	}
	if err != nil {
		return err
	}
	step.Generator = measure.ReadUsage().Since(before)
	step.Threads, step.Client = len(m.workers), m.client()
	step.MeasureStart, step.End = m.begin, m.lastReply()
	return m.collect(step)
}

// lastReply is when the measure window ended: with the last counted reply, but not before the step's duration is over,
// for a worker that had to wait long for its last reply was idle for nobody else's sake.
func (m *measureStep) lastReply() time.Time {
	last := m.begin
	if !m.end.IsZero() {
		last = m.end
	}
	for _, worker := range m.workers {
		if worker.lastReply.After(last) {
			last = worker.lastReply
		}
	}
	return last
}

// collect merges what the workers recorded. A step in which nothing succeeded has measured nothing, and is an error.
func (m *measureStep) collect(step *reportv1.Step) error {
	operations, err := m.recording.Operations()
	if err != nil {
		return fmt.Errorf("merging what the workers recorded: %w", err)
	}
	step.Operations, step.IntervalMillis = operations, m.recording.IntervalMillis()
	var succeeded int64
	var failure error
	for _, operation := range operations {
		succeeded += operation.Count
		for _, class := range operation.ErrorClasses {
			failure = errors.Join(failure, fmt.Errorf("operation %q failed %d times (%s), first: %s",
				operation.Name, class.Count, class.Class, class.FirstMessage))
		}
	}
	if succeeded == 0 && failure != nil {
		return fmt.Errorf("no operation succeeded: %w", failure)
	}
	return nil
}

// client names what the workers send by.
func (m *measureStep) client() string {
	if len(m.workers) == 0 {
		return ""
	}
	return m.workers[0].session.Client()
}

func (m *measureStep) done() advance {
	if !m.started.Load() {
		return advance{warmingUp: true}
	}
	now := time.Now()
	current := advance{warmingUp: now.Before(m.begin)}
	var counted int64
	for _, worker := range m.workers {
		current.count += worker.completed.Load()
		counted += worker.counted.Load()
	}
	switch {
	case current.warmingUp:
	case m.share > 0:
		current.percent = int(counted * 100 / m.share)
	case !m.end.IsZero():
		current.percent = int(min(100, now.Sub(m.begin)*100/m.end.Sub(m.begin)))
	}
	return current
}

// sessions opens handles for this many workers.
func (e *Engine) sessions(ctx context.Context, workers int, step planv1.Step) ([]Session, error) {
	opened := make([]Session, workers)
	group, ctx := errgroup.WithContext(ctx)
	for i := range opened {
		group.Go(func() error {
			session, err := e.Target.Session(ctx, Use{Database: e.Plan.Database, Step: step, Client: e.Plan.Client})
			opened[i] = session
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("connecting the workers: %w", err)
	}
	return opened, nil
}
