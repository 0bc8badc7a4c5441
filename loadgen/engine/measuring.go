package engine

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/pacer"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// measureStep drives a mix of operations: first for the warm-up, then for the measure window.
type measureStep struct {
	*workers
	// index of the step in the plan.
	index     int
	recording *measure.Recording
	// warmup and measured bound the two windows.
	warmup, measured window
	// warming and measuring are what the workers do in them; arrivals is the latter again when it is an open loop.
	warming, measuring loop
	arrivals           *openLoop
	// share is this pod's part of the step's operation count.
	share int64
	// started is set once the windows are.
	started atomic.Bool
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

func (m *measureStep) ready(ctx context.Context) error {
	return m.open(ctx)
}

func (m *measureStep) run(ctx context.Context, step *reportv1.Step) error {
	begin := step.Start.Add(time.Duration(m.planned.WarmupSeconds) * time.Second)
	tuned := newTuning(m.workers, begin)
	defer tuned.restore()
	if err := m.planWarmup(step.Start, begin); err != nil {
		return err
	}
	defer m.warming.close()
	windows := []func(*worker) loop{m.warmBy, m.measureBy}
	draining := newDraining(m.workers)
	if draining != nil {
		// The window would pay for what the warm-up leaves in the connections: it begins when that was taken in.
		if err := m.work(ctx, tuned.choose, m.warmBy); err != nil {
			return err
		}
		draining.begin(ctx)
		begin, windows = time.Now(), windows[1:]
	}
	if err := m.planWindow(begin); err != nil {
		return err
	}
	defer m.measuring.close()
	m.recording = m.record(m.arrivals, time.Duration(m.planned.DurationSeconds)*time.Second)
	m.started.Store(true)
	actions := &actionRunner{workers: m.workers, step: m.index, window: m.measured, recording: m.recording}
	actions.start(ctx)
	defer actions.stop()
	if err := m.measureWindow(ctx, step, tuned, windows); err != nil {
		return err
	}
	draining.end(ctx, step)
	if err := m.collect(step); err != nil {
		return err
	}
	draining.reckon(ctx, step)
	actions.outcome(step)
	return measure.NothingSucceeded(step.Operations)
}

// measureWindow has the workers go through what is left of the windows, the last of which is measured.
func (m *measureStep) measureWindow(
	ctx context.Context, step *reportv1.Step, tuned *tuning, windows []func(*worker) loop,
) error {
	var before measure.Usage
	var traffic reportv1.Traffic
	err := m.work(ctx, func(working context.Context) {
		// A worker that fails during the warm-up ends the wait; what it said is the answer of work.
		tuned.choose(working)
		before, traffic = measure.ReadUsage(), m.pod.Target.Traffic()
	}, windows...)
	if err != nil {
		return err
	}
	step.Generator = measure.ReadUsage().Since(before)
	step.Traffic = measure.TrafficSince(m.pod.Target.Traffic(), traffic)
	step.Threads, step.Client, step.SweepOf = len(m.all), m.client(), m.planned.SweepOf
	step.MeasureStart, step.End = m.measured.begin, m.lastReply(m.measured)
	return nil
}

// planWarmup sets the window of the warm-up, from the start of the step on, and what is done in it.
func (m *measureStep) planWarmup(start, end time.Time) error {
	m.warmup = window{base: workload.FirstWarmupNumber, begin: start, end: end}
	if m.planned.Arrival == nil {
		m.warming = m.closedLoop(m.warmup)
		return nil
	}
	warming, err := m.arrivalLoop(m.warmup, pacer.Warmup(*m.planned.Arrival), "warmup")
	if err != nil {
		return err
	}
	// What is left of the warm-up's queue when the window begins is forgotten, as everything of the warm-up is.
	warming.drain = 0
	m.warming = warming
	return nil
}

// planWindow sets the window that is measured, and what is done in it.
func (m *measureStep) planWindow(begin time.Time) error {
	m.measured = window{begin: begin, count: m.planned.OperationCount}
	if m.planned.DurationSeconds > 0 {
		m.measured.end = begin.Add(time.Duration(m.planned.DurationSeconds) * time.Second)
	}
	if m.planned.Arrival == nil {
		m.measuring = m.closedLoop(m.measured)
		return nil
	}
	var err error
	m.arrivals, err = m.arrivalLoop(m.measured, *m.planned.Arrival, "")
	m.measuring = m.arrivals
	return err
}

func (m *measureStep) closedLoop(bounds window) *closedLoop {
	return &closedLoop{
		window: bounds, stride: int64(m.planned.Threads),
		pause: time.Duration(m.planned.ThinkTimeMicros) * time.Microsecond,
	}
}

// warmBy begins a worker's warm-up.
func (m *measureStep) warmBy(*worker) loop {
	return m.warming
}

// measureBy begins a worker's measure window.
func (m *measureStep) measureBy(w *worker) loop {
	w.measure()
	return m.measuring
}

// collect adds up what the workers recorded.
func (m *measureStep) collect(step *reportv1.Step) error {
	operations, err := m.recording.Operations()
	if err != nil {
		return fmt.Errorf("merging what the workers recorded: %w", err)
	}
	step.Operations, step.IntervalMillis = operations, m.recording.IntervalMillis()
	if level(m.planned.Arrival) {
		step.Steady = result.FindSteady(*step)
	}
	if m.arrivals != nil {
		step.Arrivals, err = m.arrivals.report(m.recording, m.planned.Arrival.Process)
	}
	return err
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
