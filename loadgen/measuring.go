package loadgen

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/pacer"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// measureStep drives a mix of operations: first for the warm-up, then for the measure window.
type measureStep struct {
	*crew
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

func (e *Engine) newMeasureStep(index int) *measureStep {
	m := &measureStep{crew: e.newCrew(index)}
	for _, worker := range m.workers {
		stride := int64(m.planned.Threads)
		m.share += m.planned.OperationCount / stride
		if worker.number < m.planned.OperationCount%stride {
			m.share++
		}
	}
	if m.planned.Arrival != nil && len(m.workers) > 0 {
		// The operations of an open loop are shared by the pods, not by the threads.
		m.share = (m.planned.OperationCount + int64(m.senders-1-e.Pod)) / int64(m.senders)
	}
	return m
}

func (m *measureStep) ready(ctx context.Context) error {
	return m.open(ctx)
}

func (m *measureStep) run(ctx context.Context, step *reportv1.Step) error {
	if err := m.plan(step.Start); err != nil {
		return err
	}
	defer m.warming.close()
	defer m.measuring.close()
	m.recording = m.record(m.arrivals != nil, time.Duration(m.planned.DurationSeconds)*time.Second)
	m.started.Store(true)
	tuned := m.engine.tune(m.crew, m.measured.begin)
	defer tuned.restore()
	var before measure.Usage
	var traffic reportv1.Traffic
	err := m.work(ctx, func(working context.Context) {
		// A worker that fails during the warm-up ends the wait; what it said is the answer of work.
		tuned.choose(working)
		before, traffic = measure.ReadUsage(), m.engine.Target.Traffic()
	}, func(*worker) loop { return m.warming }, m.measureBy)
	if err != nil {
		return err
	}
	step.Generator = measure.ReadUsage().Since(before)
	step.Traffic = trafficSince(m.engine.Target.Traffic(), traffic)
	step.Threads, step.Client, step.SweepOf = len(m.workers), m.client(), m.planned.SweepOf
	step.MeasureStart, step.End = m.measured.begin, m.lastReply(m.measured)
	return m.collect(step)
}

// plan sets the windows, from the start of the step on, and what is done in them.
func (m *measureStep) plan(start time.Time) error {
	begin := start.Add(time.Duration(m.planned.WarmupSeconds) * time.Second)
	m.warmup = window{base: workload.FirstWarmupNumber, begin: start, end: begin}
	m.measured = window{begin: begin, count: m.planned.OperationCount}
	if m.planned.DurationSeconds > 0 {
		m.measured.end = begin.Add(time.Duration(m.planned.DurationSeconds) * time.Second)
	}
	if m.planned.Arrival == nil {
		pause := time.Duration(m.planned.ThinkTimeMicros) * time.Microsecond
		stride := int64(m.planned.Threads)
		m.warming = &closedLoop{window: m.warmup, stride: stride, pause: pause}
		m.measuring = &closedLoop{window: m.measured, stride: stride, pause: pause}
		return nil
	}
	warming, err := m.arrivalLoop(m.warmup, pacer.Warmup(*m.planned.Arrival), "warmup")
	if err != nil {
		return err
	}
	// What is left of the warm-up's queue when the window begins is forgotten, as everything of the warm-up is.
	warming.drain = 0
	if m.arrivals, err = m.arrivalLoop(m.measured, *m.planned.Arrival, ""); err != nil {
		warming.close()
		return err
	}
	m.warming, m.measuring = warming, m.arrivals
	return nil
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
		step.Steady = reportv1.FindSteady(*step)
	}
	if m.arrivals != nil {
		if step.Arrivals, err = m.arrivals.report(m.recording, m.planned.Arrival.Process); err != nil {
			return err
		}
	}
	return nothingSucceeded(operations)
}

// level says whether the load itself is the same all the time. Where it is not, an uneven throughput says nothing.
func level(arrival *planv1.Arrival) bool {
	if arrival == nil {
		return true
	}
	for _, stage := range arrival.Stages {
		if stage.From != stage.To || stage.To != arrival.Stages[0].To {
			return false
		}
	}
	return true
}

func (m *measureStep) done() advance {
	if !m.started.Load() {
		return advance{warmingUp: true}
	}
	now := time.Now()
	completed, counted := m.progress()
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

// trafficSince is what went over the connections after an earlier reading. The longest checkout is of all time: it says
// nothing when there was none since.
func trafficSince(now, before reportv1.Traffic) reportv1.Traffic {
	since := reportv1.Traffic{
		BytesIn: now.BytesIn - before.BytesIn, BytesOut: now.BytesOut - before.BytesOut,
		Checkouts: now.Checkouts - before.Checkouts, CheckoutMicros: now.CheckoutMicros - before.CheckoutMicros,
	}
	if since.Checkouts > 0 {
		since.MaxCheckoutMicros = now.MaxCheckoutMicros
	}
	return since
}

// checkMeasure says whether a step can be driven.
func checkMeasure(step planv1.Step) error {
	if step.Threads < 1 || (step.DurationSeconds > 0) == (step.OperationCount > 0) {
		return fmt.Errorf("step %q: %d threads, a duration of %d seconds and %d operations: it needs a thread, and "+
			"exactly one of duration and number of operations", step.Name, step.Threads, step.DurationSeconds,
			step.OperationCount)
	}
	if step.Arrival == nil {
		return nil
	}
	if _, err := pacer.New(*step.Arrival, 0, ""); err != nil {
		return fmt.Errorf("step %q: %w", step.Name, err)
	}
	if step.ThinkTimeMicros > 0 {
		return fmt.Errorf("step %q: a think time goes with a closed loop, and this one has an arrival schedule", step.Name)
	}
	return nil
}
