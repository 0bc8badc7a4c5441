package result

import (
	"fmt"
	"strings"
	"time"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// Doubt is a reason not to believe a report's numbers.
type Doubt struct {
	// Reason is a reason of a run's condition Trusted, such as StartSkew.
	Reason string `json:"reason"`
	// Message says in which step, by how much, and what to do.
	Message string `json:"message"`
}

// judged is a step with the numbers that were read out of it, of a Measure.
type judged struct {
	reportv1.Step
	summary reportv1.StepSummary
}

// service is the service time of all operations, also of an open loop.
func (j judged) service() reportv1.TimesSummary {
	overall := j.summary.Overall
	if overall.ServiceTime != nil {
		return *overall.ServiceTime
	}
	return overall.TimesSummary
}

// serviceMicros are the service times of all operations added up.
func (j judged) serviceMicros() float64 {
	return float64(j.service().MeanMicros) * float64(j.summary.Overall.Count-j.summary.Overall.Unacknowledged)
}

// doubtful is what a check finds in a step: the severity, which is 0 when there is no doubt, and the message.
type doubtful struct {
	severity int64
	message  string
}

// checks of the steps of a kind, in the order of their doubts: what spoils the numbers most comes first.
var checks = []struct {
	kind, reason string
	find         func(judged) doubtful
}{
	{reportv1.KindMeasure, benchv1alpha1.ReasonActionFailed, actionFailed},
	{reportv1.KindMeasure, benchv1alpha1.ReasonWritesUnaccounted, writesUnaccounted},
	{reportv1.KindMeasure, benchv1alpha1.ReasonGeneratorSaturated, saturation},
	{reportv1.KindMeasure, benchv1alpha1.ReasonScheduleNotKept, scheduleNotKept},
	{reportv1.KindMeasure, benchv1alpha1.ReasonStartSkew, startSkew},
	{reportv1.KindMeasure, benchv1alpha1.ReasonOperationErrors, operationErrors},
	{reportv1.KindMeasure, benchv1alpha1.ReasonConnectionPoolWaits, connectionPoolWaits},
	{reportv1.KindMeasure, benchv1alpha1.ReasonNotSteady, notSteady},
	{reportv1.KindBalance, benchv1alpha1.ReasonImbalance, imbalance},
}

// Doubts finds the reasons not to believe what was measured, each once, for the step where it is worst. None is nil. A
// report that contradicts itself is an error.
func Doubts(report reportv1.Report) ([]Doubt, error) {
	steps := make([]judged, len(report.Steps))
	for i, step := range report.Steps {
		var err error
		if steps[i], err = judge(step); err != nil {
			return nil, fmt.Errorf("looking for doubts: step %q: %w", step.Name, err)
		}
	}
	var doubts []Doubt
	for _, check := range checks {
		var worst doubtful
		for _, step := range steps {
			if step.Kind != check.kind {
				continue
			}
			if found := check.find(step); found.severity > worst.severity {
				worst = found
			}
		}
		if worst.severity > 0 {
			doubts = append(doubts, Doubt{Reason: check.reason, Message: worst.message})
		}
	}
	return doubts, nil
}

func judge(step reportv1.Step) (judged, error) {
	if step.Kind != reportv1.KindMeasure {
		return judged{Step: step}, nil
	}
	if err := consistent(step); err != nil {
		return judged{}, err
	}
	summary, err := summariseStep(step)
	return judged{step, summary}, err
}

// consistent compares the places that count the operations that succeeded.
func consistent(step reportv1.Step) error {
	for _, operation := range step.Operations {
		if min(operation.Count, operation.Errors, operation.Unacknowledged) < 0 {
			return fmt.Errorf("operation %q: a count is below 0", operation.Name)
		}
		times, err := TimesOf(operation)
		if err != nil {
			return fmt.Errorf("operation %q: %w", operation.Name, err)
		}
		timed := operation.Count - operation.Unacknowledged
		for _, histogram := range []*hdrhistogram.Histogram{times.Service, times.Latency} {
			if histogram.TotalCount() != timed {
				return fmt.Errorf("operation %q: %d operations were counted and %d were timed",
					operation.Name, operation.Count, histogram.TotalCount()+operation.Unacknowledged)
			}
		}
	}
	return nil
}

const (
	// saturatedPercent of its CPU is where a load generator begins to measure itself. A reply that arrives has to wait
	// for the CPU; by the simplest model of a queue that wait is u/(1-u) times the work on one reply at utilisation u:
	// once at 50 %, nine times at 90 %, nineteen times at 95 %.
	saturatedPercent = 90

	// maxThrottledShare is one in this much of the window. While a load generator is kept from running by its CPU limit,
	// every reply waits for it; with more of that than one part in a hundred the 99th percentile is its own.
	maxThrottledShare = 100

	// starvedFactor: a load generator that waited for a processor this many times as long as it had one was starved by
	// others, and it matters when that was more than one part in maxWaitShare of all service times. Waiting alone says
	// little: on two cores beside the server that it measures, and nothing else, a load generator was seen to wait half as
	// long as it ran; with other work for ten times these cores, 5 to 12 times as long and for 20 to 95 % of the service
	// times. Only the kernel's own count of it is evidence; where there is none the check is silent.
	starvedFactor = 4
	maxWaitShare  = 5

	// maxStartSkew is how far from the published instant a pod may begin. At the shortest step, one second, it leaves
	// 95 % of the window to all pods together.
	maxStartSkew = 50 * time.Millisecond

	// maxErrorShare is one in this many operations. An operation that failed is in no latency, so that with more of
	// them even the 99th percentile is of a choice of the requests.
	maxErrorShare = 100

	// maxShortfall is one in this many of the operations that were due: 2 %. Those that were never sent, or after the
	// window only, are the ones that would have taken longest.
	maxShortfall = 50

	// maxWakeUp is by how much the generator may itself be late at the 99th percentile, with a free worker at hand: well
	// above what an idle core takes to wake up, 0.2 ms. It only counts when it is also more than one part in
	// maxWakeUpShare of the service time, for it is in the response time as the service time is.
	maxWakeUp      = time.Millisecond
	maxWakeUpShare = 10

	// maxPoolWaitShare is one in this much of all service times.
	maxPoolWaitShare = 100
)

// writesUnaccounted is about unacknowledged writes whose fate is unknown, or which did not arrive.
func writesUnaccounted(step judged) doubtful {
	drain := step.Drain
	switch {
	case drain == nil:
		return doubtful{}
	case drain.Failed != "":
		return doubtful{1, fmt.Sprintf("step %q: the fate of the unacknowledged writes of %s is unknown; they may even "+
			"go on in the next step: %s; have them acknowledged to see what goes wrong", step.Name,
			strings.Join(drain.Operations, ", "), drain.Failed)}
	case drain.Counted && drain.Sent != drain.Arrived:
		return doubtful{magnitude(drain.Sent - drain.Arrived), fmt.Sprintf("step %q: %d documents were sent in "+
			"unacknowledged inserts, and there are %d more than before; the server refused some, or another client writes: "+
			"have them acknowledged to see which", step.Name, drain.Sent, drain.Arrived)}
	default:
		return doubtful{}
	}
}

func saturation(step judged) doubtful {
	generator := step.Generator
	percent := generator.BusiestPodPercent
	throttled := time.Duration(generator.ThrottledMicros) * time.Microsecond
	const advice = "so that it may have been the limit, not the server; give spec.loadGenerator more cpu or more pods"
	switch {
	case percent >= saturatedPercent:
		return doubtful{int64(percent), fmt.Sprintf("step %q: a load pod used %d %% of its CPU, %s",
			step.Name, percent, advice)}
	case throttled*maxThrottledShare > step.Duration():
		return doubtful{int64(max(percent, 1)), fmt.Sprintf("step %q: a load pod was kept from running by its CPU limit "+
			"for %s of %s, %s", step.Name, throttled.Round(time.Millisecond), step.Duration().Round(time.Millisecond), advice)}
	case generator.WaitMicros/starvedFactor > generator.CPUMicros && step.serviceMicros() > 0 &&
		float64(generator.WaitMicros)*maxWaitShare > step.serviceMicros():
		return doubtful{1, fmt.Sprintf("step %q: the load generator ran for %s and waited %s for a processor that others "+
			"used, %.0f %% of all service times, so that much of the latency may be its own; run it where there is CPU to spare",
			step.Name, present.Micros(generator.CPUMicros), present.Micros(generator.WaitMicros),
			float64(generator.WaitMicros)/step.serviceMicros()*100)}
	default:
		return doubtful{}
	}
}

// scheduleNotKept compares an arrival schedule with what was sent.
func scheduleNotKept(step judged) doubtful {
	arrivals := step.summary.Arrivals
	if arrivals == nil {
		return doubtful{}
	}
	missed := arrivals.Dropped + arrivals.Late
	wakeUp := time.Duration(arrivals.WakeUp.P99Micros) * time.Microsecond
	switch {
	// The operations under way when the window ends are one a worker, which is no queue.
	case arrivals.Dropped > 0 || missed > int64(step.Threads) && missed > arrivals.Due/maxShortfall:
		return doubtful{missed, fmt.Sprintf("step %q: %d operations per second were asked for and %d were sent: of %d that "+
			"were due, %d were dropped and %d sent after the end, with up to %d in the queue; the target does not keep up with "+
			"this rate at %d threads, so ask for less, or give more threads", step.Name, arrivals.RequestedPerSecond,
			arrivals.AchievedPerSecond, arrivals.Due, arrivals.Dropped, arrivals.Late, arrivals.LargestQueue, step.Threads)}
	case wakeUp > maxWakeUp && arrivals.WakeUp.P99Micros > step.service().P99Micros/maxWakeUpShare:
		return doubtful{1, fmt.Sprintf("step %q: with a worker free, the load generator was itself up to %s late (p99), and "+
			"the p99 of the service time is %s; give it a CPU that is idle", step.Name,
			present.Micros(arrivals.WakeUp.P99Micros), present.Micros(step.service().P99Micros))}
	default:
		return doubtful{}
	}
}

func startSkew(step judged) doubtful {
	skew := time.Duration(magnitude(step.StartSkewMicros)) * time.Microsecond
	if skew <= maxStartSkew {
		return doubtful{}
	}
	return doubtful{int64(skew), fmt.Sprintf("step %q: a load pod began %s from the agreed instant, and %s are allowed; "+
		"see whether the nodes' clocks agree and their CPUs are free", step.Name, skew.Round(time.Millisecond), maxStartSkew)}
}

func operationErrors(step judged) doubtful {
	succeeded, failed := undisturbed(step.Step)
	var first reportv1.ErrorClass
	for _, operation := range step.Operations {
		for _, class := range operation.ErrorClasses {
			if class.Count > first.Count {
				first = class
			}
		}
	}
	all := succeeded + failed
	if failed*maxErrorShare <= all {
		return doubtful{}
	}
	message := fmt.Sprintf("step %q: %d of %d operations failed", step.Name, failed, all)
	if first.Count > 0 {
		message += fmt.Sprintf(", most often with a %s error: %s", first.Class, first.FirstMessage)
	}
	// Shares are compared, in millionths, since steps differ in length.
	return doubtful{int64(float64(failed) / float64(all) * 1_000_000), message}
}

func connectionPoolWaits(step judged) doubtful {
	service := step.serviceMicros()
	waited := float64(step.Traffic.CheckoutMicros)
	if service <= 0 || waited*maxPoolWaitShare <= service {
		return doubtful{}
	}
	share := waited / service
	return doubtful{int64(share * 1_000_000), fmt.Sprintf("step %q: %.1f %% of the service time, and up to %s at once, "+
		"was waiting for a connection of the driver's pool; allow as many connections as there are threads (maxPoolSize in "+
		"the connection string)", step.Name, share*100, present.Micros(step.Traffic.MaxCheckoutMicros))}
}

func notSteady(step judged) doubtful {
	if step.Steady == nil || step.Steady.Reached || len(step.Actions) > 0 {
		// Actions are to change the throughput.
		return doubtful{}
	}
	variation := step.Steady.VariationPercent
	return doubtful{int64(max(1, variation)), fmt.Sprintf("step %q: the throughput never became steady: it varies by %d "+
		"%% between intervals of %d ms, or drifts; give the step a longer warm-up, or see what the servers do meanwhile",
		step.Name, variation, step.IntervalMillis)}
}

const hundred = 100

// Imbalance is by how much, in percent and rounded up, the shard that has most of a collection's data is above the mean
// of all shards that any size is of. It is 0 without shards, and for a collection without data.
func Imbalance(sizes []reportv1.CollectionSize, collection string) int {
	shares := sharesOf(sizes, collection)
	var most, total int64
	for _, share := range shares {
		most = max(most, share.bytes)
		total += share.bytes
	}
	if total == 0 {
		return 0
	}
	above := most*int64(len(shares)) - total
	return int((above*hundred + total - 1) / total)
}

// share is what a shard has of a collection.
type share struct {
	shard string
	bytes int64
}

func sharesOf(sizes []reportv1.CollectionSize, collection string) []share {
	var shares []share
	for _, size := range sizes {
		found := entry(&shares, share{shard: size.Shard}, func(s share) string { return s.shard })
		if size.Collection == collection {
			found.bytes += size.DataBytes
		}
	}
	return shares
}

// imbalance doubts a Balance at whose end the shards' shares of a collection differed by more than was allowed.
func imbalance(step judged) doubtful {
	excess := step.ImbalancePercent - step.MaxImbalancePercent
	if excess <= 0 {
		return doubtful{}
	}
	collection, shares := unevenCollection(step.Step)
	return doubtful{int64(excess), fmt.Sprintf("step %q: the fullest shard has %d %% more than the mean of "+
		"collection %q (%s), and %d %% are allowed; choose a shard key, split points or initial chunks that spread "+
		"it, let the balancer work, or allow more (maxImbalancePercent)",
		step.Name, step.ImbalancePercent, collection, shares, step.MaxImbalancePercent)}
}

// unevenCollection is the one that a Balance's imbalance is of, with each shard's share of it.
func unevenCollection(step reportv1.Step) (collection, shares string) {
	for _, size := range step.Sizes {
		if Imbalance(step.Sizes, size.Collection) == step.ImbalancePercent {
			collection = size.Collection
			break
		}
	}
	found := sharesOf(step.Sizes, collection)
	var total int64
	for _, s := range found {
		total += s.bytes
	}
	parts := make([]string, len(found))
	for i, s := range found {
		parts[i] = fmt.Sprintf("%s %d %%", s.shard, s.bytes*hundred/max(total, 1))
	}
	return collection, strings.Join(parts, ", ")
}
