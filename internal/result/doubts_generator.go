package result

import (
	"fmt"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
)

const (
	// saturatedPercent of its CPU is where a load generator begins to measure itself. A reply that arrives has to wait
	// for the CPU; by the simplest model of a queue that wait is u/(1-u) times the work on one reply at utilisation u:
	// once at 50 %, nine times at 90 %, nineteen times at 95 %.
	saturatedPercent = 90

	// maxThrottledShare is one in this much of the window. While a load generator is kept from running by its CPU limit,
	// every reply waits for it; with more of that than one part in a hundred the 99th percentile is its own.
	maxThrottledShare = 100

	// maxShortfall is one in this many of the operations that were due: 2 %. Those that were never sent, or after the
	// window only, are the ones that would have taken longest.
	maxShortfall = 50

	// maxPoolWaitShare is one in this much of all service times.
	maxPoolWaitShare = 100
)

func saturation(step judged) doubtful {
	generator := step.Generator
	percent, when := generator.BusiestPodPercent, ""
	if generator.BusiestSecondPercent > percent {
		percent, when = generator.BusiestSecondPercent, " in a second"
	}
	throttled := time.Duration(generator.ThrottledMicros) * time.Microsecond
	const advice = "so that it may have been the limit, not the server; give spec.loadGenerator more cpu or more pods"
	switch {
	case percent >= saturatedPercent:
		return doubtful{int64(percent), fmt.Sprintf("step %q: a load pod used %d %% of its CPU%s, %s",
			step.Name, percent, when, advice)}
	case throttled*maxThrottledShare > step.Duration():
		return doubtful{int64(max(percent, 1)), fmt.Sprintf("step %q: a load pod was kept from running by its CPU limit "+
			"for %s of %s, %s", step.Name, throttled.Round(time.Millisecond), step.Duration().Round(time.Millisecond), advice)}
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
	missed := arrivals.Dropped + arrivals.Skipped + arrivals.Late
	// The operations under way when the window ends are one a worker, which is no queue.
	if arrivals.Dropped+arrivals.Skipped == 0 && (missed <= int64(step.Threads) || missed <= arrivals.Due/maxShortfall) {
		return doubtful{}
	}
	why := fmt.Sprintf("the target does not keep up with this rate at %d threads, so ask for less, or give more threads",
		step.Threads)
	if step.blamed() {
		why = fmt.Sprintf("the load generator does not keep up with this rate, and says nothing of the target: its own "+
			"delay was up to %s (p99); %s", present.Micros(step.delay.reply.ValueAtQuantile(99)), whyLate(step))
	}
	return doubtful{missed, fmt.Sprintf("step %q: %d operations per second were asked for and %d were sent: of %d that "+
		"were due, %d were dropped%s and %d sent after the end, with up to %d in the queue; %s", step.Name,
		arrivals.RequestedPerSecond, arrivals.AchievedPerSecond, arrivals.Due, arrivals.Dropped, skippedText(arrivals),
		arrivals.Late, arrivals.LargestQueue, why)}
}

// skippedText tells how many operations were due too long ago to be sent, where there are any.
func skippedText(arrivals *reportv1.ArrivalsSummary) string {
	if arrivals.Skipped == 0 {
		return ""
	}
	return fmt.Sprintf(", %d skipped as skipAfterMicros says", arrivals.Skipped)
}

// connectionsLost doubts a step whose idle connections were not all open to its end. An action may end them.
func connectionsLost(step judged) doubtful {
	if step.LostConnections == 0 || len(step.Actions) > 0 {
		return doubtful{}
	}
	return doubtful{step.LostConnections, fmt.Sprintf("step %q: over %d of %s the server answered no more in the end; "+
		"look in its log for why it closed them, and at its limit of connections", step.Name, step.LostConnections,
		present.Plural(step.IdleConnections, "idle connection"))}
}

func connectionPoolWaits(step judged) doubtful {
	service := step.serviceMicros()
	waited := float64(step.Traffic.CheckoutMicros)
	// Where threads share a pool as an application's do, the wait is what the application would see.
	if step.PoolSize > 0 || service <= 0 || waited*maxPoolWaitShare <= service {
		return doubtful{}
	}
	share := waited / service
	return doubtful{int64(share * 1_000_000), fmt.Sprintf("step %q: %.1f %% of the service time, and up to %s at once, "+
		"was waiting for a connection of the driver's pool, which has one for each thread; look at errors and at what "+
		"closes connections between the load pods and the servers", step.Name, share*100,
		present.Micros(step.Traffic.MaxCheckoutMicros))}
}
