package measure

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

const (
	// Interval is the length of the intervals that operations are counted in.
	Interval = time.Second

	// maxIntervals is how many of them are kept. A window that is longer has intervals of twice the length, and so on: an
	// operation's intervals take 264 bytes each, so at most 1.9 MB.
	maxIntervals = 7200
)

// Recording is what all workers of one step record together. Each worker has a Recorder of its own, which counts in one
// of a few tallies; what these share is the series of intervals, to which each of them adds once an interval.
type Recording struct {
	mix  []reportv1.Operation
	open bool
	// limits are those that successes of each operation are counted within.
	limits [][]time.Duration
	// window is the planned length of the measure window, and end when replies no longer belong to it: never, where a
	// number of operations ends it.
	window, end time.Duration
	recorders   []*Recorder
	tallies     []*tally
	// shared says that there are fewer tallies than recorders.
	shared bool
	// gaps are looked for at present; nil when none are.
	gaps atomic.Pointer[Gaps]
	// live holds what the tallies have handed in already; nil unless it is published.
	live *tally

	mutex sync.Mutex
	// length of the intervals, and what each operation of the mix did in them.
	length time.Duration
	series [][]interval
}

// NewRecording begins to record a step's mix, given by names, kinds and the limits that Within has. In an open loop the
// response times are recorded beside the service times. The window is the length of the measure window as it was
// planned, or 0 if a number of operations ends it.
func NewRecording(mix []reportv1.Operation, open bool, window time.Duration) *Recording {
	r := &Recording{
		mix: mix, open: open, window: window, end: window, length: Interval, series: make([][]interval, len(mix)),
	}
	for _, operation := range mix {
		var limits []time.Duration
		for _, within := range operation.Within {
			limits = append(limits, time.Duration(within.LimitMicros)*time.Microsecond)
		}
		r.limits = append(r.limits, limits)
	}
	if window == 0 {
		r.end = math.MaxInt64
	}
	// A few minutes are enough to begin with: of longer windows the intervals grow as they come.
	expected := int(min(window, 5*time.Minute)/Interval) + 2
	for i := range r.series {
		r.series[i] = make([]interval, 0, expected)
	}
	return r
}

// Recorder makes the recorder of one more worker. All are made before the first of them records.
func (r *Recording) Recorder() *Recorder {
	recorder := &Recorder{recording: r, home: len(r.recorders) % MaxTallies}
	r.recorders = append(r.recorders, recorder)
	if len(r.tallies) < MaxTallies {
		r.tallies = append(r.tallies, r.newTally())
	}
	r.shared = len(r.recorders) > len(r.tallies)
	return recorder
}

// take adds what a tally counted in its interval to the series, and sets it back to nothing.
func (r *Recording) take(from *tally) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for i := range from.operations {
		counted := &from.operations[i].interval
		if counted.count == 0 && counted.errors == 0 {
			continue
		}
		r.at(i, max(from.from, 0)).add(counted)
		if r.live != nil {
			from.operations[i].handIn(&r.live.operations[i], r.open)
		}
		*counted = interval{}
	}
	if r.live != nil {
		from.handIn(r.live)
	}
}

// at is the interval of an operation's series at an instant of the window.
func (r *Recording) at(operation int, instant time.Duration) *interval {
	for instant/r.length >= maxIntervals {
		r.widen(2 * r.length)
	}
	place := int(instant / r.length)
	for len(r.series[operation]) <= place {
		r.series[operation] = append(r.series[operation], interval{})
	}
	return &r.series[operation][place]
}

// widen brings the intervals to a length that is theirs times a power of two.
func (r *Recording) widen(length time.Duration) {
	for r.length < length {
		for i, series := range r.series {
			r.series[i] = halve(series)
		}
		r.length *= 2
	}
}

// halve makes one interval of each two.
func halve(series []interval) []interval {
	for i := range series {
		if i%2 == 0 {
			series[i/2] = series[i]
		} else {
			series[i/2].add(&series[i])
		}
	}
	return series[:(len(series)+1)/2]
}

func (i *interval) add(more *interval) {
	i.count += more.count
	i.errors += more.errors
	for bucket, count := range &more.times {
		i.times[bucket] += count
	}
}

// IntervalMillis is the length of the intervals: those of Interval, unless the window was very long.
func (r *Recording) IntervalMillis() int {
	return int(r.length.Milliseconds())
}

// Operations adds up what the workers saw of each operation of the mix. It is called after the last of them has ended.
func (r *Recording) Operations() ([]reportv1.Operation, error) {
	for _, counted := range r.tallies {
		r.take(counted)
	}
	merged := slices.Clone(r.mix)
	for index := range merged {
		r.addUp(&merged[index], index)
		r.writeSeries(&merged[index], r.series[index])
		if err := r.encode(&merged[index], index); err != nil {
			return nil, fmt.Errorf("operation %q: %w", merged[index].Name, err)
		}
	}
	return merged, nil
}

// addUp adds up the counters of one operation.
func (r *Recording) addUp(into *reportv1.Operation, index int) {
	var all counters
	for _, counted := range r.all() {
		all.add(&counted.operations[index].counters)
	}
	into.Count, into.Errors, into.Documents = all.count, all.errors, all.documents
	into.Retries, into.Unacknowledged = all.retries, all.unacknowledged
	into.Stragglers, into.CarriedOver = all.stragglers, all.carriedOver
	into.BusyMicros = all.busy.Microseconds()
	into.Inserted, into.Matched, into.Modified, into.Deleted = all.inserted, all.matched, all.modified, all.deleted
	into.Empty, into.Unexpected, into.Skipped = all.empty, all.unexpected, all.skipped
	into.Checks = slices.Clone(into.Checks)
	for i := range into.Checks {
		into.Checks[i].Made, into.Checks[i].Failed = all.checks[i].made, all.checks[i].failed
	}
	into.Within = slices.Clone(into.Within)
	for i := range into.Within {
		into.Within[i].Count = all.within[i]
	}
	for _, class := range all.classes {
		into.ErrorClasses = append(into.ErrorClasses, *class)
	}
	slices.SortFunc(into.ErrorClasses, func(a, b reportv1.ErrorClass) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Class, b.Class))
	})
}

// writeSeries writes the intervals of one operation as a report holds them.
func (*Recording) writeSeries(into *reportv1.Operation, series []interval) {
	failures := make([]int64, len(series))
	failed := false
	for i := range series {
		into.Intervals = append(into.Intervals, int64(series[i].count))
		failures[i] = int64(series[i].errors)
		failed = failed || failures[i] > 0
		used := reportv1.IntervalBuckets
		for used > 0 && series[i].times[used-1] == 0 {
			used--
		}
		times := make([]int64, used)
		for bucket := range times {
			times[bucket] = int64(series[i].times[bucket])
		}
		into.IntervalTimes = append(into.IntervalTimes, times)
	}
	if failed {
		into.IntervalErrors = failures
	}
}

// encode merges the tallies' histograms of one operation.
func (r *Recording) encode(into *reportv1.Operation, index int) error {
	return errors.Join(
		r.sum(&into.ServiceTime, func(from *tally) *Histogram { return &from.operations[index].service }),
		r.sum(&into.ResponseTime, func(from *tally) *Histogram { return &from.operations[index].response }),
		r.sum(&into.FirstDocument, func(from *tally) *Histogram { return &from.operations[index].first }),
		r.sum(&into.DatabaseTime, func(from *tally) *Histogram { return &from.operations[index].database }),
		r.sum(&into.FailedServiceTime, func(from *tally) *Histogram { return from.operations[index].failedService() }),
		r.sum(&into.FailedResponseTime, func(from *tally) *Histogram { return from.operations[index].failedResponse() }))
}

// failedService are the service times of failures, nil when there is none; so are the response times.
func (o *operation) failedService() *Histogram {
	if o.failed == nil {
		return nil
	}
	return &o.failed.service
}

func (o *operation) failedResponse() *Histogram {
	if o.failed == nil {
		return nil
	}
	return &o.failed.response
}

// added are the histograms of all tallies in one; nil when nothing was counted.
func (r *Recording) added(of func(*tally) *Histogram) *hdrhistogram.Histogram {
	var sum *hdrhistogram.Histogram
	for _, counted := range r.all() {
		part := of(counted)
		if part == nil || part.empty() {
			continue
		}
		if sum == nil {
			sum = reportv1.NewHistogram()
		}
		part.AddTo(sum)
	}
	return sum
}

// sum adds a histogram of each tally up, and encodes the sum as a report holds it. Of nothing at all it is an empty
// text.
func (r *Recording) sum(into *string, of func(*tally) *Histogram) error {
	sum := r.added(of)
	if sum == nil {
		return nil
	}
	var err error
	*into, err = reportv1.EncodeHistogram(sum)
	return err
}

// Arrivals is what Recorder.Sent counted. What was never sent is not known here: the caller adds Dropped, which are Due
// too, LargestQueue, and Process.
func (r *Recording) Arrivals() (*reportv1.Arrivals, error) {
	arrivals := &reportv1.Arrivals{WindowMillis: r.window.Milliseconds()}
	for _, counted := range r.all() {
		arrivals.Due += counted.sent
		if r.window > 0 {
			arrivals.Late += counted.sentLate
		}
	}
	return arrivals, errors.Join(
		r.sum(&arrivals.Lag, func(from *tally) *Histogram { return &from.lag }),
		r.sum(&arrivals.WakeUp, func(from *tally) *Histogram { return &from.wakeUp }))
}
