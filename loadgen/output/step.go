package output

import (
	"fmt"
	"slices"
	"strings"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

func writeStep(whole *layout, summary reportv1.StepSummary, step reportv1.Step, members []reportv1.Member) {
	whole.heading("Step %s: %s%s, %s measured, generator CPU %d %%", summary.Name,
		plural(int64(step.Threads), "thread"), by(summary.Client), seconds(summary.DurationMillis),
		step.Generator.BusiestPodPercent)
	whole.table(operationTable(summary))
	for _, operation := range step.Operations {
		for _, class := range operation.ErrorClasses {
			whole.line("! %s: %s %s, first: %s", operation.Name, thousands(class.Count), class.Class, class.FirstMessage)
		}
	}
	writeActions(whole, summary.Actions)
	if summary.Search != nil {
		writeSearch(whole, summary.Search)
	}
	whole.facts(StepFacts(summary, step))
	writeMembers(whole, step, members)
}

// operationTable has a line for each operation. Where there are several times of an operation it has one for each, and
// a column that says which.
func operationTable(summary reportv1.StepSummary) *columns {
	table := &columns{left: 2}
	head := []string{"operation", "kind", "count", "errors", "ops/s", "mean", "p50", "p95", "p99", "p99.9", "max"}
	several := summary.Overall.ServiceTime != nil || summary.Overall.FirstDocument != nil
	if several {
		table.left = 3
		head = append(head[:2:2], append([]string{"time"}, head[2:]...)...)
	}
	table.add(head...)
	lines := summary.Operations
	if len(lines) > 1 {
		all := summary.Overall
		all.Name = "all"
		lines = append(slices.Clip(lines), all)
	}
	for _, o := range lines {
		counts := []string{thousands(o.Count), thousands(o.Errors), rate(o, summary.DurationMillis)}
		which, written := "service", times(o.TimesSummary)
		switch {
		case o.Count == o.Unacknowledged:
			which, written = notKnown, slices.Repeat([]string{notKnown}, len(written))
		case o.ServiceTime != nil:
			which = "response"
		}
		if !several {
			table.add(cells([]string{o.Name, o.Kind}, counts, written)...)
			continue
		}
		table.add(cells([]string{o.Name, o.Kind, which}, counts, written)...)
		if which == "response" {
			table.add(cells([]string{"", "", "service", "", "", ""}, times(*o.ServiceTime))...)
		}
		if o.FirstDocument != nil {
			table.add(cells([]string{"", "", "first document", "", "", ""}, times(*o.FirstDocument))...)
		}
	}
	return table
}

func cells(parts ...[]string) []string {
	var all []string
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}

func times(t reportv1.TimesSummary) []string {
	written := make([]string, 0, 6)
	for _, micros := range []int64{t.MeanMicros, t.P50Micros, t.P95Micros, t.P99Micros, t.P999Micros, t.MaxMicros} {
		written = append(written, reportv1.FormatMicros(micros))
	}
	return written
}

// rate is a whole number, unless that would hide most of it: an aggregation may take many seconds.
func rate(o reportv1.OperationSummary, millis int64) string {
	const few = 10
	if o.OperationsPerSecond >= few || millis <= 0 {
		return thousands(o.OperationsPerSecond)
	}
	return fmt.Sprintf("%.2f", float64(o.Count)*1000/float64(millis))
}

// addArrivals tells how an arrival schedule was kept.
func addArrivals(facts *columns, arrivals *reportv1.ArrivalsSummary) {
	if arrivals == nil {
		return
	}
	facts.add("arrivals", fmt.Sprintf("%s, %s/s requested, %s/s achieved; %s due, %s dropped, %s sent after the end, "+
		"at most %s in the queue", strings.ToLower(arrivals.Process), thousands(arrivals.RequestedPerSecond),
		thousands(arrivals.AchievedPerSecond), thousands(arrivals.Due), thousands(arrivals.Dropped),
		thousands(arrivals.Late), thousands(arrivals.LargestQueue)))
	facts.add("lag", fmt.Sprintf("%s; with a free worker %s", lag(arrivals.Lag), lag(arrivals.WakeUp)))
}

func lag(times reportv1.TimesSummary) string {
	return fmt.Sprintf("p50 %s, p99 %s, max %s", reportv1.FormatMicros(times.P50Micros),
		reportv1.FormatMicros(times.P99Micros), reportv1.FormatMicros(times.MaxMicros))
}

// addSteady tells when the throughput became steady.
func addSteady(facts *columns, summary reportv1.StepSummary) {
	steady := summary.Steady
	if steady == nil {
		return
	}
	when := "never"
	switch {
	case steady.Reached && steady.AfterMillis == 0:
		when = "from the begin on"
	case steady.Reached:
		when = fmt.Sprintf("after %s: a warm-up that much longer would leave the begin out", seconds(steady.AfterMillis))
	}
	facts.add("steady", fmt.Sprintf("%s; intervals vary by %d %%, index of dispersion %.1f", when,
		steady.VariationPercent, float64(summary.DispersionMillis)/1000))
}

func addRetries(facts *columns, summary reportv1.StepSummary) {
	overall := summary.Overall
	if overall.Retries > 0 {
		facts.add("retries", thousands(overall.Retries))
	}
	if overall.Unacknowledged > 0 {
		facts.add("unacknowledged",
			thousands(overall.Unacknowledged)+" of the operations, which are in no latency"+drained(summary.Drain))
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
	text := "; taken in " + reportv1.FormatMicros(drain.Micros) + " after the end, which is in their ops/s"
	if drain.Counted {
		text += fmt.Sprintf("; %s of %s documents arrived", thousands(drain.Arrived), thousands(drain.Sent))
	}
	return text
}

// addTraffic tells what went over the connections.
func addTraffic(facts *columns, step reportv1.Step) {
	traffic := step.Traffic
	if traffic == (reportv1.Traffic{}) {
		return
	}
	line := fmt.Sprintf("%s/s in, %s/s out", size(perSecond(traffic.BytesIn, step.Duration())),
		size(perSecond(traffic.BytesOut, step.Duration())))
	if traffic.Checkouts > 0 {
		line += fmt.Sprintf("; %s of the driver's connections, %s each on average, %s at most",
			plural(traffic.Checkouts, "checkout"), reportv1.FormatMicros(traffic.CheckoutMicros/traffic.Checkouts),
			reportv1.FormatMicros(traffic.MaxCheckoutMicros))
	}
	facts.add("network", line)
}

// addGenerator tells what the load generator itself used.
func addGenerator(facts *columns, generator reportv1.Generator) {
	if generator.Processors == 0 {
		return
	}
	line := fmt.Sprintf("CPU %s of %s", reportv1.FormatMicros(generator.CPUMicros),
		reportv1.FormatMicros(generator.AvailableCPUMicros))
	line += fmt.Sprintf(" on %s, of that %s for Go's collector, which paused it for %s; waited %s for a processor",
		plural(int64(generator.Processors), "processor"), share(generator.GCCPUMicros, generator.CPUMicros),
		reportv1.FormatMicros(generator.GCPauseMicros), reportv1.FormatMicros(generator.WaitMicros))
	if generator.ThrottledMicros > 0 {
		line += ", stopped by its limit for " + reportv1.FormatMicros(generator.ThrottledMicros)
	}
	if generator.PeakMemoryBytes > 0 {
		line += ", memory " + size(generator.PeakMemoryBytes)
	}
	facts.add("generator", line)
}

func perSecond(count int64, duration time.Duration) int64 {
	if duration <= 0 {
		return 0
	}
	return int64(float64(count) / duration.Seconds())
}
