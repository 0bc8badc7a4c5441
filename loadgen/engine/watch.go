package engine

import (
	"context"
	"runtime"
	"sync"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// watch looks at the load generator itself while a window is measured: not before it, and not while what was queued in
// it is drained.
type watch struct {
	cancel  context.CancelFunc
	working sync.WaitGroup
	seen    reportv1.Generator
	failed  error
}

// begin looks until the window's planned end or, where a number of operations ends it, until the end of the watch.
func (w *watch) begin(ctx context.Context, p *pod, bounds window) {
	ctx, w.cancel = context.WithCancel(ctx)
	clock := p.probeAlarm()
	length := bounds.end.Sub(bounds.begin)
	if bounds.end.IsZero() {
		length = 0
	}
	lookout := measure.NewLookout(clock, length)
	w.working.Go(func() {
		if clock != nil {
			defer clock.Close()
		}
		lookout.Watch(ctx, bounds.end)
		w.seen, w.failed = lookout.Close()
	})
}

// end is called after the last worker has ended, and says what was seen. A watch that never began has seen nothing.
func (w *watch) end() (reportv1.Generator, error) {
	if w.cancel == nil {
		return reportv1.Generator{}, nil
	}
	w.cancel()
	w.working.Wait()
	return w.seen, w.failed
}

// probeAlarm is an alarm that goes off exactly when it is set to, or nil where there is none: elsewhere than on Linux
// an alarm is a timer of Go's own, whose error is not that of a reply.
func (p *pod) probeAlarm() alarm.Alarm {
	if p.NewAlarm == nil && runtime.GOOS != "linux" {
		return nil
	}
	return p.alarm()
}
