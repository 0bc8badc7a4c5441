package measure

import (
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// Sample is what is recorded of one operation.
type Sample struct {
	// At is when the last reply came, counted from the start of the measure window.
	At time.Duration
	// Service is the time from the send to the last reply.
	Service time.Duration
	// Occupied is how long the worker was with the operation, where that is not the Service: the time of a change is from
	// its commit on, and its worker may have waited for it for longer. 0 stands for the Service.
	Occupied time.Duration
	// Response is the time from when the operation was due to the last reply. A closed loop, where the two are one, leaves
	// it out.
	Response time.Duration
	// First is the time from the send to the first document; 0 for kinds that read no cursor.
	First time.Duration
	// Database is the time that the database took, of an operation that went through a service; 0 for all others.
	Database time.Duration
	// Documents that were returned or written; Inserted, Matched, Modified and Deleted are those of loadgen.Reply.
	Documents, Inserted, Matched, Modified, Deleted int64
	// Empty says that the operation looked for documents and came upon none, and Unexpected that it came upon more or
	// fewer than it was expected to.
	Empty, Unexpected bool
	// Retries is how often the operation was sent once more.
	Retries int
	// Unacknowledged says that no reply was asked for: the operation is counted, and no time of it.
	Unacknowledged bool
}

// Recorder records what one worker sees in the measure window of one step. It is used by one goroutine; its Recording
// collects what it recorded after that has ended.
type Recorder struct {
	recording *Recording
	// home is the place of the tally that it counts in, unless another worker does so at that moment.
	home int
	// gaps are those being looked for, not yet told of the successes from first to last; nil when there are none.
	gaps        *Gaps
	first, last time.Duration
}

// Success counts an operation that succeeded, by its index in the mix. It waits for no other worker, and allocates
// nothing but for the first time of a range of latencies, and once an interval.
func (r *Recorder) Success(index int, sample Sample) {
	if gaps := r.recording.gaps.Load(); gaps != nil {
		r.succeed(gaps, sample.At)
	}
	t := r.hold()
	t.success(index, &sample)
	t.release()
}

func (t *tally) success(index int, sample *Sample) {
	t.turn(sample.At)
	o := &t.operations[index]
	o.count++
	o.busy += t.recording.occupied(sample)
	if sample.At >= t.recording.end {
		o.stragglers++
	}
	o.interval.count++
	o.documents += sample.Documents
	o.inserted += sample.Inserted
	o.matched += sample.Matched
	o.modified += sample.Modified
	o.deleted += sample.Deleted
	if sample.Empty {
		o.empty++
	}
	if sample.Unexpected {
		o.unexpected++
	}
	o.retries += int64(sample.Retries)
	if sample.Unacknowledged {
		o.unacknowledged++
		return
	}
	took := sample.Service
	latency := micros(took)
	o.service.Record(latency)
	if t.recording.open {
		took = sample.Response
		latency = micros(took)
		o.response.Record(latency)
	}
	for i, limit := range t.recording.limits[index] {
		if took <= limit {
			o.within[i]++
		}
	}
	if sample.First > 0 {
		o.first.Record(micros(sample.First))
	}
	if sample.Database > 0 {
		o.database.Record(micros(sample.Database))
	}
	o.interval.times[reportv1.IntervalBucket(latency)]++
}

// CarriedOver counts the success of an operation that was sent before the measure window, when the reply came within
// it. It belongs to the rate of the window and to nothing else: without it, the rate would lack an operation a worker.
// Where a number of operations ends the window it is none of these, and is not counted. The worker was with it from the
// start of the window on, whenever the reply came.
func (r *Recorder) CarriedOver(index int, at time.Duration) {
	t := r.hold()
	defer t.release()
	o := &t.operations[index]
	o.busy += min(max(at, 0), r.recording.end)
	if r.recording.window == 0 || at < 0 || at >= r.recording.end {
		return
	}
	t.turn(at)
	o.carriedOver++
	o.interval.count++
}

// Failure counts an operation that failed, and how long it took. Its times are told apart from those of the successes:
// only a timeout is in the times of its interval too, for it took no less than any of them.
func (r *Recorder) Failure(index int, sample Sample, class string, err error) {
	t := r.hold()
	defer t.release()
	t.turn(sample.At)
	o := &t.operations[index]
	o.errors++
	o.busy += r.recording.occupied(&sample)
	o.interval.errors++
	o.retries += int64(sample.Retries)
	known := o.classes[class]
	if known == nil {
		known = o.class(class, Redact(err.Error()))
	}
	known.Count++
	latency := micros(sample.Service)
	times := o.failures()
	times.service.Record(latency)
	if t.recording.open {
		latency = micros(sample.Response)
		times.response.Record(latency)
	}
	if class == reportv1.ClassTimeout {
		o.interval.times[reportv1.IntervalBucket(latency)]++
	}
}

// Check counts whether a check of an operation, each by its index, held.
func (r *Recorder) Check(index, check int, held bool) {
	t := r.hold()
	defer t.release()
	counted := &t.operations[index].checks[check]
	counted.made++
	if !held {
		counted.failed++
	}
}

// occupied is how much of the measure window the worker was with an operation.
func (r *Recording) occupied(sample *Sample) time.Duration {
	took := sample.Occupied
	if took == 0 {
		took = sample.Service
	}
	return max(0, min(sample.At, r.end)-max(sample.At-took, 0))
}

// Sent counts that an operation of an open loop was sent: at what time after the start of the measure window, and by
// how much after it was due. Free says that its worker was not held up by an earlier operation, so that the lag is the
// generator's own.
func (r *Recorder) Sent(at, lag time.Duration, free bool) {
	late := micros(lag)
	t := r.hold()
	t.lag.Record(late)
	if free {
		t.wakeUp.Record(late)
	}
	t.sent++
	if at >= r.recording.window {
		t.sentLate++
	}
	t.release()
}

// Skipped counts an operation of an open loop that was due too long ago to be sent.
func (r *Recorder) Skipped(index int) {
	t := r.hold()
	t.operations[index].skipped++
	t.release()
}

// micros rounds to the nearest microsecond.
func micros(took time.Duration) int64 {
	return int64((took + time.Microsecond/2) / time.Microsecond)
}
