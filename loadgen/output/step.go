package output

import (
	"fmt"
	"strings"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// writeStep writes what a step came to.
func writeStep(whole *layout, run Run, summary reportv1.StepSummary) {
	step, alone := run.Reported(summary.Name), []Run{run}
	whole.heading("Step %s: %s%s, %s measured, generator CPU %d %%", summary.Name,
		present.Plural(int64(step.Threads), "thread"), by(summary.Client), present.Millis(summary.DurationMillis),
		step.Generator.BusiestPodPercent)
	whole.table(Operations(step.Name, alone))
	for _, operation := range step.Operations {
		for _, class := range operation.ErrorClasses {
			whole.line("! %s: %s %s, first: %s", operation.Name, present.Count(class.Count), class.Class, class.FirstMessage)
		}
	}
	whole.table(Actions(step.Name, alone))
	for _, action := range step.Actions {
		if action.Error != "" {
			whole.line("! %s was not carried out: %s", action.Name, action.Error)
		}
	}
	if summary.Search != nil {
		whole.line("%s", foundText(summary.Search))
		whole.table(Trials(step.Name, alone))
	}
	whole.facts(StepFacts(summary, step))
	whole.table(Servers(step.Name, alone))
}

// foundText is what a search for the highest rate found.
func foundText(search *reportv1.Search) string {
	found := "not even the lowest rate kept it"
	if search.Found > 0 {
		found = present.Count(search.Found) + "/s is the highest rate that kept it"
	}
	return fmt.Sprintf("Search for a p%g of at most %s: %s", float64(search.PercentileMillis)/1000,
		present.Micros(search.LimitMicros), found)
}

// addArrivals tells how an arrival schedule was kept.
func addArrivals(facts *factList, arrivals *reportv1.ArrivalsSummary) {
	if arrivals == nil {
		return
	}
	facts.add("arrivals", fmt.Sprintf("%s, %s/s requested, %s/s achieved; %s due, %s dropped, %s sent after the end, "+
		"at most %s in the queue", strings.ToLower(arrivals.Process), present.Count(arrivals.RequestedPerSecond),
		present.Count(arrivals.AchievedPerSecond), present.Count(arrivals.Due), present.Count(arrivals.Dropped),
		present.Count(arrivals.Late), present.Count(arrivals.LargestQueue)))
	facts.add("lag", fmt.Sprintf("%s; with a free worker %s", lag(arrivals.Lag), lag(arrivals.WakeUp)))
}

func lag(times reportv1.TimesSummary) string {
	return fmt.Sprintf("p50 %s, p99 %s, max %s", present.Micros(times.P50Micros),
		present.Micros(times.P99Micros), present.Micros(times.MaxMicros))
}

// addSteady tells when the throughput became steady.
func addSteady(facts *factList, summary reportv1.StepSummary) {
	steady := summary.Steady
	if steady == nil {
		return
	}
	when := "never"
	switch {
	case steady.Reached && steady.AfterMillis == 0:
		when = "from the begin on"
	case steady.Reached:
		when = fmt.Sprintf("after %s: a warm-up that much longer would leave the begin out",
			present.Millis(steady.AfterMillis))
	}
	facts.add("steady", fmt.Sprintf("%s; intervals vary by %d %%, index of dispersion %.1f", when,
		steady.VariationPercent, float64(summary.DispersionMillis)/1000))
}

func addRetries(facts *factList, summary reportv1.StepSummary) {
	overall := summary.Overall
	if overall.Retries > 0 {
		facts.add("retries", present.Count(overall.Retries))
	}
	if overall.Unacknowledged > 0 {
		facts.add("unacknowledged",
			present.Count(overall.Unacknowledged)+" of the operations, which are in no latency"+drained(summary.Drain))
	}
}

// drained tells how unacknowledged writes ended.
func drained(drain *reportv1.Drain) string {
	if drain == nil {
		return ""
	}
	if drain.Failed != "" {
		return "; whether the servers took them in is not known"
	}
	text := "; taken in " + present.Micros(drain.Micros) + " after the end, which is in their ops/s"
	if drain.Counted {
		text += fmt.Sprintf("; %s of %s documents arrived", present.Count(drain.Arrived), present.Count(drain.Sent))
	}
	return text
}

// addTraffic tells what went over the connections.
func addTraffic(facts *factList, step reportv1.Step) {
	traffic := step.Traffic
	if traffic == (reportv1.Traffic{}) {
		return
	}
	line := fmt.Sprintf("%s/s in, %s/s out", present.Bytes(perSecond(traffic.BytesIn, step.Duration())),
		present.Bytes(perSecond(traffic.BytesOut, step.Duration())))
	if traffic.Checkouts > 0 {
		line += fmt.Sprintf("; %s of the driver's connections, %s each on average, %s at most",
			present.Plural(traffic.Checkouts, "checkout"), present.Micros(traffic.CheckoutMicros/traffic.Checkouts),
			present.Micros(traffic.MaxCheckoutMicros))
	}
	facts.add("network", line)
}

// addGenerator tells what the load generator itself used.
func addGenerator(facts *factList, generator reportv1.Generator) {
	if generator.Processors == 0 {
		return
	}
	line := fmt.Sprintf("CPU %s of %s", present.Micros(generator.CPUMicros),
		present.Micros(generator.AvailableCPUMicros))
	line += fmt.Sprintf(" on %s, of that %s for Go's collector, which paused it for %s; waited %s for a processor",
		present.Plural(int64(generator.Processors), "processor"), present.Share(generator.GCCPUMicros, generator.CPUMicros),
		present.Micros(generator.GCPauseMicros), present.Micros(generator.WaitMicros))
	if generator.ThrottledMicros > 0 {
		line += ", stopped by its limit for " + present.Micros(generator.ThrottledMicros)
	}
	if generator.PeakMemoryBytes > 0 {
		line += ", memory " + present.Bytes(generator.PeakMemoryBytes)
	}
	facts.add("generator", line)
}

func perSecond(count int64, duration time.Duration) int64 {
	if duration <= 0 {
		return 0
	}
	return int64(float64(count) / duration.Seconds())
}
