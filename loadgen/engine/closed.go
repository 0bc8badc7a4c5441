package engine

import (
	"context"
	"time"
)

// loop says which operations a worker sends, and when.
type loop interface {
	// work has a worker send operations until the window is over. The one under way at its end is waited for, and counted.
	work(ctx context.Context, w *worker) error
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
}

func (w window) over(number int64, now time.Time) bool {
	return w.count > 0 && number >= w.count || !w.end.IsZero() && !now.Before(w.end)
}

// closedLoop has every worker send its next operation as soon as the one before was answered, or a pause later. A
// worker sends the operations with its own number and every stride-th after that, so that the numbers that are sent do
// not depend on how fast anybody is.
type closedLoop struct {
	window window
	stride int64
	// pause is the think time after each reply.
	pause time.Duration
}

func (l *closedLoop) work(ctx context.Context, w *worker) error {
	now := time.Now()
	for number := w.number; !l.window.over(number, now); number += l.stride {
		w.mix.Draw(l.window.base+number, &w.request)
		result, err := w.execute(ctx)
		if err != nil {
			return err
		}
		if err := w.finish(ctx, result, l.window.begin); err != nil {
			return err
		}
		now = result.replied
		if l.pause > 0 {
			now = now.Add(l.pause)
			if l.window.over(number+l.stride, now) {
				// A pause that ends after the window is not waited for.
				return nil
			}
			if err := w.alarm.Until(ctx, now); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *closedLoop) close() {}
