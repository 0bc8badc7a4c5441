package measure

import (
	"cmp"
	"maps"
	"slices"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// Live is what a step has come to so far: all that the workers have handed in.
type Live struct {
	// Operations in the order of the mix.
	Operations []LiveOperation
	// Sent are the operations of an open loop that were sent, and Lag is how late each of them was.
	Sent int64
	Lag  []Bucket
}

// LiveOperation is what one operation of the mix has come to so far.
type LiveOperation struct {
	Name, Kind string
	// PartOf is the flow that it is a part of: it is in no sum over operations.
	PartOf string
	// Count of operations that succeeded, and Errors of those that failed, which are those of all Classes together.
	Count, Errors int64
	Classes       map[string]int64
	// The others are those of reportv1.Operation.
	Documents, Retries, Unacknowledged                      int64
	Inserted, Matched, Modified, Deleted, Empty, Unexpected int64
	// Latency of the successes is the response time in an open loop and otherwise the service time, and Failed is the same
	// of the failures. A summary has both in one.
	Latency, Failed []Bucket
}

// Publish has the workers hand in their counters and latencies with every interval, and not only after the last of them
// has ended, so that Live can tell of them. It is called before the first operation. What is handed in is moved: the
// sum stays what it was, and recording an operation does nothing more than before.
func (r *Recording) Publish() {
	if r.live != nil {
		return
	}
	r.live = r.newTally()
}

// Live is what has come of a recording so far. It may be called at any time, and lags behind by as long as the workers
// take to hand in: the interval, and then until their next reply. It is complete once Operations has returned.
func (r *Recording) Live() Live {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	live := Live{Operations: make([]LiveOperation, len(r.mix))}
	for i, named := range r.mix {
		o := &LiveOperation{}
		if r.live != nil {
			o = r.live.operations[i].live(r.open)
		}
		o.Name, o.Kind, o.PartOf = named.Name, named.Kind, named.PartOf
		live.Operations[i] = *o
	}
	if r.live != nil {
		live.Sent, live.Lag = r.live.sent, slices.Collect(r.live.lag.buckets())
	}
	return live
}

// all are the tallies that together hold everything, with the one first that has the first messages.
func (r *Recording) all() []*tally {
	if r.live == nil {
		return r.tallies
	}
	return slices.Concat([]*tally{r.live}, r.tallies)
}

// live copies what is to be told of an operation.
func (o *operation) live(open bool) *LiveOperation {
	copied := &LiveOperation{
		Count: o.count, Errors: o.errors, Documents: o.documents, Retries: o.retries, Unacknowledged: o.unacknowledged,
		Inserted: o.inserted, Matched: o.matched, Modified: o.modified, Deleted: o.deleted, Empty: o.empty,
		Unexpected: o.unexpected,
		Classes:    make(map[string]int64, len(o.classes)), Latency: slices.Collect(o.latency(open).buckets()),
	}
	for name, class := range o.classes {
		copied.Classes[name] = class.Count
	}
	if o.failed != nil {
		copied.Failed = slices.Collect(o.failed.latency(open).buckets())
	}
	return copied
}

// latency is the histogram that percentiles are read from.
func (f *failed) latency(open bool) *Histogram {
	if open {
		return &f.response
	}
	return &f.service
}

// latency is the histogram that percentiles are read from.
func (o *operation) latency(open bool) *Histogram {
	if open {
		return &o.response
	}
	return &o.service
}

// handIn moves what was counted of one operation. Only those parts of the histogram are looked at that the interval
// says something is in. The classes of errors stay, so that the next of them is no first one.
func (o *operation) handIn(to *operation, open bool) {
	to.add(&o.counters)
	clear(o.within)
	clear(o.checks)
	o.counters = counters{classes: o.classes, within: o.within, checks: o.checks}
	for _, class := range o.classes {
		class.Count = 0
	}
	from, into := o.latency(open), to.latency(open)
	for bucket, count := range &o.interval.times {
		if count > 0 {
			from.move(into, half(bucket))
		}
	}
	if o.failed != nil && o.interval.errors > 0 {
		o.failed.latency(open).moveAll(to.failures().latency(open))
	}
}

// handIn moves what was sent of an open loop.
func (t *tally) handIn(to *tally) {
	if t.sent == 0 {
		return
	}
	to.sent, t.sent = to.sent+t.sent, 0
	t.lag.moveAll(&to.lag)
}

// slots are some of a histogram's: those of a row from first to before end.
type slots struct {
	row, first, end int
}

// half is where a histogram has the values that a bucket of an interval counts: both halve every octave.
func half(bucket int) slots {
	octave := bucket / 2
	if octave >= rowBits {
		first := bucket % 2 * (halfRow / 2)
		return slots{row: octave - rowBits + 1, first: first, end: first + halfRow/2}
	}
	where := slots{
		first: int(reportv1.IntervalBucketLowest(bucket)), end: int(reportv1.IntervalBucketLowest(bucket + 1)),
	}
	if bucket == 0 {
		// The zeros too.
		where.first = 0
	}
	return where
}

// moveAll moves all counts.
func (h *Histogram) moveAll(to *Histogram) {
	for row := range rows {
		h.move(to, slots{row: row, end: halfRow})
	}
}

// move moves the counts of some slots. A count runs over only where it is moved to: no slot has that many in a second.
func (h *Histogram) move(to *Histogram, where slots) {
	from := h.rows[where.row]
	if from == nil {
		return
	}
	if to.rows[where.row] == nil {
		to.rows[where.row] = new([halfRow]uint32)
	}
	into := to.rows[where.row]
	for slot := where.first; slot < where.end; slot++ {
		into[slot] += from[slot]
		if into[slot] < from[slot] {
			to.wrap(where.row, slot)
		}
		from[slot] = 0
	}
}

// Add adds what another recording has come to: of the same operations, such as another trial of a search, or of others,
// such as those of another group.
func (l *Live) Add(more Live) {
	l.Sent += more.Sent
	l.Lag = merge(l.Lag, more.Lag)
	// What it was a copy of stays as it is.
	l.Operations = slices.Clone(l.Operations)
	for i := range more.Operations {
		from := &more.Operations[i]
		at := slices.IndexFunc(l.Operations, func(o LiveOperation) bool { return o.Name == from.Name })
		if at < 0 {
			l.Operations = append(l.Operations, *from)
			continue
		}
		l.Operations[at].add(from)
	}
}

func (o *LiveOperation) add(more *LiveOperation) {
	o.Count += more.Count
	o.Errors += more.Errors
	o.Documents += more.Documents
	o.Retries += more.Retries
	o.Unacknowledged += more.Unacknowledged
	o.Inserted += more.Inserted
	o.Matched += more.Matched
	o.Modified += more.Modified
	o.Deleted += more.Deleted
	o.Empty += more.Empty
	o.Unexpected += more.Unexpected
	o.Latency, o.Failed = merge(o.Latency, more.Latency), merge(o.Failed, more.Failed)
	o.Classes = sum(o.Classes, more.Classes)
}

// sum adds counts by name up.
func sum(one, other map[string]int64) map[string]int64 {
	all := make(map[string]int64, len(one))
	maps.Copy(all, one)
	for name, count := range other {
		all[name] += count
	}
	return all
}

// merge adds buckets up.
func merge(one, other []Bucket) []Bucket {
	all := slices.Concat(one, other)
	slices.SortFunc(all, func(a, b Bucket) int { return cmp.Compare(a.Lowest, b.Lowest) })
	merged := all[:0]
	for _, bucket := range all {
		if last := len(merged) - 1; last >= 0 && merged[last].Lowest == bucket.Lowest {
			merged[last].Count += bucket.Count
		} else {
			merged = append(merged, bucket)
		}
	}
	return merged
}
