package engine

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/pacer"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// workers are those of a step on this pod. They go through one window after another, each a loop.
type workers struct {
	pod     *pod
	planned planv1.Step
	all     []*worker
	// senders is the number of pods that have workers, which are the first ones: an open loop's operations are shared by
	// them.
	senders int
	// expected is how many documents each operation of the mix is to come upon; nil where that is not known.
	expected []*reportv1.Expectation
	// recording is what the workers record in the present measure window, and arrivals what they do in it when that is an
	// open loop.
	recording *measure.Recording
	arrivals  *openLoop
}

func newWorkers(p *pod, index int) *workers {
	step := p.Plan.Steps[index]
	ws := &workers{pod: p, planned: step, senders: min(max(p.Plan.Pods, 1), step.Threads)}
	for i := range step.Operations {
		ws.expected = append(ws.expected, operation.Expectation(&step.Operations[i]))
	}
	first, count := planv1.Share(int64(step.Threads), p.Plan.Pods, p.Pod)
	for number := first; number < first+count; number++ {
		w := &worker{
			number: number, mix: p.mixes[index], classify: p.Target.Classify, patient: len(step.Actions) > 0,
			expected: ws.expected,
		}
		if step.ThinkTimeMicros > 0 {
			w.alarm = p.alarm()
		}
		ws.all = append(ws.all, w)
	}
	return ws
}

// ready opens the workers' sessions, so that no handshake is measured.
func (ws *workers) ready(ctx context.Context) error {
	sessions, err := ws.pod.sessions(ctx, len(ws.all), ws.planned)
	if err != nil {
		return err
	}
	for i, session := range sessions {
		ws.all[i].session = session
	}
	filler, able := ws.pod.Target.(loadgen.Filler)
	if !able || len(sessions) == 0 {
		return nil
	}
	if err := filler.Fill(ctx, ws.pod.use(ws.planned, false), len(sessions)); err != nil {
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

// work has all workers go through a warm-up, and then through a measure window; either may be nil. Meanwhile is done
// beside them, until the workers have ended or one of them failed; then its context ends.
func (ws *workers) work(ctx context.Context, meanwhile func(context.Context), warming, measuring loop) error {
	group, working := errgroup.WithContext(ctx)
	for _, worker := range ws.all {
		group.Go(func() error {
			if warming != nil {
				if err := warming.work(working, worker); err != nil {
					return err
				}
			}
			if measuring == nil {
				return nil
			}
			worker.measure()
			return measuring.work(working, worker)
		})
	}
	meanwhile(working)
	return group.Wait()
}

// until waits for an instant, or for the end of the context.
func until(at time.Time) func(context.Context) {
	return func(working context.Context) { _ = alarm.Timer{}.Until(working, at) }
}

// measure has all workers go through what is left of a warm-up, and then through the measure window. Settle returns
// when that begins.
func (ws *workers) measure(
	ctx context.Context, step *reportv1.Step, settle func(context.Context), warming, measuring loop,
) error {
	var watch watch
	var traffic reportv1.Traffic
	err := ws.work(ctx, func(working context.Context) {
		// A worker that fails during the warm-up ends the wait; what it said is the answer of work.
		settle(working)
		watch.begin(working, ws.pod, measuring.bounds())
		traffic = ws.pod.Target.Traffic()
	}, warming, measuring)
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
	return errors.Join(err, ws.collect(step))
}

// collect adds up what the workers recorded.
func (ws *workers) collect(step *reportv1.Step) error {
	operations, err := ws.recording.Operations()
	if err != nil {
		return fmt.Errorf("merging what the workers recorded: %w", err)
	}
	step.Operations, step.IntervalMillis = operations, ws.recording.IntervalMillis()
	if level(ws.planned.Arrival) {
		step.Steady = result.FindSteady(*step)
	}
	if ws.arrivals != nil {
		step.Arrivals, err = ws.arrivals.report(ws.recording)
	}
	return err
}

// arrivalLoop makes the loop of this pod's part of an arrival schedule within bounds. A pod shares the limit of the
// queue with the others. What is left of a warm-up's queue when it ends is forgotten, as everything of the warm-up is.
func (ws *workers) arrivalLoop(bounds window, arrival planv1.Arrival) (*openLoop, error) {
	label, drain := bounds.label, drainLimit
	if bounds.base >= workload.FirstWarmupNumber {
		arrival, label, drain = pacer.Warmup(arrival), label+"warmup", 0
	}
	schedule, err := pacer.New(arrival, ws.pod.Plan.DrawSeed(), ws.planned.Name+"\x00"+label)
	if err != nil {
		return nil, err
	}
	part, parts := ws.pod.Pod, ws.senders
	if bounds.alone {
		part, parts = 0, 1
	}
	_, limit := planv1.Share(arrival.MaxQueued, parts, part)
	l := &openLoop{
		window: bounds, process: string(arrival.Process), lead: make(chan struct{}, 1), alarm: ws.pod.alarm(),
		schedule: schedule, cursor: schedule.Cursor(int64(part), int64(parts)),
		queue: queue{limit: int(max(limit, 1))}, drain: drain,
	}
	l.advance()
	l.lead <- struct{}{}
	return l, nil
}

// record makes a new recording of a window with a recorder for every worker, which it uses from its measure on. The
// arrivals are those of an open loop, and nil in a closed one.
func (ws *workers) record(arrivals *openLoop, begin time.Time, length time.Duration) {
	ws.arrivals, ws.recording = arrivals, measure.NewRecording(ws.mix(), arrivals != nil, length)
	for _, worker := range ws.all {
		worker.recorder, worker.next, worker.opens = nil, ws.recording.Recorder(), begin
	}
	var dropped func() int64
	if arrivals != nil {
		dropped = arrivals.dropped.Load
	}
	if len(ws.planned.AbortOn) > 0 {
		ws.recording.Publish()
	}
	ws.pod.watch(ws.recording, len(ws.all), dropped)
}

// mix names the operations of the step.
func (ws *workers) mix() []reportv1.Operation {
	mix := make([]reportv1.Operation, len(ws.planned.Operations))
	for i, planned := range ws.planned.Operations {
		mix[i] = reportv1.Operation{Name: planned.Name, Kind: string(planned.Kind), Expect: ws.expected[i]}
	}
	return mix
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

// lastReply is when the last counted reply of a measure window came, but not before the window is over.
func (ws *workers) lastReply(bounds window) time.Time {
	last := bounds.begin
	if !bounds.end.IsZero() {
		last = bounds.end
	}
	for _, worker := range ws.all {
		if worker.lastReply.After(last) {
			last = worker.lastReply
		}
	}
	return last
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
	for _, stage := range arrival.Stages {
		if stage.From != stage.To || stage.To != arrival.Stages[0].To {
			return false
		}
	}
	return true
}

// worker sends one operation after the other over a session that only it uses. Which ones, and when, is a loop's.
type worker struct {
	// number of the worker among those of all pods.
	number   int64
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
	// inserted is how many documents each operation of the mix has sent in counted unacknowledged inserts; nil when
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
