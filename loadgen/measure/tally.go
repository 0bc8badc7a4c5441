package measure

import (
	"math"
	"sync"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// MaxTallies is how many tallies a step has at most: with more workers than that, they share them. What a step takes
// in memory grows with the tallies times the operations, and not with the workers. Counting takes far less than a
// thousandth of an operation's time, so that of this many one is free for every processor.
const MaxTallies = 8

// tally holds what one worker has counted in a step, or several that share it.
//
//	up to 8 workers    a tally each, and no lock
//	more of them       worker 0 ──> tally 0
//	                   worker 8 ──┘
//
// A worker whose own is held at that moment, by another worker or by one that lost its processor meanwhile, counts in
// the next. Sums do not care where.
type tally struct {
	// mutex is held to count, if the recording is shared.
	mutex     sync.Mutex
	recording *Recording
	// from and until bound the interval that is counted at present.
	from, until time.Duration
	operations  []operation
	// Of the arrivals of an open loop: how late they were sent, and how many, and of these after the window's end.
	lag, wakeUp    Histogram
	sent, sentLate int64
}

func (r *Recording) newTally() *tally {
	t := &tally{
		recording: r, operations: make([]operation, len(r.mix)), from: math.MinInt64, until: Interval,
	}
	for i := range t.operations {
		t.operations[i].within = make([]int64, len(r.limits[i]))
		t.operations[i].checks = make([]checked, len(r.mix[i].Checks))
	}
	return t
}

// hold is a tally that nobody else uses until it is released.
func (r *Recorder) hold() *tally {
	tallies := r.recording.tallies
	if !r.recording.shared {
		return tallies[r.home]
	}
	for place := range tallies {
		if t := tallies[(r.home+place)%MaxTallies]; t.mutex.TryLock() {
			return t
		}
	}
	t := tallies[r.home]
	t.mutex.Lock()
	return t
}

func (t *tally) release() {
	if t.recording.shared {
		t.mutex.Unlock()
	}
}

// turn hands the counts of the interval in when an instant is in another one, and begins with that.
func (t *tally) turn(at time.Duration) {
	if at >= t.from && at < t.until {
		return
	}
	t.recording.take(t)
	at = max(at, 0)
	t.from = at - at%Interval
	t.until = t.from + Interval
	if t.from == 0 {
		// What came before the window is counted with its start.
		t.from = math.MinInt64
	}
}

// operation holds what was counted of one operation of the mix.
type operation struct {
	counters

	service, response, first, database Histogram
	// failed are the times of failures; nil until there is one.
	failed   *failed
	interval interval
}

// failed are the times of what failed, from the send and from when it was due.
type failed struct {
	service, response Histogram
}

// failures are those of an operation, with a place for the first.
func (o *operation) failures() *failed {
	if o.failed == nil {
		o.failed = &failed{}
	}
	return o.failed
}

// counters are what is counted of one operation.
type counters struct {
	count, errors, documents, retries, unacknowledged int64
	// stragglers and carriedOver are those of reportv1.Operation.
	stragglers, carriedOver              int64
	busy                                 time.Duration
	inserted, matched, modified, deleted int64
	empty, unexpected, skipped           int64
	// within counts the successes within each of the operation's limits.
	within []int64
	// checks are those of the mix's operation, in their order.
	checks  []checked
	classes map[string]*reportv1.ErrorClass
}

// add adds counters up.
func (c *counters) add(more *counters) {
	c.count += more.count
	c.errors += more.errors
	c.documents += more.documents
	c.retries += more.retries
	c.unacknowledged += more.unacknowledged
	c.stragglers += more.stragglers
	c.carriedOver += more.carriedOver
	c.busy += more.busy
	c.inserted += more.inserted
	c.matched += more.matched
	c.modified += more.modified
	c.deleted += more.deleted
	c.empty += more.empty
	c.unexpected += more.unexpected
	c.skipped += more.skipped
	if c.within == nil {
		c.within = make([]int64, len(more.within))
	}
	for i, count := range more.within {
		c.within[i] += count
	}
	for i := range more.checks {
		if i == len(c.checks) {
			c.checks = append(c.checks, checked{})
		}
		c.checks[i].made += more.checks[i].made
		c.checks[i].failed += more.checks[i].failed
	}
	for name, class := range more.classes {
		c.class(name, class.FirstMessage).Count += class.Count
	}
}

// checked counts what became of a check.
type checked struct{ made, failed int64 }

// class is the counter of a class of errors. Of a new one the message is kept.
func (c *counters) class(name, message string) *reportv1.ErrorClass {
	if c.classes == nil {
		c.classes = map[string]*reportv1.ErrorClass{}
	}
	if c.classes[name] == nil {
		c.classes[name] = &reportv1.ErrorClass{Class: name, FirstMessage: message}
	}
	return c.classes[name]
}

// interval is what one operation did in one interval.
type interval struct {
	count, errors uint32
	times         [reportv1.IntervalBuckets]uint32
}
