package engine

import (
	"context"
	"sync/atomic"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/pacer"
	"github.com/mongobench/mongobench-operator/loadgen/search"
)

const (
	// periods in the time that a rate has to hold at least.
	periods = 20
	// recording is what a worker is given to count a reply that came within the limit.
	recording = 20 * time.Millisecond
)

// tally counts, period by period, the operations of a trial that were due, and those answered in time. What was due and
// not answered in time was slow, whatever became of it: it took longer, it failed, it was dropped, or it hangs. So a
// period can be judged as soon as the limit is over after its end.
type tally struct {
	objective planv1.Search
	open      *openLoop
	// length of a period.
	length time.Duration
	// shortest trial whose rate may have been kept.
	shortest time.Duration
	// inTime counts, for each period in which they were due, the operations that were answered in time.
	inTime []atomic.Int64
	// due counts all of them, as far as dues has gone; next is when the operation after these is due.
	due  []int64
	dues *pacer.Cursor
	next time.Duration
}

func newTally(objective planv1.Search, open *openLoop, length time.Duration, confirmation bool) *tally {
	shortest := objective.LeastTrial()
	if confirmation {
		shortest = length
	}
	t := &tally{
		objective: objective, open: open, shortest: shortest, length: shortest / periods,
		dues: open.schedule.Cursor(0, 1),
	}
	t.inTime = make([]atomic.Int64, length/t.length)
	_, t.next = t.dues.Next()
	return t
}

// hear is told of an outcome by its worker.
func (t *tally) hear(w *worker, result outcome) {
	limit := time.Duration(t.objective.LimitMicros) * time.Microsecond
	// What nothing is awaited of is done when it is sent.
	if result.err != nil || result.replied.Sub(result.due) > limit && !w.reply.Unacknowledged {
		return
	}
	at := result.due.Sub(t.open.window.begin)
	if at < 0 || at/t.length >= time.Duration(len(t.inTime)) {
		return
	}
	t.inTime[at/t.length].Add(1)
}

// period is how many operations were due in one, and how many of these were slow.
func (t *tally) period(place int) (due, slow int64) {
	for place >= len(t.due) {
		end := time.Duration(len(t.due)+1) * t.length
		var count int64
		for t.next < end {
			count++
			_, t.next = t.dues.Next()
		}
		t.due = append(t.due, count)
	}
	return t.due[place], max(0, t.due[place]-t.inTime[place].Load())
}

// add counts what another pod has answered in time, and is false when that is not of the same periods.
func (t *tally) add(inTime []int64) bool {
	if len(inTime) != len(t.inTime) {
		return false
	}
	for place, count := range inTime {
		t.inTime[place].Add(max(0, count))
	}
	return true
}

// watch ends the trial once its answer is clear.
func (t *tally) watch(ctx context.Context) {
	limit := time.Duration(t.objective.LimitMicros) * time.Microsecond
	evidence := search.NewEvidence(t.objective)
	for place := range t.inTime {
		end := time.Duration(place+1) * t.length
		if (alarm.Timer{}).Until(ctx, t.open.window.begin.Add(end+limit+recording)) != nil {
			return
		}
		evidence.Add(t.period(place))
		if evidence.Failed() || end >= t.shortest && evidence.Kept() {
			t.open.shorten(time.Since(t.open.window.begin))
			return
		}
	}
}

// evidence is that of all periods that have ended after so long, once the last worker has ended.
func (t *tally) evidence(length time.Duration) *search.Evidence {
	evidence := search.NewEvidence(t.objective)
	for place := range min(len(t.inTime), int(length/t.length)) {
		evidence.Add(t.period(place))
	}
	return evidence
}
