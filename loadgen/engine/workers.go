package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// workers are those of a step on this pod, in one group or several. They go through one window after another, each with
// a loop for every group.
type workers struct {
	pod     *pod
	planned planv1.Step
	groups  []*group
	// all are the workers of all groups.
	all []*worker
	// recordings are what the workers record in the present measure window.
	recordings measure.Recordings
}

func newWorkers(p *pod, index int) *workers {
	ws := &workers{pod: p, planned: p.Plan.Steps[index]}
	first := 0
	for place := range p.mixes[index] {
		g := newGroup(p, index, place, first)
		first += len(g.planned.Operations)
		ws.groups, ws.all = append(ws.groups, g), append(ws.all, g.all...)
	}
	return ws
}

// only is the group of a step that has no others.
func (ws *workers) only() *group { return ws.groups[0] }

// group is the one of a name; nil for no name.
func (ws *workers) group(name string) *group {
	for _, g := range ws.groups {
		if name != "" && g.declared.Name == name {
			return g
		}
	}
	return nil
}

// ready opens the workers' sessions, so that no handshake is measured.
func (ws *workers) ready(ctx context.Context) error {
	for _, g := range ws.groups {
		sessions, err := ws.pod.sessions(ctx, len(g.all), g.planned)
		if err != nil {
			return err
		}
		for i, session := range sessions {
			g.all[i].session = session
		}
	}
	filler, able := ws.pod.Target.(loadgen.Filler)
	if !able || len(ws.all) == 0 {
		return nil
	}
	if err := filler.Fill(ctx, ws.pod.use(ws.planned, false), len(ws.all)); err != nil {
		return fmt.Errorf("opening the connections of the workers: %w", err)
	}
	return nil
}

// close gives back what the workers hold.
func (ws *workers) close() {
	for _, worker := range ws.all {
		worker.close()
	}
}

// loops are those of the groups in a window, in their order; nil for a group that has nothing to do in it.
type loops []loop

// of is the loop of a group's workers.
func (l loops) of(place int) loop {
	if l == nil {
		return nil
	}
	return l[place]
}

func (l loops) close() {
	for _, one := range l {
		if one != nil {
			one.close()
		}
	}
}

// work has all workers go through a warm-up, and then through a measure window; either may be nil. Meanwhile is done
// beside them, until the workers have ended or one of them failed; then its context ends.
func (ws *workers) work(ctx context.Context, meanwhile func(context.Context), warming, measuring loops) error {
	working, ctx := errgroup.WithContext(ctx)
	for place, g := range ws.groups {
		for _, worker := range g.all {
			working.Go(func() error { return worker.goThrough(ctx, warming.of(place), measuring.of(place)) })
		}
	}
	meanwhile(ctx)
	return working.Wait()
}

// goThrough has a worker go through the loops of its group.
func (w *worker) goThrough(ctx context.Context, warming, measuring loop) error {
	if warming != nil {
		if err := warming.work(ctx, w); err != nil {
			return err
		}
	}
	if measuring == nil {
		return nil
	}
	defer w.group.leave()
	w.measure()
	return measuring.work(ctx, w)
}

// until waits for an instant, or for the end of the context.
func until(at time.Time) func(context.Context) {
	return func(working context.Context) { _ = alarm.Timer{}.Until(working, at) }
}

// phase is what is left of a warm-up, and the measure window after it.
type phase struct {
	// settle returns when the measure window begins.
	settle             func(context.Context)
	warming, measuring loops
	// window is the measure window.
	window window
}

// measure has all workers go through what is left of a warm-up, and then through the measure window.
func (ws *workers) measure(ctx context.Context, step *reportv1.Step, through phase) error {
	var watch watch
	var traffic reportv1.Traffic
	err := ws.work(ctx, func(working context.Context) {
		// A worker that fails during the warm-up ends the wait; what it said is the answer of work.
		through.settle(working)
		watch.begin(working, ws.pod, through.window)
		traffic = ws.pod.Target.Traffic()
	}, through.warming, through.measuring)
	used, failed := watch.end()
	err = errors.Join(err, failed)
	step.Generator = used
	step.Traffic = measure.TrafficSince(ws.pod.Target.Traffic(), traffic)
	step.Threads, step.SweepOf = len(ws.all), ws.planned.SweepOf
	ws.tellClient(step)
	return err
}

// cut leaves in the step what was measured of a window until something ended it, which is the error. The operations
// that were under way then have no outcome, and are not counted.
func (ws *workers) cut(step *reportv1.Step, bounds window, err error) error {
	now := time.Now()
	if !now.After(bounds.begin) {
		// It was still warming up.
		return err
	}
	// The window is what there was of it: its rates are over that.
	step.MeasureStart, step.End = bounds.begin, now
	if !bounds.end.IsZero() && now.After(bounds.end) {
		ws.bound(step, bounds)
	}
	return errors.Join(err, ws.collect(step, bounds))
}

// collect adds up what the workers recorded in a measure window.
func (ws *workers) collect(step *reportv1.Step, bounds window) error {
	step.Operations, step.IntervalMillis = nil, ws.recordings.IntervalMillis()
	for _, g := range ws.groups {
		operations, err := g.operations()
		if err != nil {
			return err
		}
		step.Operations = append(step.Operations, operations...)
	}
	if ws.level() {
		step.Steady = result.FindSteady(*step)
	}
	if len(ws.planned.Groups) == 0 {
		var err error
		step.Arrivals, err = ws.only().keptArrivals()
		return err
	}
	step.Groups = nil
	for _, g := range ws.groups {
		group, err := g.report(bounds)
		if err != nil {
			return fmt.Errorf("group %q: %w", group.Name, err)
		}
		step.Groups = append(step.Groups, group)
	}
	return nil
}

// level says whether the load itself is the same all the time. Where it is not, an uneven throughput says nothing.
func (ws *workers) level() bool {
	return !slices.ContainsFunc(ws.groups, func(g *group) bool { return !g.steady() })
}

// record makes new recordings of a measure window, with a recorder for every worker, which it uses from its measure on.
// The loops are those that the workers will go through in it.
func (ws *workers) record(measuring loops, bounds window, length time.Duration) {
	ws.recordings = nil
	recorded := make([]measure.Recorded, 0, len(ws.groups))
	for place, g := range ws.groups {
		g.measuring = measuring[place]
		own := length
		if end := g.measuring.bounds().end; length > 0 && g.endKnown() && !end.IsZero() {
			own = end.Sub(bounds.begin)
		}
		g.recording = measure.NewRecording(g.named(), g.dropped() != nil, own)
		ws.recordings = append(ws.recordings, g.recording)
		recorded = append(recorded, measure.Recorded{Recording: g.recording, Threads: len(g.all), Dropped: g.dropped()})
		for _, worker := range g.all {
			worker.recorder, worker.next, worker.opens = nil, g.recording.Recorder(), bounds.begin
		}
	}
	if len(ws.planned.AbortOn) > 0 {
		ws.recordings.Publish()
	}
	ws.pod.watch(recorded...)
}

// bound writes into a step when its measure window began and ended, and how long after its planned end the last counted
// reply came.
func (ws *workers) bound(step *reportv1.Step, bounds window) {
	step.MeasureStart, step.End = bounds.begin, ws.lastReply(bounds)
	if !bounds.end.IsZero() {
		step.WindowMillis = bounds.end.Sub(bounds.begin).Milliseconds()
		step.OverrunMicros = step.End.Sub(bounds.end).Microseconds()
	}
}

// lastReply is when the last counted reply of a measure window came, but not before the window is over. Where groups
// have ended by themselves, the window may be over before its planned end.
func (ws *workers) lastReply(bounds window) time.Time {
	last := bounds.begin
	if !bounds.end.IsZero() {
		last = bounds.end
	}
	return lastReply(ws.all, last)
}

// progress is the number of operations that were answered, and of those that were counted.
func (ws *workers) progress() (completed, counted int64) {
	for _, worker := range ws.all {
		replies := worker.completed.Load()
		completed += replies
		counted += replies - worker.warm.Load()
	}
	return completed, counted
}

// tellClient names what the workers send by, and what that adds to what operations declare.
func (ws *workers) tellClient(step *reportv1.Step) {
	if len(ws.all) == 0 {
		return
	}
	session := ws.all[0].session
	step.Client = session.Client()
	if telling, ok := session.(loadgen.Telling); ok {
		step.Sent, step.PoolSize = telling.Sent()
	}
}

// level says whether the load itself is the same all the time. Where it is not, an uneven throughput says nothing.
func level(arrival *planv1.Arrival) bool {
	if arrival == nil {
		return true
	}
	if arrival.Formula != "" {
		return false
	}
	for _, stage := range arrival.Stages {
		if stage.From != stage.To || stage.To != arrival.Stages[0].To {
			return false
		}
	}
	return true
}

// worker sends one operation after the other over a session that only it uses. Which ones, and when, is a loop's.
type worker struct {
	group *group
	// number of the worker among those of its group on all pods, and its rank where not all of them work all the time.
	number   int64
	rank     int64
	mix      *workload.Mix
	session  loadgen.Session
	classify func(error) string
	// expected are the workers'.
	expected []*reportv1.Expectation
	// recorder counts what is measured; nil while warming up. next is the one of the window that comes, which opens then.
	recorder, next *measure.Recorder
	opens          time.Time
	// alarm is for the worker's own pauses, and nil when it has none.
	alarm   alarm.Alarm
	request workload.Request
	reply   loadgen.Reply
	// completed is the number of replies, of which warm were not counted yet. Others read them for the progress.
	completed, warm atomic.Int64
	// windows and warmUps are how many operations it has sent in the windows of a duet, and in the warm-ups before them.
	windows, warmUps int64
	// lastReply is when the last counted reply came.
	lastReply time.Time
	// inserted is how many documents each operation of its mix has sent in counted unacknowledged inserts; nil when
	// these are not counted.
	inserted []int64
	// patient is a worker of a step with actions, which may keep the database away for as long as the step lasts.
	patient bool
	// failures are those since the last success.
	failures measure.Failures
	// heard is told of every outcome; nil unless somebody listens. It is called by several workers at a time.
	heard func(*worker, outcome)
}

// outcome is what became of one operation.
type outcome struct {
	// due is when it was to be sent; in a closed loop that is when it was sent.
	due, sent, replied time.Time
	err                error
}

// execute sends the operation that was drawn and waits for its reply. Its own failure is part of the outcome; an error
// is the end of the run.
func (w *worker) execute(ctx context.Context) (outcome, error) {
	w.reply = loadgen.Reply{}
	result := outcome{sent: time.Now()}
	result.err = w.session.Execute(ctx, &w.request, &w.reply)
	result.replied = time.Now()
	result.due = result.sent
	if result.err != nil && ctx.Err() != nil {
		return outcome{}, context.Cause(ctx)
	}
	return result, nil
}

// finish counts an operation and makes ready for the next.
func (w *worker) finish(ctx context.Context, result outcome, begin time.Time) error {
	w.completed.Add(1)
	if w.heard != nil {
		w.heard(w, result)
	}
	switch {
	case w.recorder != nil:
		w.record(result, begin)
	case w.next != nil && result.err == nil && !result.replied.Before(w.opens):
		w.next.CarriedOver(w.request.Operation, result.replied.Sub(w.opens))
	}
	if err := w.failures.Add(result.err, result.sent, result.replied); err != nil && !w.patient {
		return fmt.Errorf("worker %d %w", w.number, err)
	}
	w.session.Settle(ctx)
	return nil
}

// measure begins a worker's measure window: from here on its operations are recorded.
func (w *worker) measure() {
	w.warm.Store(w.completed.Load())
	w.recorder = w.next
}

// record counts an outcome in the window with this begin.
func (w *worker) record(result outcome, begin time.Time) {
	w.lastReply = result.replied
	sample := measure.Sample{
		At: result.replied.Sub(begin), Service: result.replied.Sub(result.sent), Response: result.replied.Sub(result.due),
		Documents: w.reply.Documents, Retries: w.reply.Retries, Unacknowledged: w.reply.Unacknowledged,
		Inserted: w.reply.Inserted, Matched: w.reply.Matched, Modified: w.reply.Modified, Deleted: w.reply.Deleted,
	}
	if !w.reply.Unacknowledged {
		found := w.reply.Found()
		sample.Empty = found == 0 && w.request.Kind.Row().Looks()
		if expected := w.expected[w.request.Operation]; expected != nil {
			sample.Unexpected = !expected.Kept(found)
		}
	}
	if result.err != nil {
		w.recorder.Failure(w.request.Operation, sample, w.classify(result.err), result.err)
		return
	}
	if since := w.reply.Since; !since.IsZero() {
		// The clocks may be apart by more than it took.
		sample.Occupied, sample.Service = sample.Service, max(0, result.replied.Sub(since))
		sample.Response = sample.Service
	}
	if !w.reply.First.IsZero() {
		sample.First = w.reply.First.Sub(result.sent)
	}
	w.recorder.Success(w.request.Operation, sample)
	if sample.Unacknowledged && w.inserted != nil {
		w.inserted[w.request.Operation] += int64(len(w.request.Documents))
	}
}

// close gives back what the worker holds.
func (w *worker) close() {
	if w.session != nil {
		w.session.Close()
	}
	if w.alarm != nil {
		w.alarm.Close()
	}
}
