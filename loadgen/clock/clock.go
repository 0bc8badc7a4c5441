package clock

import (
	"context"
	"sync"
	"time"

	"github.com/mongobench/mongobench-operator/loadgen/alarm"
)

const (
	// leastStep is what a clock must be set by to be told: a fifth of what load pods may begin a step apart, and far more
	// than two readings of a busy machine differ by.
	leastStep = 10 * time.Millisecond
	// period is how often the clocks are compared.
	period = time.Second
	// slew is the part of a time by which a clock may be adjusted within it without being set: 500 ppm, which is the most
	// that adjtimex(2) takes.
	slew = 2000
	// readings are taken at a time. A thread that is kept from running between the two clocks of a reading finds the wall
	// clock behind; of several readings the one with the wall clock furthest ahead has the least of that.
	readings = 3
)

// Clock is where readings come from; nil is time.Now. A test has one whose wall clock it sets.
type Clock func() time.Time

// Now reads the clock.
func (c Clock) Now() time.Time {
	if c == nil {
		c = time.Now
	}
	best := c()
	for range readings - 1 {
		if next := c(); set(best, next) > 0 {
			best = next
		}
	}
	return best
}

// set is by how much the wall clock moved between two readings beyond what the monotonic clock did.
func set(from, to time.Time) time.Duration {
	return to.Round(0).Sub(from.Round(0)) - to.Sub(from)
}

// Set is by how much the wall clock was set between two readings, back when it is negative; 0 when it was not, or by too
// little to tell.
func Set(from, to time.Time) time.Duration {
	if by := set(from, to); by.Abs() >= leastStep+to.Sub(from).Abs()/slew {
		return by
	}
	return 0
}

// Anchor is an instant by the wall clock as it stood at a start.
func Anchor(at, start time.Time) time.Time { return start.Add(at.Sub(start)) }

// Watch compares the clocks from a reading on, until the returned function is called, which says by how much the wall
// clock was set at most at a time. The function may be called again.
func (c Clock) Watch(ctx context.Context, from time.Time) (largest func() time.Duration) {
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	var most time.Duration
	last := from
	look := func() {
		now := c.Now()
		if by := Set(last, now); by.Abs() > most.Abs() {
			most = by
		}
		last = now
	}
	watching.Go(func() {
		for (alarm.Timer{}).Until(ctx, time.Now().Add(period)) == nil {
			look()
		}
	})
	return sync.OnceValue(func() time.Duration {
		cancel()
		watching.Wait()
		look()
		return most
	})
}
