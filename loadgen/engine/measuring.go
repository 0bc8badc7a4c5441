package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/abort"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// measureStep drives a mix of operations: first for the warm-up, then for the measure window.
type measureStep struct {
	*workers
	// index of the step in the plan.
	index int
	// measured is the measure window, once started is set.
	measured window
	started  atomic.Bool
	// share is this pod's part of the step's operation count.
	share int64
	// length of the measure window; 0 when a number of operations ends it.
	length time.Duration
}

func newMeasureStep(p *pod, index int) (stepRun, error) {
	m := &measureStep{workers: newWorkers(p, index), index: index}
	m.length = time.Duration(m.planned.DurationSeconds) * time.Second
	if len(m.planned.Groups) > 0 {
		return m, nil
	}
	for _, worker := range m.all {
		stride := int64(m.planned.Threads)
		m.share += m.planned.OperationCount / stride
		if worker.number < m.planned.OperationCount%stride {
			m.share++
		}
	}
	if m.planned.Arrival != nil && len(m.all) > 0 {
		// The operations of an open loop are shared by the pods, not by the threads.
		senders := m.only().senders
		m.share = (m.planned.OperationCount + int64(senders-1-p.Pod)) / int64(senders)
	}
	return m, nil
}

func (m *measureStep) run(ctx context.Context, step *reportv1.Step) error {
	begin := step.Start.Add(time.Duration(m.planned.WarmupSeconds) * time.Second)
	through := phase{settle: until(begin)}
	var err error
	through.warming, err = m.warmUp(window{base: workload.FirstWarmupNumber, begin: step.Start, end: begin})
	defer func() { through.warming.close() }()
	if err != nil {
		return err
	}
	draining := newDraining(m.workers)
	if draining != nil {
		// The window would pay for what the warm-up leaves in the connections: it begins when that was taken in.
		if err := m.work(ctx, through.settle, through.warming, nil); err != nil {
			return err
		}
		draining.begin(ctx)
		begin = time.Now()
		through.warming.close()
		through.warming = nil
	}
	through.window = m.open(begin)
	through.measuring, err = m.loops(m.measured)
	defer func() { through.measuring.close() }()
	if err != nil {
		return err
	}
	m.record(through.measuring, m.measured, m.length)
	m.started.Store(true)
	actions, err := m.goThrough(ctx, step, through)
	if err != nil {
		return m.cut(step, m.measured, err)
	}
	m.bound(step, m.measured)
	draining.end(ctx, step)
	if err := m.collect(step, m.measured); err != nil {
		return err
	}
	draining.reckon(ctx, step)
	actions.outcome(step)
	actions.stop()
	return measure.NothingSucceeded(step.Operations)
}

// open is the measure window that begins at an instant.
func (m *measureStep) open(begin time.Time) window {
	m.measured = window{begin: begin, count: m.planned.OperationCount}
	if m.length > 0 {
		m.measured.end = begin.Add(m.length)
	}
	return m.measured
}

// goThrough has the workers go through the phase, while thresholds are watched and actions done, of which some may
// still be under way. An error stops them.
func (m *measureStep) goThrough(ctx context.Context, step *reportv1.Step, through phase) (*actionRunner, error) {
	ctx, unwatch := m.watchThresholds(ctx)
	defer unwatch()
	actions := &actionRunner{workers: m.workers, step: m.index, window: m.measured}
	actions.start(ctx)
	err := m.measure(ctx, step, through)
	if err != nil {
		actions.stop()
	}
	return actions, err
}

// thresholdPeriod is how often the thresholds of a step are looked at.
const thresholdPeriod = time.Second

// errAborted is the cause of a step that missed a threshold of its abortOn.
var errAborted = errors.New("the step was aborted")

// watchThresholds ends the returned context when the measure window misses one of the step's thresholds, until the
// returned function is called.
func (m *measureStep) watchThresholds(ctx context.Context) (context.Context, func()) {
	if len(m.planned.AbortOn) == 0 || len(m.all) == 0 {
		return ctx, func() {}
	}
	ctx, end := context.WithCancelCause(ctx)
	judge := abort.New(m.planned.AbortOn, m.shareOf)
	var watching sync.WaitGroup
	watching.Go(func() {
		for next := m.measured.begin.Add(thresholdPeriod); ; next = next.Add(thresholdPeriod) {
			if (alarm.Timer{}).Until(ctx, next) != nil || !m.measured.end.IsZero() && next.After(m.measured.end) {
				return
			}
			if missed := judge.Look(time.Since(m.measured.begin), m.recordings.Live()); missed != "" {
				end(fmt.Errorf("%w: %s", errAborted, missed))
				return
			}
		}
	})
	return ctx, func() {
		end(nil)
		watching.Wait()
	}
}

// shareOf is this pod's share of the load of an operation of the step, or of all for an empty name.
func (m *measureStep) shareOf(operation string) float64 {
	for _, g := range m.groups {
		named := func(o planv1.Operation) bool { return o.Name == operation }
		if slices.ContainsFunc(g.planned.Operations, named) && len(g.all) > 0 {
			return float64(len(g.all)) / float64(g.planned.Threads)
		}
	}
	return float64(len(m.all)) / float64(m.planned.Threads)
}

// warmUp is what the groups do before the measure window: those that begin with it.
func (m *measureStep) warmUp(bounds window) (loops, error) {
	warming := make(loops, len(m.groups))
	for place, g := range m.groups {
		if g.declared.StartAfterSeconds > 0 || g.declared.StartAfter != "" || g.replayed != nil {
			continue
		}
		one, err := g.loop(bounds)
		if err != nil {
			return warming, err
		}
		warming[place] = one
	}
	return warming, nil
}

// loops are what the groups do in the measure window.
func (m *measureStep) loops(bounds window) (loops, error) {
	measuring := make(loops, len(m.groups))
	for place, g := range m.groups {
		one, err := g.measureLoop(m.workers, bounds)
		if err != nil {
			return measuring, err
		}
		measuring[place] = one
	}
	return measuring, nil
}

func (m *measureStep) done() advance {
	completed, counted := m.progress()
	if !m.started.Load() {
		return advance{count: completed, warmingUp: true}
	}
	now := time.Now()
	current := advance{count: completed, warmingUp: now.Before(m.measured.begin)}
	switch {
	case current.warmingUp:
	case m.share > 0:
		current.percent = int(counted * 100 / m.share)
	case !m.measured.end.IsZero():
		length := m.measured.end.Sub(m.measured.begin)
		current.percent = int(min(100, now.Sub(m.measured.begin)*100/length))
	}
	return current
}
