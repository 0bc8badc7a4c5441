package measure

import (
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// NewSum begins a recording that nothing is recorded in: it adds up the recordings of windows that follow one another
// with something else between them, as if they were one window.
func NewSum(mix []reportv1.Operation, open bool) *Recording {
	sum := NewRecording(mix, open, 0)
	sum.tallies = []*tally{sum.newTally()}
	return sum
}

// Window is the planned length of the measure window; of a sum that of all windows together.
func (r *Recording) Window() time.Duration { return r.window }

// Append adds a window to a sum, whose intervals follow those of the windows before. The window's length is a number of
// whole intervals. It is called once Operations has returned of it, and takes the window's counts away.
func (r *Recording) Append(window *Recording) {
	into := r.tallies[0]
	for _, counted := range window.all() {
		for i := range counted.operations {
			counted.operations[i].moveTo(&into.operations[i])
		}
		into.sent += counted.sent
		into.sentLate += counted.sentLate
		counted.lag.moveAll(&into.lag)
		counted.wakeUp.moveAll(&into.wakeUp)
	}
	for i, series := range window.series {
		// What came after the end of the window belongs to no interval of the sum.
		for j := range min(len(series), int(window.window/window.length)) {
			r.at(i, r.window+time.Duration(j)*window.length).add(&series[j])
		}
	}
	r.window += window.window
}

// moveTo moves all that was counted of an operation but for its interval.
func (o *operation) moveTo(into *operation) {
	into.add(&o.counters)
	o.service.moveAll(&into.service)
	o.response.moveAll(&into.response)
	o.first.moveAll(&into.first)
	if o.failed == nil {
		return
	}
	o.failed.service.moveAll(&into.failures().service)
	o.failed.response.moveAll(&into.failures().response)
}
