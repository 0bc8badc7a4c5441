package measure

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// Interval is the length of the intervals that successes are counted in.
const Interval = time.Second

// Recorder holds what one worker saw in the measure window of one step. It is used by one goroutine, and merged after
// it has ended.
type Recorder struct {
	operations []operation
}

// operation holds what one worker saw of one operation of the mix.
type operation struct {
	count, errors, documents int64
	serviceTime              Histogram
	intervals                []int64
	classes                  map[string]*reportv1.ErrorClass
}

// NewRecorder returns a recorder of a mix of operations. The window is the expected length of the measure window, or 0
// if nobody knows; it only spares allocations.
func NewRecorder(operations int, window time.Duration) *Recorder {
	r := &Recorder{operations: make([]operation, operations)}
	// An hour is enough to begin with: of longer windows the intervals grow as they come.
	seconds := int(min(window, time.Hour)/Interval) + 2
	for i := range r.operations {
		r.operations[i].intervals = make([]int64, 0, seconds)
	}
	return r
}

// Success counts an operation that succeeded: its index in the mix, when its reply came after the begin of the window,
// how long it took, and how many documents it returned or wrote.
func (r *Recorder) Success(index int, at, took time.Duration, documents int64) {
	o := &r.operations[index]
	o.count++
	o.documents += documents
	o.serviceTime.Record(int64((took + time.Microsecond/2) / time.Microsecond))
	interval := int(max(at, 0) / Interval)
	for interval >= len(o.intervals) {
		o.intervals = append(o.intervals, 0)
	}
	o.intervals[interval]++
}

// Failure counts an operation that failed.
func (r *Recorder) Failure(index int, class string, err error) {
	o := &r.operations[index]
	o.errors++
	known := o.classes[class]
	if known == nil {
		if o.classes == nil {
			o.classes = map[string]*reportv1.ErrorClass{}
		}
		known = &reportv1.ErrorClass{Class: class, FirstMessage: Redact(err.Error())}
		o.classes[class] = known
	}
	known.Count++
}

// Merge adds up what the workers of a step saw of each operation of its mix, given by names and kinds only.
func Merge(mix []reportv1.Operation, recorders []*Recorder) ([]reportv1.Operation, error) {
	merged := make([]reportv1.Operation, len(mix))
	for index, named := range mix {
		operation, err := mergeOperation(named, index, recorders)
		if err != nil {
			return nil, fmt.Errorf("operation %q: %w", named.Name, err)
		}
		merged[index] = operation
	}
	return merged, nil
}

func mergeOperation(into reportv1.Operation, index int, recorders []*Recorder) (reportv1.Operation, error) {
	histogram := reportv1.NewHistogram()
	classes := map[string]reportv1.ErrorClass{}
	for _, recorder := range recorders {
		o := &recorder.operations[index]
		into.Count += o.count
		into.Errors += o.errors
		into.Documents += o.documents
		into.Intervals = addIntervals(into.Intervals, o.intervals)
		if err := o.serviceTime.AddTo(histogram); err != nil {
			return reportv1.Operation{}, err
		}
		for name, class := range o.classes {
			sum := classes[name]
			if sum.Count == 0 {
				sum = reportv1.ErrorClass{Class: name, FirstMessage: class.FirstMessage}
			}
			sum.Count += class.Count
			classes[name] = sum
		}
	}
	into.ErrorClasses = slices.SortedFunc(maps.Values(classes), func(a, b reportv1.ErrorClass) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Class, b.Class))
	})
	encoded, err := reportv1.EncodeHistogram(histogram)
	if err != nil {
		return reportv1.Operation{}, fmt.Errorf("encoding the histogram: %w", err)
	}
	into.ServiceTime = encoded
	return into, nil
}

// addIntervals adds one series of counts to another, which grows as needed.
func addIntervals(to, from []int64) []int64 {
	for len(to) < len(from) {
		to = append(to, 0)
	}
	for i, count := range from {
		to[i] += count
	}
	return to
}
