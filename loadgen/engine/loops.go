package engine

import (
	"context"
	"sync/atomic"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/pacer"
)

// loop says which operations a worker sends, and when.
type loop interface {
	// work has a worker send operations until the window is over. The one under way at its end is waited for, and counted.
	work(ctx context.Context, w *worker) error
	// bounds are those of its window.
	bounds() window
	// close gives back what the loop holds, after the last worker has ended.
	close()
}

// window bounds what is done: by a time, by a number of operations, or both. Zero values do not bound.
type window struct {
	// base is added to the numbers of the operations.
	base  int64
	begin time.Time
	end   time.Time
	count int64
	// stop ends it when it is closed; nil: nothing does.
	stop <-chan struct{}
	// origin is what the times of a recording count from, where that is not the begin: a group may begin later than the
	// measure window that it belongs to.
	origin time.Time
	// label keeps random schedules apart.
	label string
	// alone has this pod send all operations of an open loop, rather than share them with the others.
	alone bool
}

func (w window) over(number int64, now time.Time) bool {
	return w.count > 0 && number >= w.count || !w.end.IsZero() && !now.Before(w.end) || w.stopped()
}

func (w window) stopped() bool {
	if w.stop == nil {
		return false
	}
	select {
	case <-w.stop:
		return true
	default:
		return false
	}
}

// recorded is what the times of a recording count from.
func (w window) recorded() time.Time {
	if w.origin.IsZero() {
		return w.begin
	}
	return w.origin
}

// resting is a context for the waits of a worker, which ends when the window is stopped.
func (w window) resting(ctx context.Context) (resting context.Context, release func()) {
	if w.stop == nil {
		return ctx, func() {}
	}
	resting, cancel := context.WithCancel(ctx)
	released := make(chan struct{})
	go func() {
		select {
		case <-w.stop:
		case <-released:
		}
		cancel()
	}()
	return resting, func() { close(released) }
}

// closedLoop has every worker send its next operation as soon as the one before was answered, or a pause later. A
// worker sends the operations with its own number and every stride-th after that, so that the numbers that are sent do
// not depend on how fast any worker is.
type closedLoop struct {
	window window
	stride int64
	// pauses are the think times; nil: there are none.
	pauses *pauses
	// ramp says which workers work when.
	ramp ramp
	// rounds is where a worker counts the operations that it sends in this loop and in earlier ones of its kind, whose
	// numbers this one goes on with; nil: there are no others.
	rounds func(*worker) *int64
}

func (l *closedLoop) work(ctx context.Context, w *worker) error {
	resting, release := l.window.resting(ctx)
	defer release()
	w.origin = l.window.recorded()
	rounds := new(int64)
	if l.rounds != nil {
		rounds = l.rounds(w)
	}
	number := w.number + *rounds*l.stride
	more, err := l.await(ctx, resting, w, number, l.opening())
	for ; more; number += l.stride {
		*rounds++
		w.mix.Draw(l.window.base+number, &w.request)
		result, err := w.execute(ctx, l.window.base+number)
		if err != nil {
			return err
		}
		result.number = l.window.base + number
		if err := w.finish(ctx, result, l.window.recorded()); err != nil {
			return err
		}
		if l.pauses == nil && l.ramp == nil {
			more = !l.window.over(number+l.stride, result.replied)
			continue
		}
		if more, err = l.await(ctx, resting, w, number+l.stride, l.after(number, w, result)); err != nil {
			return err
		}
	}
	return err
}

// after is when a worker wants to send again.
func (l *closedLoop) after(number int64, w *worker, result outcome) time.Time {
	if l.pauses == nil {
		return result.replied
	}
	return l.pauses.next(l.window.base+number, w.request.Operation, result.sent, result.replied)
}

// opening is when the loop may begin.
func (l *closedLoop) opening() time.Time {
	now := time.Now()
	if l.window.begin.After(now) && !l.window.origin.IsZero() {
		return l.window.begin
	}
	return now
}

// await waits until a worker may send the operation with a number that it wants to send at an instant, and says whether
// there is more to send. A wait that would end after the window is not begun.
func (l *closedLoop) await(
	ctx, resting context.Context, w *worker, number int64, at time.Time,
) (more bool, err error) {
	if l.ramp != nil {
		turn := l.ramp.turn(w.rank, at.Sub(l.window.begin))
		if turn == never {
			return false, nil
		}
		at = l.window.begin.Add(turn)
	}
	if l.window.over(number, at) {
		return false, nil
	}
	if w.alarm == nil {
		return true, nil
	}
	err = w.alarm.Until(resting, at)
	if err != nil && ctx.Err() == nil {
		return false, nil // The window was stopped.
	}
	return err == nil, err
}

func (l *closedLoop) bounds() window { return l.window }

func (l *closedLoop) close() {}

// drainLimit is how long after the end of a window the operations that were due in it and are still queued may be sent.
// What is left then is dropped, and counted so: a database that does not get through its queue by then never would.
const drainLimit = 30 * time.Second

// openLoop has operations sent when they are due, whatever became of those before.
//
//	free workers ── wait for the lead ──> leader: takes the next operation, draws it, waits until it is due,
//	     ^                                   │     hands the lead on
//	     └────────── reply, recorded <───────┴──── and sends it
//
// So there is no goroutine between the clock and the connection. When no worker is free, what becomes due is queued,
// and beyond the queue's limit dropped; the next free worker finds out, as nothing is taken from the queue before.
// Every operation that is due in the window is either sent or counted as dropped. What is still queued at the end of
// the window is sent after it, until the drain limit: left out, the slowest operations would be missing from the
// result.
type openLoop struct {
	window window
	// process is the plan's.
	process string
	// lead holds one token; who has it may use everything below.
	lead  chan struct{}
	alarm alarm.Alarm
	// schedule is what the cursor goes through.
	schedule *pacer.Schedule
	cursor   *pacer.Cursor
	// next is the operation that follows what was taken from the cursor, unless the schedule has ended.
	next  arrival
	ended bool
	queue queue
	// skipAfter is how long ago an operation may have been due to be sent still; 0: any time.
	skipAfter time.Duration
	// drain is how long the queue is drained, and last when the last operation was due.
	drain, last time.Duration
	// dropped counts the operations that were due and never sent, because too many were, and skipped those that were due
	// for too long. Others read them meanwhile.
	dropped, skipped atomic.Int64
	// shortened is how long after its begin the window ended before its time, in nanoseconds; 0 when it did not.
	shortened atomic.Int64
}

func (l *openLoop) work(ctx context.Context, w *worker) error {
	resting, release := l.window.resting(ctx)
	defer release()
	w.origin = l.window.recorded()
	// A worker may come late, from an operation of the warm-up.
	freeSince := time.Since(l.window.begin)
	for {
		taken, drawn, err := l.take(ctx, resting, w)
		if err != nil || taken.number < 0 {
			return err
		}
		if !drawn {
			w.mix.Draw(l.window.base+taken.number, &w.request)
		}
		result, err := w.execute(ctx, l.window.base+taken.number)
		if err != nil {
			return err
		}
		result.due, result.number = l.window.begin.Add(taken.due), l.window.base+taken.number
		lag := result.sent.Sub(result.due)
		if w.recorder != nil {
			w.recorder.Sent(result.sent.Sub(l.window.recorded()), lag, taken.due >= freeSince)
		}
		if err := w.finish(ctx, result, l.window.recorded()); err != nil {
			return err
		}
		freeSince = result.replied.Sub(l.window.begin)
	}
}

// nothing says that there is nothing more to do.
var nothing = arrival{number: -1}

// take returns the next operation once it is due. One that there was time for is drawn already.
func (l *openLoop) take(ctx, resting context.Context, w *worker) (taken arrival, drawn bool, err error) {
	<-l.lead
	// Whoever waits for the lead gets it, also after the end: then to see that.
	defer func() { l.lead <- struct{}{} }()
	if ctx.Err() != nil {
		return nothing, false, context.Cause(ctx)
	}
	now := time.Since(l.window.begin)
	if l.window.stopped() && l.shortened.Load() == 0 {
		l.shorten(max(now, 1))
	}
	l.admit(now)
	l.skip(now, w)
	switch {
	case l.queue.length > 0 && l.overdrawn(now):
		l.dropped.Add(int64(l.queue.length))
		l.queue.length = 0
		return nothing, false, nil
	case l.queue.length > 0:
		return l.queue.pop(), false, nil
	case l.ended || l.next.due >= l.length():
		l.ended = true
		return nothing, false, nil
	}
	taken = l.next
	l.advance()
	w.mix.Draw(l.window.base+taken.number, &w.request)
	err = l.alarm.Until(resting, l.window.begin.Add(taken.due))
	if err != nil && ctx.Err() == nil {
		l.ended = true // The window was stopped before it was due.
		return nothing, false, nil
	}
	return taken, true, err
}

// admit queues what is due by now.
func (l *openLoop) admit(now time.Duration) {
	for !l.ended && l.next.due <= now {
		if !l.queue.push(l.next) {
			l.dropped.Add(1)
		}
		l.advance()
	}
}

// skip leaves out what is queued and due too long ago. The worker counts it, and draws no more of it than which
// operation it is.
func (l *openLoop) skip(now time.Duration, w *worker) {
	if l.skipAfter == 0 {
		return
	}
	for l.queue.length > 0 && now-l.queue.ring[l.queue.first].due > l.skipAfter {
		number := l.queue.pop().number
		l.skipped.Add(1)
		if w.recorder != nil {
			w.recorder.Skipped(w.mix.Which(l.window.base + number))
		}
	}
}

// advance takes the next operation from the cursor.
func (l *openLoop) advance() {
	number, due := l.cursor.Next()
	l.next = arrival{number: number, due: due}
	l.ended = due == pacer.Never || l.window.count > 0 && number >= l.window.count ||
		due >= l.length()
	if !l.ended {
		l.last = due
	}
}

// overdrawn says whether it is too late to send what is queued.
func (l *openLoop) overdrawn(now time.Duration) bool {
	end := l.last
	if length := l.length(); length != pacer.Never {
		end = length
	}
	return l.ended && now > end+l.drain
}

func (l *openLoop) bounds() window { return l.window }

// length of the window in which operations are due; pacer.Never when their number ends it.
func (l *openLoop) length() time.Duration {
	if after := l.shortened.Load(); after > 0 {
		return time.Duration(after)
	}
	if l.window.end.IsZero() {
		return pacer.Never
	}
	return l.window.end.Sub(l.window.begin)
}

// shorten ends the window before its time. Whoever waits for an operation that would be due later still sends it.
func (l *openLoop) shorten(after time.Duration) {
	l.shortened.Store(int64(after))
}

func (l *openLoop) close() {
	l.alarm.Close()
}

// report says how the schedule was kept, after the last worker has ended.
func (l *openLoop) report(recording *measure.Recording) (*reportv1.Arrivals, error) {
	arrivals, err := recording.Arrivals()
	if err != nil {
		return nil, err
	}
	arrivals.Process = l.process
	arrivals.Dropped = l.dropped.Load()
	arrivals.Skipped = l.skipped.Load()
	arrivals.Due += arrivals.Dropped + arrivals.Skipped
	arrivals.LargestQueue = int64(l.queue.largest)
	return arrivals, nil
}
