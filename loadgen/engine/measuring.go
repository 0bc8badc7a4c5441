package engine

import (
	"context"
	"sync/atomic"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
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
}

func newMeasureStep(p *pod, index int) (stepRun, error) {
	m := &measureStep{workers: newWorkers(p, index), index: index}
	for _, worker := range m.all {
		stride := int64(m.planned.Threads)
		m.share += m.planned.OperationCount / stride
		if worker.number < m.planned.OperationCount%stride {
			m.share++
		}
	}
	if m.planned.Arrival != nil && len(m.all) > 0 {
		// The operations of an open loop are shared by the pods, not by the threads.
		m.share = (m.planned.OperationCount + int64(m.senders-1-p.Pod)) / int64(m.senders)
	}
	return m, nil
}

func (m *measureStep) run(ctx context.Context, step *reportv1.Step) error {
	begin := step.Start.Add(time.Duration(m.planned.WarmupSeconds) * time.Second)
	tuned := newTuning(m.workers, begin)
	defer tuned.restore()
	warming, err := m.loop(window{base: workload.FirstWarmupNumber, begin: step.Start, end: begin})
	if err != nil {
		return err
	}
	defer warming.close()
	draining := newDraining(m.workers)
	rest := warming
	if draining != nil {
		// The window would pay for what the warm-up leaves in the connections: it begins when that was taken in.
		if err := m.work(ctx, tuned.choose, warming, nil); err != nil {
			return err
		}
		draining.begin(ctx)
		begin, rest = time.Now(), nil
	}
	m.measured = window{begin: begin, count: m.planned.OperationCount}
	if m.planned.DurationSeconds > 0 {
		m.measured.end = begin.Add(time.Duration(m.planned.DurationSeconds) * time.Second)
	}
	measuring, err := m.loop(m.measured)
	if err != nil {
		return err
	}
	defer measuring.close()
	arrivals, _ := measuring.(*openLoop)
	m.record(arrivals, time.Duration(m.planned.DurationSeconds)*time.Second)
	m.started.Store(true)
	actions := &actionRunner{workers: m.workers, step: m.index, window: m.measured}
	actions.start(ctx)
	defer actions.stop()
	if err := m.measure(ctx, step, tuned.choose, rest, measuring); err != nil {
		return err
	}
	step.MeasureStart, step.End = m.measured.begin, m.lastReply(m.measured)
	draining.end(ctx, step)
	if err := m.collect(step); err != nil {
		return err
	}
	draining.reckon(ctx, step)
	actions.outcome(step)
	return measure.NothingSucceeded(step.Operations)
}

// loop is what the workers do within bounds.
func (m *measureStep) loop(bounds window) (loop, error) {
	if m.planned.Arrival != nil {
		return m.arrivalLoop(bounds, *m.planned.Arrival)
	}
	return &closedLoop{
		window: bounds, stride: int64(m.planned.Threads),
		pause: time.Duration(m.planned.ThinkTimeMicros) * time.Microsecond,
	}, nil
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
