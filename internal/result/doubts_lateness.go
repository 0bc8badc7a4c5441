package result

import (
	"errors"
	"fmt"
	"slices"
	"time"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/present"
)

const (
	// A percentile is wrong when the load generator's own delay moves it by more than 100 µs and by more than a tenth.
	// What an idle core of a machine that is not shared takes to wake up is below the first, and what differs from run to
	// run is above the second.
	toleratedMicros = 100
	toleratedShare  = 10

	// doubtedPercent of that is where the doubt begins: a delay that is found out from samples may be larger than it
	// looks.
	doubtedPercent = 75

	// maxWakeUp is by how much the generator may itself be late at the 99th percentile, with a free worker at hand: well
	// above what an idle core usually takes to wake up. It only counts when it is also more than one part in
	// maxWakeUpShare of the service time, for it is in the response time as the service time is.
	maxWakeUp      = time.Millisecond
	maxWakeUpShare = 10
)

// shownQuantiles are those that are shown of every operation that was done often enough.
var shownQuantiles = []struct {
	name  string
	value float64
}{{"p50", 0.5}, {"p99", 0.99}, {"p99.9", 0.999}}

// delays is how late the load generator was by itself.
type delays struct {
	// reply is from when something could be read until it was, and gap the mean time between two looks at it. wakeUp is
	// how late operations were sent that a worker was free for; nil in a closed loop.
	reply, wakeUp *hdrhistogram.Histogram
	gap           int64
}

// delaysOf reads them out of a step; nil when the step has none.
func delaysOf(step reportv1.Step) (*delays, error) {
	if step.Generator.Delay == "" {
		return nil, nil //nolint:nilnil // A report of a system that cannot tell has none, which is no error.
	}
	found := &delays{reply: reportv1.NewHistogram(), gap: max(step.Generator.ProbeMicros, 1)}
	err := addEncoded(found.reply, "the load generator's delay", step.Generator.Delay)
	if step.Arrivals != nil {
		found.wakeUp = reportv1.NewHistogram()
		err = errors.Join(err, addEncoded(found.wakeUp, "wake-up lag", step.Arrivals.WakeUp))
	}
	return found, err
}

// quantile is that of the delay of replies to operations that take so long, in microseconds.
//
// A time in which the load generator does not run delays what becomes readable in it: of a worker that waits for one
// reply at a time at most one, and none when no reply was on its way. Of operations that take t, a standstill of d
// delays those that were sent in the last min(t, d) before its end and would have come back in it; of probes with gaps
// of g those of min(g, d). So what the probes have seen of standstills of d counts min(t, d) / min(g, d) times.
func (d *delays) quantile(quantile float64, takes int64) int64 {
	var all float64
	bars := slices.DeleteFunc(d.reply.Distribution(), func(b hdrhistogram.Bar) bool { return b.Count == 0 })
	weights := make([]float64, len(bars))
	for i, bar := range bars {
		late := max(bar.To, 1)
		weights[i] = float64(bar.Count) * float64(min(max(takes, 1), late)) / float64(min(d.gap, late))
		all += weights[i]
	}
	beyond := (1 - quantile) * all
	for i, bar := range slices.Backward(bars) {
		if beyond -= weights[i]; beyond < 0 {
			return bar.To
		}
	}
	return 0
}

// own is by how much the load generator itself moves a quantile of operations that take so long. In an open loop it is
// late twice, when it sends and when the reply comes, and either may be what puts an operation beyond the quantile.
func (d *delays) own(quantile float64, takes int64, open bool) int64 {
	if !open || d.wakeUp == nil || d.wakeUp.TotalCount() == 0 {
		return d.quantile(quantile, takes)
	}
	half := (1 + quantile) / 2
	return max(d.quantile(half, takes), d.wakeUp.ValueAtQuantile(100*half))
}

// lateness is the percentile, of an operation or of all, that the load generator's own delay spoils most.
type lateness struct {
	of, percentile string
	// micros that were reported, of which own are the load generator's.
	micros, own int64
}

// spoiled says whether so much of what was reported is doubted.
func (l lateness) spoiled() bool {
	tolerated := max(toleratedMicros, (l.micros-l.own)/toleratedShare)
	return l.own*hundred > tolerated*doubtedPercent
}

// findLateness looks at the percentiles of each operation, and of all together: those of the service time and, in an
// open loop, those of the response time too. It is nil when none is spoiled.
func findLateness(step reportv1.Step, found *delays) (*lateness, error) {
	var worst *lateness
	var whole Times
	if len(step.Operations) > 1 {
		whole = Times{Service: reportv1.NewHistogram(), Latency: reportv1.NewHistogram()}
	}
	for _, operation := range step.Operations {
		times, err := TimesOf(operation)
		if err != nil {
			return nil, fmt.Errorf("operation %q: %w", operation.Name, err)
		}
		worst = found.worst(worst, fmt.Sprintf("operation %q", operation.Name), times)
		if whole.Service != nil && operation.PartOf == "" {
			whole.Service.Merge(times.Service)
			whole.Latency.Merge(times.Latency)
			whole.Open = whole.Open || times.Open
		}
	}
	if whole.Service != nil {
		worst = found.worst(worst, "all operations", whole)
	}
	return worst, nil
}

// worst is the percentile that is spoiled most: that one, which may be nil, or one of these times.
func (d *delays) worst(worst *lateness, of string, times Times) *lateness {
	takes := max(1, times.Service.ValueAtQuantile(50)-d.reply.ValueAtQuantile(50))
	look := func(times *hdrhistogram.Histogram, open bool) {
		for _, shown := range shownQuantiles {
			if times.TotalCount() < figure.Needed(shown.value) {
				continue
			}
			late := lateness{of: of, percentile: shown.name, micros: times.ValueAtQuantile(100 * shown.value)}
			late.own = min(d.own(shown.value, takes, open), late.micros)
			if late.spoiled() && (worst == nil || late.own > worst.own) {
				worst = &late
			}
		}
	}
	look(times.Service, false)
	if times.Open {
		look(times.Latency, true)
	}
	return worst
}

// generatorLate doubts percentiles that are, for a part that matters, the load generator's own delay.
func generatorLate(step judged) doubtful {
	late := step.late
	if late == nil {
		return lateStarts(step)
	}
	return doubtful{max(1, late.own), fmt.Sprintf("step %q: of the %s of %s, %s, an estimated %s is the load generator's "+
		"own delay, not the server's time: %s", step.Name, late.percentile, late.of, present.Micros(late.micros),
		present.Micros(late.own), whyLate(step))}
}

// lateStarts doubts an open loop whose load generator was late itself when it sent, although none of the percentiles
// that are shown is moved by it.
func lateStarts(step judged) doubtful {
	arrivals := step.summary.Arrivals
	if arrivals == nil {
		return doubtful{}
	}
	late, service := arrivals.WakeUp.P99Micros, step.service().P99Micros
	if late <= maxWakeUp.Microseconds() || late <= service/maxWakeUpShare {
		return doubtful{}
	}
	return doubtful{1, fmt.Sprintf("step %q: with a worker free, the load generator was itself up to %s late (p99), and "+
		"the p99 of the service time is %s; give it a CPU that is idle", step.Name, present.Micros(late),
		present.Micros(service))}
}

// whyLate says what kept the load generator, as far as is known, and what to do.
func whyLate(step judged) string {
	used := step.Generator
	window := step.Duration().Microseconds()
	waits := reportv1.NewHistogram()
	_ = addEncoded(waits, "waiting goroutines", used.GoroutineWait) // Of those that cannot be read nothing is said.
	// One part in so much of the window, 2 %.
	const share = 50
	queued := waits.ValueAtQuantile(99)*2 > step.delay.reply.ValueAtQuantile(99)
	switch {
	case queued && used.BusiestSecondPercent >= saturatedPercent:
		return fmt.Sprintf("its goroutines waited up to %s (p99) for one of %s, which were %d %% busy; give "+
			"spec.loadGenerator more cpu or more pods", present.Micros(waits.ValueAtQuantile(99)),
			present.Plural(int64(used.Processors), "processor"), used.BusiestSecondPercent)
	case used.StealMicros*share > window:
		return fmt.Sprintf("the hypervisor kept the machine's processors from running for %s; use a machine that is not "+
			"shared", present.Micros(used.StealMicros))
	case used.WaitMicros*share > window:
		return fmt.Sprintf("it ran for %s and waited %s for a processor that others used or that had to wake up; run it "+
			"where there is CPU to spare, on processors that are not shared", present.Micros(used.CPUMicros),
			present.Micros(used.WaitMicros))
	}
	return "run it on a machine that has nothing else to do, with more cpu"
}

// tooFewThreads doubts the latencies of an open loop that are a queue for the next free worker.
func tooFewThreads(step judged) doubtful {
	arrivals := step.summary.Arrivals
	if arrivals == nil || len(step.Actions) > 0 || step.queued <= 0 || step.blamed() {
		// An action is to keep the workers waiting, and more of them do not help a load generator that is late.
		return doubtful{}
	}
	p99 := step.summary.Overall.P99Micros
	waited := arrivals.Lag.P99Micros - arrivals.WakeUp.P99Micros
	if waited*toleratedShare <= p99 {
		return doubtful{}
	}
	return doubtful{waited, fmt.Sprintf("step %q: no worker was free for %.0f %% of the operations that were due, and %s "+
		"of the p99 of %s is the wait for one of %s; give the step more threads", step.Name, step.queued*hundred,
		present.Micros(waited), present.Micros(p99), present.Plural(int64(step.Threads), "thread"))}
}

// blamed says that a schedule was not kept for the load generator's own delay: it makes up a tenth of what occupied the
// workers, or there was no CPU left to send by.
func (j judged) blamed() bool {
	if j.late == nil {
		return false
	}
	service := float64(j.service().MeanMicros)
	late := j.delay.reply.Mean()
	if j.delay.wakeUp != nil {
		late = max(late, j.delay.wakeUp.Mean())
	}
	return late*toleratedShare > service ||
		j.Generator.BusiestSecondPercent >= saturatedPercent
}

// queuedShare is the share of the operations that were sent for which no worker was free when they were due.
func queuedShare(arrivals *reportv1.Arrivals) (float64, error) {
	if arrivals == nil {
		return 0, nil
	}
	lag, wakeUp := reportv1.NewHistogram(), reportv1.NewHistogram()
	err := errors.Join(
		addEncoded(lag, "schedule lag", arrivals.Lag), addEncoded(wakeUp, "wake-up lag", arrivals.WakeUp))
	return 1 - float64(wakeUp.TotalCount())/float64(max(lag.TotalCount(), 1)), err
}
