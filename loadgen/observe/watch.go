package observe

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// questions are what a kind of server is asked.
type questions interface {
	// sample asks for everything, and for what changes slowly, or costs more, only when that is due. What a server lacks
	// stays unknown; an error is that it says nothing at all.
	sample(ctx context.Context, slow bool) (*sample, error)
}

// nothing is asked of a server of a kind that is not known.
type nothing struct{}

func (nothing) sample(context.Context, bool) (*sample, error) {
	return nil, ErrNotAllowed
}

// watch is the observation of one server.
type watch struct {
	server    Server
	asked     questions
	log       *slog.Logger
	start     time.Time
	recording recording
	// kept is what the server has of itself.
	kept *diagnosis
	// asking is held by who asks the server; refused is why it may not be asked.
	asking  sync.Mutex
	refused error

	// slowDue is when what changes slowly is asked for again, each slowInterval.
	slowDue      time.Time
	slowInterval time.Duration
	// last is the latest sample.
	last *sample
	// latest is what others may read.
	latest atomic.Pointer[Latest]
	// failing is true from the first sample that was missed until the next that was not.
	failing bool
	// cpu is what the observation cost here, in elapsed time.
	cpu, elapsed time.Duration
}

// run takes samples until the context ends, or until it is clear that the server may not be asked.
func (w *watch) run(ctx context.Context) {
	// A thread of its own is what makes the cost of the observation known.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := measure.ThreadTime()
	defer func() { w.cpu, w.elapsed = measure.ThreadTime()-before, time.Since(w.start) }()
	for {
		w.recording.skip(time.Since(w.start))
		due := w.start.Add(w.recording.due())
		if (alarm.Timer{}).Until(ctx, due) != nil {
			return
		}
		s, err := w.sample(ctx, due)
		if ctx.Err() != nil {
			return
		}
		if errors.Is(err, ErrNotAllowed) {
			w.asking.Lock()
			w.refused = err
			w.asking.Unlock()
			w.log.Warn("Server is not observed: the user may not look at it; with MongoDB it needs the role clusterMonitor "+
				"on the database admin", "error", err)
			return
		}
		w.note(err)
		w.tell(s)
		w.recording.put(s)
	}
}

// note logs when a server begins to be silent and when it answers again.
func (w *watch) note(err error) {
	switch {
	case err != nil && !w.failing:
		w.log.Warn("Server did not answer the observer", "error", err)
	case err == nil && w.failing:
		w.log.Info("Server answers the observer again", "missedSamples", w.recording.missed)
	}
	w.failing = err != nil
}

// sample asks the server for everything that is due. It has time until the next sample.
func (w *watch) sample(ctx context.Context, due time.Time) (*sample, error) {
	ctx, cancel := context.WithDeadline(ctx, due.Add(w.recording.interval))
	defer cancel()
	slow := !due.Before(w.slowDue)
	w.asking.Lock()
	s, err := w.asked.sample(ctx, slow)
	w.asking.Unlock()
	if err != nil {
		return nil, err
	}
	if slow {
		w.slowDue = due.Add(w.slowInterval)
	}
	if w.last != nil {
		s.carry(w.last)
	}
	w.last = s
	return s, nil
}

// costMicros is the CPU time that the observation took here, per second.
func (w *watch) costMicros() int64 {
	if w.elapsed <= 0 {
		return 0
	}
	return int64(float64(w.cpu.Microseconds()) / w.elapsed.Seconds())
}

// Latest is what one server said last.
type Latest struct {
	// Member is its host and port.
	Member string
	// Missed are the samples that did not come in time so far.
	Missed int64
	// values by the place of their figure; nil when the last sample did not come.
	values []int64
}

// Value is a figure as it stood: of one whose unit ends in /s the counter that the rate is made of,
// since the server was started, in the unit without the /s. It is not known of a figure that the server does not tell.
func (l Latest) Value(figure string) (value int64, known bool) {
	place, there := places[figure]
	if !there || l.values == nil || l.values[place] == unknown {
		return 0, false
	}
	if f := figures[place]; f.counter() {
		return f.scale(l.values[place]), true
	}
	return l.values[place], true
}

// Latest is what each server said last, in the order in which they are observed. It may be called at any time.
func (o *Observer) Latest() []Latest {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	all := make([]Latest, 0, len(o.watches))
	for _, w := range o.watches {
		if latest := w.latest.Load(); latest != nil {
			all = append(all, *latest)
		}
	}
	return all
}

// tell keeps a copy of a sample, which is nil when it did not come, where others may read it.
func (w *watch) tell(s *sample) {
	latest := &Latest{Member: w.server.Name(), Missed: w.recording.missed}
	if s != nil {
		// The recording changes its samples when it makes one of two.
		latest.values = slices.Clone(s.values)
	} else {
		latest.Missed++
	}
	w.latest.Store(latest)
}
