package engine

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// laterLoop is the loop of a group that begins once another one has ended.
type laterLoop struct {
	// after is closed when that has ended, and whole the measure window of the step, which it may be the end of.
	after <-chan struct{}
	whole window
	// begin makes the loop at the instant at which the other group has ended.
	begin func(time.Time) (loop, error)
	once  sync.Once
	err   error
	inner atomic.Pointer[loop]
}

func (l *laterLoop) work(ctx context.Context, w *worker) error {
	select {
	case <-l.after:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	l.once.Do(func() {
		now := time.Now()
		if !now.Before(l.whole.end) {
			return
		}
		inner, err := l.begin(now)
		if l.err = err; err == nil {
			l.inner.Store(&inner)
		}
	})
	if inner := l.opened(); l.err == nil && inner != nil {
		return inner.work(ctx, w)
	}
	return l.err
}

// opened is the loop once it has begun; nil before.
func (l *laterLoop) opened() loop {
	if inner := l.inner.Load(); inner != nil {
		return *inner
	}
	return nil
}

func (l *laterLoop) bounds() window {
	if inner := l.opened(); inner != nil {
		return inner.bounds()
	}
	return window{}
}

func (l *laterLoop) close() {
	if inner := l.opened(); inner != nil {
		inner.close()
	}
}
