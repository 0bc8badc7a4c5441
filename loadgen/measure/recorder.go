package measure

import (
	"math"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// Sample is what is recorded of one operation.
type Sample struct {
	// At is when the last reply came, counted from the start of the measure window.
	At time.Duration
	// Service is the time from the send to the last reply.
	Service time.Duration
	// Response is the time from when the operation was due to the last reply. A closed loop, where the two are one, leaves
	// it out.
	Response time.Duration
	// First is the time from the send to the first document; 0 for kinds that read no cursor.
	First time.Duration
	// Documents that were returned or written.
	Documents int64
	// Retries is how often the operation was sent once more.
	Retries int
	// Unacknowledged says that no reply was asked for: the operation is counted, and no time of it.
	Unacknowledged bool
}

// Recorder holds what one worker saw in the measure window of one step. It is used by one goroutine; its Recording
// collects it after that has ended.
type Recorder struct {
	recording  *Recording
	open       bool
	operations []operation
	// from and until bound the interval that is counted at present.
	from, until time.Duration
	// Of the arrivals of an open loop: how late they were sent, and how many, and of these after the window's end.
	lag, wakeUp    Histogram
	sent, sentLate int64
	// gaps are those being looked for, not yet told of the successes from first to last; nil when there are none.
	gaps        *Gaps
	first, last time.Duration
}

// operation holds what one worker saw of one operation of the mix.
type operation struct {
	counters

	service, response, first Histogram
	interval                 interval
}

// counters are what is counted of one operation.
type counters struct {
	count, errors, documents, retries, unacknowledged int64
	classes                                           map[string]*reportv1.ErrorClass
}

// add adds counters up.
func (c *counters) add(more *counters) {
	c.count += more.count
	c.errors += more.errors
	c.documents += more.documents
	c.retries += more.retries
	c.unacknowledged += more.unacknowledged
	for name, class := range more.classes {
		c.class(name, class.FirstMessage).Count += class.Count
	}
}

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

// Success counts an operation that succeeded, by its index in the mix. It takes no lock and allocates nothing, but for
// the first time of a range of latencies, and once an interval.
func (r *Recorder) Success(index int, sample Sample) {
	if sample.At < r.from || sample.At >= r.until {
		r.turn(sample.At)
	}
	if gaps := r.recording.gaps.Load(); gaps != nil {
		r.succeed(gaps, sample.At)
	}
	o := &r.operations[index]
	o.count++
	o.interval.count++
	o.documents += sample.Documents
	o.retries += int64(sample.Retries)
	if sample.Unacknowledged {
		o.unacknowledged++
		return
	}
	latency := micros(sample.Service)
	o.service.Record(latency)
	if r.open {
		latency = micros(sample.Response)
		o.response.Record(latency)
	}
	if sample.First > 0 {
		o.first.Record(micros(sample.First))
	}
	o.interval.times[reportv1.IntervalBucket(latency)]++
}

// Failure counts an operation that failed. Of the sample only At and Retries count: a failure is in no latency.
func (r *Recorder) Failure(index int, sample Sample, class string, err error) {
	if sample.At < r.from || sample.At >= r.until {
		r.turn(sample.At)
	}
	o := &r.operations[index]
	o.errors++
	o.interval.errors++
	o.retries += int64(sample.Retries)
	known := o.classes[class]
	if known == nil {
		known = o.class(class, Redact(err.Error()))
	}
	known.Count++
}

// Sent counts that an operation of an open loop was sent: at what time after the start of the measure window, and by
// how much after it was due. Free says that its worker was not held up by an earlier operation, so that the lag is the
// generator's own.
func (r *Recorder) Sent(at, lag time.Duration, free bool) {
	late := micros(lag)
	r.lag.Record(late)
	if free {
		r.wakeUp.Record(late)
	}
	r.sent++
	if at >= r.recording.window {
		r.sentLate++
	}
}

// turn hands the counts of the interval in and begins with the one of another instant.
func (r *Recorder) turn(at time.Duration) {
	r.recording.take(r)
	at = max(at, 0)
	r.from = at - at%Interval
	r.until = r.from + Interval
	if r.from == 0 {
		// What came before the window is counted with its start.
		r.from = math.MinInt64
	}
}

// micros rounds to the nearest microsecond.
func micros(took time.Duration) int64 {
	return int64((took + time.Microsecond/2) / time.Microsecond)
}
