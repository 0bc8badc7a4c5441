package loadgen

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/pacer"
)

// crew is the workers of a step on this pod. They go through one window after another, each a loop.
type crew struct {
	engine  *Engine
	planned planv1.Step
	workers []*worker
	// senders is the number of pods that have workers, which are the first ones: an open loop's operations are shared by
	// them.
	senders int
}

func (e *Engine) newCrew(index int) *crew {
	step := e.Plan.Steps[index]
	c := &crew{engine: e, planned: step, senders: min(max(e.Plan.Pods, 1), step.Threads)}
	first, workers := planv1.Share(int64(step.Threads), e.Plan.Pods, e.Pod)
	for number := first; number < first+workers; number++ {
		w := &worker{
			number: number, mix: e.compiled.mixes[index], classify: e.Target.Classify, patient: len(step.Actions) > 0,
		}
		if step.ThinkTimeMicros > 0 {
			w.alarm = e.alarm()
		}
		c.workers = append(c.workers, w)
	}
	return c
}

// open opens the workers' sessions, so that no handshake is measured.
func (c *crew) open(ctx context.Context) error {
	sessions, err := c.engine.sessions(ctx, len(c.workers), c.planned)
	if err != nil {
		return err
	}
	for i, session := range sessions {
		c.workers[i].session = session
	}
	return nil
}

// close gives back what the workers hold.
func (c *crew) close() {
	for _, worker := range c.workers {
		worker.close()
	}
}

// work has all workers go through windows, one after the other. Meanwhile is done beside them, until the workers have
// ended or one of them failed; then its context ends.
func (c *crew) work(ctx context.Context, meanwhile func(context.Context), windows ...func(*worker) loop) error {
	group, working := errgroup.WithContext(ctx)
	for _, worker := range c.workers {
		group.Go(func() error {
			for _, window := range windows {
				if err := window(worker).work(working, worker); err != nil {
					return err
				}
			}
			return nil
		})
	}
	meanwhile(working)
	return group.Wait()
}

// schedule makes this pod's part of an arrival schedule; the label keeps random ones apart.
func (c *crew) schedule(arrival planv1.Arrival, label string) (*pacer.Cursor, error) {
	schedule, err := pacer.New(arrival, c.engine.Plan.Seed, c.planned.Name+"\x00"+label)
	if err != nil {
		return nil, err
	}
	return schedule.Cursor(int64(c.engine.Pod), int64(c.senders)), nil
}

// arrivalLoop makes the loop of an arrival schedule within bounds. A pod shares the limit of the queue with the others.
func (c *crew) arrivalLoop(bounds window, arrival planv1.Arrival, label string) (*openLoop, error) {
	cursor, err := c.schedule(arrival, label)
	if err != nil {
		return nil, err
	}
	_, limit := planv1.Share(arrival.MaxQueued, c.senders, c.engine.Pod)
	return newOpenLoop(bounds, cursor, limit, c.engine.alarm()), nil
}

// record makes a new recording with a recorder for every worker, which it uses from its measure on. The arrivals are
// those of an open loop, and nil in a closed one.
func (c *crew) record(arrivals *openLoop, length time.Duration) *measure.Recording {
	mix := make([]reportv1.Operation, len(c.planned.Operations))
	for i, operation := range c.planned.Operations {
		mix[i] = reportv1.Operation{Name: operation.Name, Kind: operation.Kind}
	}
	recording := measure.NewRecording(mix, arrivals != nil, length)
	for _, worker := range c.workers {
		worker.recorder, worker.next = nil, recording.Recorder()
	}
	c.engine.watchRecording(recording, len(c.workers), arrivals)
	return recording
}

// measure begins a worker's measure window: from here on its operations are recorded.
func (w *worker) measure() {
	w.warm.Store(w.completed.Load())
	w.recorder = w.next
}

// lastReply is when a measure window ended: with the last counted reply, but not before the window is over, for a
// worker that had to wait long for its last reply was idle for nobody else's sake.
func (c *crew) lastReply(bounds window) time.Time {
	last := bounds.begin
	if !bounds.end.IsZero() {
		last = bounds.end
	}
	for _, worker := range c.workers {
		if worker.lastReply.After(last) {
			last = worker.lastReply
		}
	}
	return last
}

// progress is the number of operations that were answered, and of those that were counted.
func (c *crew) progress() (completed, counted int64) {
	for _, worker := range c.workers {
		replies := worker.completed.Load()
		completed += replies
		counted += replies - worker.warm.Load()
	}
	return completed, counted
}

// client names what the workers send by.
func (c *crew) client() string {
	if len(c.workers) == 0 {
		return ""
	}
	return c.workers[0].session.Client()
}

// nothingSucceeded is the error of a step in which nothing did: it has measured nothing.
func nothingSucceeded(operations []reportv1.Operation) error {
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

// sessions opens handles for this many workers, or none.
func (e *Engine) sessions(ctx context.Context, workers int, step planv1.Step) ([]Session, error) {
	opened := make([]Session, workers)
	group, opening := errgroup.WithContext(ctx)
	use := Use{
		Database: e.Plan.Database, Collections: e.Plan.Collections, Step: step, Client: e.Plan.Client, Resume: e.Resume,
	}
	for i := range opened {
		group.Go(func() error {
			session, err := e.Target.Session(opening, use)
			opened[i] = session
			return err
		})
	}
	if err := group.Wait(); err != nil {
		closeSessions(opened)
		return nil, fmt.Errorf("connecting the workers: %w", err)
	}
	return opened, nil
}

// closeSessions closes those that were opened.
func closeSessions(sessions []Session) {
	for _, session := range sessions {
		if session != nil {
			session.Close()
		}
	}
}

// alarm is a new alarm of the kind that the engine was told to use.
func (e *Engine) alarm() alarm.Alarm {
	if e.NewAlarm == nil {
		return alarm.Precise()
	}
	return e.NewAlarm()
}
