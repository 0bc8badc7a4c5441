package alarm

import (
	"context"
	"time"
)

// Alarm wakes one goroutine at a time.
type Alarm interface {
	// Until returns at an instant, or before it with the cause of the context's end. An instant that has passed returns at
	// once.
	Until(ctx context.Context, at time.Time) error
	// Close gives back what the alarm holds. It is not used afterwards.
	Close()
}

// Timer is an alarm by Go's own timers: up to a millisecond late, and the one that fake time can drive.
type Timer struct{}

// Until waits for a timer.
func (Timer) Until(ctx context.Context, at time.Time) error {
	left := time.Until(at)
	if left <= 0 {
		return context.Cause(ctx)
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// Close has nothing to give back.
func (Timer) Close() {}
