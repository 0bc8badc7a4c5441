package engine

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// turnStep measures in windows that take turns with those of another target, as the engine's Turns give them out:
//
//	wait ──▶ warm up ──▶ window ──▶ its last replies ──▶ hand the turn back ─┐
//	  ▲                                                                      │
//	  └──────────────────────────────────────────────────────────────────────┘
//
// Nothing is under way while it waits, so that its target rests. The step is all of its windows together, as if they
// had followed one another.
type turnStep struct {
	*workers
	// recorded is what all windows recorded, and windows all that is around it.
	recorded *measure.Recording
	windows  result.Windows
	// used counts the operations of an open loop, and settled those of its warm-ups, so that no two have the same number.
	used, settled int64
	// began says that the first window has begun.
	began atomic.Bool
}

func newTurnStep(p *pod, index int) *turnStep {
	return &turnStep{workers: newWorkers(p, index)}
}

func (t *turnStep) run(ctx context.Context, step *reportv1.Step) error {
	t.recorded = measure.NewSum(t.only().named(), t.planned.Arrival != nil)
	for {
		turn, more, err := t.pod.Turns.Next(ctx, t.planned.Name)
		if err == nil && !more {
			break
		}
		var done loadgen.Done
		if err == nil {
			done, err = t.take(ctx, turn)
		}
		if err != nil {
			return errors.Join(err, t.finish(step))
		}
		t.pod.Turns.Done(done)
	}
	if err := t.finish(step); err != nil {
		return err
	}
	return measure.NothingSucceeded(step.Operations)
}

// take does what a turn asks for.
func (t *turnStep) take(ctx context.Context, turn loadgen.Turn) (loadgen.Done, error) {
	start := time.Now()
	begin := start.Add(turn.WarmUp)
	warming, err := t.loop(window{
		base: workload.FirstWarmupNumber + t.settled, begin: start, end: begin,
		label: fmt.Sprintf("before window %d", turn.Number),
	})
	if err != nil {
		return loadgen.Done{}, err
	}
	defer func() {
		t.settled += numbered(warming)
		warming.close()
	}()
	if turn.Window == 0 {
		return t.warmUp(ctx, warming, turn.Sample)
	}
	bounds := window{base: t.used, begin: begin, end: begin.Add(turn.Window), label: fmt.Sprintf("window %d", turn.Number)}
	measuring, err := t.loop(bounds)
	if err != nil {
		return loadgen.Done{}, err
	}
	defer measuring.close()
	arrivals, open := measuring.(*openLoop)
	if open {
		// What is still queued is the slowest part of the window, and the other side waits meanwhile.
		arrivals.drain = turn.Window
	}
	t.record(loops{measuring}, bounds, turn.Window)
	t.began.Store(true)
	var part reportv1.Step
	through := phase{settle: until(begin), warming: loops{warming}, measuring: loops{measuring}, window: bounds}
	if err := t.measure(ctx, &part, through); err != nil {
		return loadgen.Done{}, err
	}
	t.used += numbered(measuring)
	t.bound(&part, bounds)
	newDraining(t.workers).end(ctx, &part)
	return t.add(&part, bounds)
}

// warmUp sends what is not measured, and counts how much of it was answered in each of these times.
func (t *turnStep) warmUp(ctx context.Context, warming loop, each time.Duration) (loadgen.Done, error) {
	var done loadgen.Done
	err := t.work(ctx, func(working context.Context) {
		bounds := warming.bounds()
		if each == 0 {
			until(bounds.end)(working)
			return
		}
		before, _ := t.progress()
		for next := bounds.begin.Add(each); !next.After(bounds.end); next = next.Add(each) {
			if (alarm.Timer{}).Until(working, next) != nil {
				return
			}
			now, _ := t.progress()
			done.Samples, before = append(done.Samples, now-before), now
		}
	}, loops{warming}, nil)
	newDraining(t.workers).end(ctx, &reportv1.Step{End: time.Now()})
	return done, err
}

// add adds a window to the others, and tells what it came to.
func (t *turnStep) add(part *reportv1.Step, bounds window) (loadgen.Done, error) {
	if err := t.collect(part, bounds); err != nil {
		return loadgen.Done{}, err
	}
	done := loadgen.Done{
		Begin: part.MeasureStart, End: part.WindowEnd(), Replied: part.End,
	}
	for operation := range part.Mix() {
		found, err := result.TimesOf(operation)
		if err != nil {
			return loadgen.Done{}, fmt.Errorf("operation %q: %w", operation.Name, err)
		}
		done.Operations = append(done.Operations, loadgen.DoneOperation{
			Replies: operation.Replies(), Errors: operation.Errors, Latency: found.Latency,
		})
	}
	t.windows.Add(*part)
	t.recorded.Append(t.only().recording)
	return done, nil
}

// finish makes the step of what its windows came to; one without any stays as it was.
func (t *turnStep) finish(step *reportv1.Step) error {
	if t.windows.Count() == 0 {
		return nil
	}
	operations, err := t.recorded.Operations()
	if err != nil {
		return fmt.Errorf("merging what the windows recorded: %w", err)
	}
	var sent *reportv1.Arrivals
	if t.planned.Arrival != nil {
		if sent, err = t.recorded.Arrivals(); err != nil {
			return err
		}
	}
	whole, err := t.windows.Step(operations, t.recorded.IntervalMillis(), sent)
	if err != nil {
		return err
	}
	whole.Name, whole.Kind, whole.Pings = step.Name, step.Kind, step.Pings
	whole.IntendedStart, whole.Start, whole.StartSkewMicros = step.IntendedStart, step.Start, step.StartSkewMicros
	whole.ClockSetMicros = step.ClockSetMicros
	*step = whole
	return nil
}

// loop is what the workers do within bounds.
func (t *turnStep) loop(bounds window) (loop, error) {
	one, err := t.only().loop(bounds)
	if closed, is := one.(*closedLoop); is {
		// Each worker goes on with the number after its last one.
		closed.rounds = func(w *worker) *int64 { return &w.windows }
		if bounds.base >= workload.FirstWarmupNumber {
			closed.rounds = func(w *worker) *int64 { return &w.warmUps }
		}
	}
	return one, err
}

// numbered is how many operations an open loop has numbered; of a closed one each worker knows its own.
func numbered(of loop) int64 {
	if open, is := of.(*openLoop); is {
		return open.next.number
	}
	return 0
}

func (t *turnStep) done() advance {
	completed, _ := t.progress()
	return advance{count: completed, warmingUp: !t.began.Load(), percent: t.pod.Turns.Percent()}
}
