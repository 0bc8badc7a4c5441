package engine

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

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
	sampled loadgen.Sampled
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
	// replaying is what a worker of a replay has besides.
	replaying replaying
	// heard is told of every outcome; nil unless somebody listens. It is called by several workers at a time.
	heard func(*worker, outcome)
	// flows carries out those of the mix, nil where it has none, and origin is what the times of the present window's
	// recording count from.
	flows  *flowing
	origin time.Time
	// snapshots is the session, where operations read from snapshots; nil for none.
	snapshots loadgen.Snapshotter
}

// outcome is what became of one operation.
type outcome struct {
	// due is when it was to be sent; in a closed loop that is when it was sent.
	due, sent, replied time.Time
	err                error
	// number of the operation among those of its group.
	number int64
}

// execute sends the operation that was drawn by a number and waits for its reply. Its own failure is part of the
// outcome; an error is the end of the run.
func (w *worker) execute(ctx context.Context, number int64) (outcome, error) {
	w.reply = loadgen.Reply{}
	if w.snapshots != nil {
		w.snapshots.NewSnapshot()
	}
	result := outcome{sent: time.Now()}
	if w.flows != nil && w.mix.IsFlow(&w.request) {
		result.err = w.flows.carryOut(ctx, number)
	} else {
		result.err = w.session.Execute(ctx, &w.request, &w.reply)
	}
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
		w.record(&w.request, &w.reply, result, begin)
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
func (w *worker) record(request *workload.Request, reply *loadgen.Reply, result outcome, begin time.Time) {
	w.lastReply = result.replied
	sample := measure.Sample{
		At: result.replied.Sub(begin), Service: result.replied.Sub(result.sent), Response: result.replied.Sub(result.due),
		Documents: reply.Documents, Retries: reply.Retries, Unacknowledged: reply.Unacknowledged,
		Database: reply.Database,
		Inserted: reply.Inserted, Matched: reply.Matched, Modified: reply.Modified, Deleted: reply.Deleted,
	}
	if !reply.Unacknowledged {
		found := reply.Found()
		sample.Empty = found == 0 && request.Kind.Row().Looks()
		if expected := w.expected[request.Operation]; expected != nil {
			sample.Unexpected = !expected.Kept(found)
		}
		sample.Unexpected = sample.Unexpected || w.replaying.differs
	}
	if result.err != nil {
		class := w.classOf(result.err)
		w.recorder.Failure(request.Operation, sample, class, result.err)
		w.sample(request, result, sample, class)
		return
	}
	if since := reply.Since; !since.IsZero() {
		// The clocks may be apart by more than it took.
		sample.Occupied, sample.Service = sample.Service, max(0, result.replied.Sub(since))
		sample.Response = sample.Service
	}
	if !reply.First.IsZero() {
		sample.First = reply.First.Sub(result.sent)
	}
	w.recorder.Success(request.Operation, sample)
	w.sample(request, result, sample, "")
	if sample.Unacknowledged && w.inserted != nil {
		w.inserted[request.Operation] += int64(len(request.Documents))
	}
}

// sample gives an operation that was counted to the Sampler, if there is one.
func (w *worker) sample(request *workload.Request, result outcome, counted measure.Sample, class string) {
	sampler := w.group.pod.Sampler
	if sampler == nil {
		return
	}
	w.sampled = loadgen.Sampled{
		Operation: w.group.first + request.Operation, Number: result.number, Worker: w.number, Due: result.due,
		Sent: result.sent, Replied: result.replied, Latency: counted.Service, Class: class, Documents: counted.Documents,
		Retries: counted.Retries,
	}
	if w.group.open() {
		w.sampled.Latency = counted.Response
	}
	sampler.Sample(&w.sampled)
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
