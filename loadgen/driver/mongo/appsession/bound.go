package appsession

import (
	"context"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/event"
)

// bound limits the time of a session's operations. The context has no deadline: with one the driver would send
// maxTimeMS, and retry without end. It has to be made again only after an operation that took too long.
type bound struct {
	timeout time.Duration

	parent, ctx context.Context
	cancel      context.CancelFunc
	timer       *time.Timer
	// failed is how many of the driver's commands failed since begin.
	failed int
}

// boundKey finds a session's bound in the contexts of its commands.
type boundKey struct{}

// Monitor counts the commands that failed. The driver tells of no retry, but each is the answer to such a command. One
// that went well is not told of, so that it costs nothing.
func Monitor() *event.CommandMonitor {
	return &event.CommandMonitor{Failed: func(ctx context.Context, _ *event.CommandFailedEvent) {
		if b, ok := ctx.Value(boundKey{}).(*bound); ok {
			b.failed++
		}
	}}
}

// begin returns the context of an operation that begins.
func (b *bound) begin(parent context.Context) context.Context {
	b.failed = 0
	if b.timer != nil && b.parent == parent {
		b.timer.Reset(b.timeout)
		return b.ctx
	}
	b.close()
	b.parent = parent
	b.ctx, b.cancel = context.WithCancel(context.WithValue(parent, boundKey{}, b))
	b.timer = time.AfterFunc(b.timeout, b.cancel)
	return b.ctx
}

// end ends the operation, and says so when it took too long.
func (b *bound) end(err error) error {
	if b.timer.Stop() {
		return err
	}
	b.close()
	if err == nil || b.parent.Err() != nil {
		return err
	}
	return fmt.Errorf("no reply within %s: %w: %s", b.timeout, context.DeadlineExceeded, err.Error())
}

// retries is how often a command was sent once more, once the operation ended with this error.
func (b *bound) retries(err error) int {
	if err == nil {
		return b.failed
	}
	// The last of them is the operation's own end.
	return max(0, b.failed-1)
}

func (b *bound) close() {
	if b.timer != nil {
		b.timer.Stop()
		b.cancel()
		b.timer = nil
	}
}
