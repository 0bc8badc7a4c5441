package loadgen

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// A worker that has had nothing but failures for so long, and so many, ends the step: the database is gone or refuses
// what the workload asks, and a measurement of that would only look like one.
const (
	hopelessAfter    = time.Minute
	hopelessFailures = 3
)

// worker sends the operations with the numbers first, first+stride, first+2*stride, ... one after the other.
type worker struct {
	first, stride int64
	mix           *workload.Mix
	session       Session
	pacer         Pacer
	classify      func(error) string
	recorder      *measure.Recorder
	request       workload.Request
	// completed is the number of replies, and counted how many of them were in the measure window. Others read them for
	// the progress.
	completed, counted atomic.Int64
	// lastReply is when the last counted reply came.
	lastReply time.Time
	// failures have followed one another since failingSince, when the first of them was sent.
	failures     int
	failingSince time.Time
}

// run warms up until the window's begin, then measures until its end.
func (w *worker) run(ctx context.Context, window window) error {
	if err := w.loop(ctx, window.warmup(), nil); err != nil {
		return err
	}
	return w.loop(ctx, window, w.recorder)
}

// window bounds what is done: by a time, by a number of operations, or both. Zero values do not bound.
type window struct {
	// base is added to the numbers of the operations.
	base  int64
	begin time.Time
	end   time.Time
	count int64
}

// warmup is the window before this one.
func (w window) warmup() window {
	return window{base: workload.FirstWarmupNumber, end: w.begin}
}

func (w window) over(number int64, now time.Time) bool {
	return w.count > 0 && number >= w.count || !w.end.IsZero() && !now.Before(w.end)
}

// outcome is what became of one operation.
type outcome struct {
	intended, replied time.Time
	reply             Reply
	err               error
}

// loop sends operations until the window is over. The one under way at its end is waited for, and counted. Without a
// recorder nothing is counted.
func (w *worker) loop(ctx context.Context, window window, recorder *measure.Recorder) error {
	now := time.Now()
	for number := w.first; !window.over(number, now); number += w.stride {
		result, err := w.operate(ctx, window.base+number)
		if err != nil {
			return err
		}
		w.completed.Add(1)
		if recorder != nil {
			w.counted.Add(1)
			w.record(recorder, window.begin, result)
		}
		if err := w.judge(result); err != nil {
			return err
		}
		w.session.Settle(ctx)
		now = result.replied
	}
	return nil
}

// operate does the operation with a number. Its own failure is part of the outcome; an error is the end of the run.
func (w *worker) operate(ctx context.Context, number int64) (outcome, error) {
	w.mix.Draw(number, &w.request)
	now := time.Now()
	result := outcome{intended: w.pacer.Next(number, now)}
	if result.intended.After(now) {
		if err := waitUntil(ctx, result.intended); err != nil {
			return outcome{}, err
		}
	}
	result.err = w.session.Execute(ctx, &w.request, &result.reply)
	result.replied = time.Now()
	if result.err != nil && ctx.Err() != nil {
		return outcome{}, context.Cause(ctx)
	}
	return result, nil
}

// record counts an outcome.
func (w *worker) record(recorder *measure.Recorder, begin time.Time, result outcome) {
	w.lastReply = result.replied
	if result.err != nil {
		sample := measure.Sample{At: result.replied.Sub(begin), Retries: result.reply.Retries}
		recorder.Failure(w.request.Operation, sample, w.classify(result.err), result.err)
		return
	}
	recorder.Success(w.request.Operation, measure.Sample{
		At: result.replied.Sub(begin), Service: result.replied.Sub(result.intended), Documents: result.reply.Documents,
		Retries: result.reply.Retries, Unacknowledged: result.reply.Unacknowledged,
	})
}

// judge gives up when there is no hope that operations will succeed again.
func (w *worker) judge(result outcome) error {
	if result.err == nil {
		w.failures = 0
		return nil
	}
	if w.failures == 0 {
		w.failingSince = result.intended
	}
	w.failures++
	failing := result.replied.Sub(w.failingSince)
	if w.failures < hopelessFailures || failing < hopelessAfter {
		return nil
	}
	return fmt.Errorf("worker %d had nothing but failures for %s, %d of them; the last: %w",
		w.first, failing.Round(time.Second), w.failures, result.err)
}

// Pacer says when a worker's next operation is due.
type Pacer interface {
	// Next returns the intended start of the operation with this number; a time that has passed means at once.
	Next(number int64, now time.Time) time.Time
}

// ClosedLoop sends every operation as soon as the one before was answered.
type ClosedLoop struct{}

// Next returns now.
func (ClosedLoop) Next(_ int64, now time.Time) time.Time {
	return now
}
