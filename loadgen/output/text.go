package output

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// Text writes a report as tables.
func Text(to io.Writer, report reportv1.Report) error {
	return write(to, report, &present.Document{})
}

// Markdown writes the same as Text, as a pull request shows it, under a title.
func Markdown(to io.Writer, title string, report reportv1.Report) error {
	whole := &present.Document{Markdown: true}
	whole.Title(title)
	return write(to, report, whole)
}

func write(to io.Writer, report reportv1.Report, whole *present.Document) error {
	run, err := Look("", report)
	if err != nil {
		return err
	}
	whole.Facts(Head(run))
	for _, step := range run.Summary.Steps {
		writeStep(whole, run, step)
	}
	for _, sweep := range run.Summary.Sweeps {
		table := Sweep("", sweep)
		whole.Heading("%s", table.Caption)
		whole.Table(table)
	}
	writeGrowth(whole, run.Summary.Growth)
	writeDuet(whole, report.Duet)
	writeTrust(whole, run)
	return whole.Write(to)
}

// writeGrowth shows sizes and throughput by the number of documents.
func writeGrowth(whole *present.Document, growth []reportv1.GrowthSummary) {
	if len(growth) == 0 {
		return
	}
	table := Growth("", growth)
	whole.Heading("%s", table.Caption)
	whole.Table(table)
	if slices.ContainsFunc(growth, func(at reportv1.GrowthSummary) bool { return at.Unsettled }) {
		whole.Line("! storage and index are those of the servers' last checkpoint: the user may not ask for one (fsync)")
	}
}

// writeTrust says whether the numbers may be believed.
func writeTrust(whole *present.Document, run Run) {
	switch {
	case len(run.Summary.Steps) == 0:
		whole.Heading("Trusted: nothing was measured")
	case len(run.Doubts) == 0:
		whole.Heading("Trusted: yes, no check found a reason for doubt")
	default:
		whole.Heading("Trusted: no")
	}
	for _, doubt := range run.Doubts {
		whole.Item("%s: %s", doubt.Reason, doubt.Message)
	}
	for _, note := range result.Notes(run.Report) {
		whole.Item("%s", note)
	}
}

// writeStep writes what a step came to.
func writeStep(whole *present.Document, run Run, summary reportv1.StepSummary) {
	step, alone := run.Reported(summary.Name), []Run{run}
	whole.Heading("Step %s: %s%s, %s measured, generator CPU %d %%", summary.Name,
		present.Plural(int64(step.Threads), "thread"), by(summary.Client), present.Millis(summary.DurationMillis),
		step.Generator.BusiestPodPercent)
	whole.Table(Groups(step.Name, alone))
	whole.Table(Operations(step.Name, alone))
	for _, operation := range step.Operations {
		for _, class := range operation.ErrorClasses {
			whole.Line("! %s: %s %s, first: %s", operation.Name, present.Count(class.Count), class.Class, class.FirstMessage)
		}
	}
	whole.Table(Percentiles(step.Name, alone))
	whole.Table(Objectives(step.Name, alone))
	for _, failed := range FailedChecks(step) {
		whole.Line("! %s", failed)
	}
	whole.Table(Documents(step.Name, alone))
	whole.Table(Actions(step.Name, alone))
	for _, action := range step.Actions {
		if action.Error != "" {
			whole.Line("! %s was not carried out: %s", action.Name, action.Error)
		}
	}
	if summary.Search != nil {
		whole.Line("%s", foundText(summary.Search))
		whole.Table(Trials(step.Name, alone))
		for i, trial := range summary.Search.Trials {
			if trial.Unsettled != "" {
				whole.Line("! before trial %d the target had not recovered after %s: %s", i+1,
					present.Millis(trial.RecoveryMillis), trial.Unsettled)
			}
		}
	}
	whole.Facts(StepFacts(summary, step))
	whole.Table(Servers(step.Name, alone))
}

// foundText is what a search for the highest rate found.
func foundText(search *reportv1.Search) string {
	found := "not even the lowest rate kept it"
	switch rate := present.Count(search.Found) + "/s"; {
	case search.Found > 0 && search.Below > 0:
		found = fmt.Sprintf("the limit is between %s, which kept it, and %s/s, with a confidence of %d %% for each",
			rate, present.Count(search.Below), search.ConfidencePercent)
	case search.Found > 0:
		found = rate + " kept it, and the limit is there or above"
	}
	if search.LimitedBy != "" && search.LimitedBy != reportv1.LimitedByTarget {
		found += "; the search was limited by: " + search.LimitedBy
	}
	return fmt.Sprintf("Search for a p%g of at most %s: %s", float64(search.PercentileMillis)/1000,
		present.Micros(search.LimitMicros), found)
}

// StepFacts are what the text form has below the table of a step: how its schedule was kept, when it became steady, and
// what it took of the network and of the load generator.
func StepFacts(summary reportv1.StepSummary, step reportv1.Step) present.Facts {
	var facts present.Facts
	facts.Add(present.Few, TooFew(summary))
	addLimits(&facts, summary.LimitedBy)
	addPlans(&facts, step.Explained)
	addRecall(&facts, step.Operations)
	addSlow(&facts, step.Slow)
	if summary.Sent != "" {
		facts.Add("sent", summary.Sent)
	}
	addReplay(&facts, step.Replay)
	if arrivals := summary.Arrivals; arrivals != nil {
		facts.Add("arrivals", arrivalsText(arrivals))
		facts.Add("lag", fmt.Sprintf("%s; with a free worker %s", lag(arrivals.Lag), lag(arrivals.WakeUp)))
	}
	for _, ping := range longestTrips(summary.Pings) {
		facts.Add("round trip", roundTripText(ping))
	}
	facts.Add("stragglers", overrunText(summary))
	if summary.Digits > 0 {
		facts.Add("histograms", fmt.Sprintf("of %s, since the report would have been too large with three",
			present.Plural(int64(summary.Digits), "significant digit")))
	}
	facts.Add("steady", steadyText(summary))
	facts.Add("paced", result.Pace(step))
	overall := summary.Overall
	if overall.Retries > 0 {
		facts.Add("retries", present.Count(overall.Retries))
	}
	if overall.Unacknowledged > 0 {
		facts.Add("unacknowledged",
			present.Count(overall.Unacknowledged)+" of the operations, which are in no latency"+drained(summary.Drain))
	}
	facts.Add("network", trafficText(step))
	if step.PoolSize > 0 && step.Traffic.CheckoutMicros > 0 {
		facts.Add("pool", fmt.Sprintf("of %s; waiting for a connection took %s in all, and %s at most",
			present.Plural(step.PoolSize, "connection"), present.Micros(step.Traffic.CheckoutMicros),
			present.Micros(step.Traffic.MaxCheckoutMicros)))
	}
	facts.Add("generator", generatorText(step.Generator))
	facts.Add("cost", stepCost(summary.Cost))
	return facts
}

// mostTrips is how many servers' round trips are shown: those that are farthest.
const mostTrips = 4

func longestTrips(pings []reportv1.Ping) []reportv1.Ping {
	longest := slices.SortedStableFunc(slices.Values(pings), func(a, b reportv1.Ping) int {
		return cmp.Compare(b.MedianMicros, a.MedianMicros)
	})
	return longest[:min(len(longest), mostTrips)]
}

// roundTripText tells how far a server was before the step, and how the clocks of several pods stood by its own.
func roundTripText(ping reportv1.Ping) string {
	text := fmt.Sprintf("%s: median %s, min %s", ping.Member, present.Micros(ping.MedianMicros),
		present.Micros(ping.MinMicros))
	if ping.P99Micros > 0 {
		text += ", p99 " + present.Micros(ping.P99Micros)
	}
	if ping.Pods < 2 {
		return text
	}
	text += fmt.Sprintf("; of %d pods, the nearest has a median of %s", ping.Pods, present.Micros(ping.NearestMicros))
	if clock := ping.Clock; clock != nil {
		text += fmt.Sprintf("; their clocks differ by %s (±%s), they began %s apart", present.Micros(clock.SpreadMicros()),
			present.Micros(clock.UncertaintyMicros), present.Micros(clock.LastStart.Sub(clock.FirstStart).Microseconds()))
	}
	return text
}

// overrunText tells of the operations that were answered after the measure window, where it takes more than one part in
// a hundred of the window: those that are under way when it ends are one a thread, and end soon.
func overrunText(summary reportv1.StepSummary) string {
	const worthSaying = 100
	if summary.OverrunMillis*worthSaying <= summary.DurationMillis {
		return ""
	}
	return fmt.Sprintf("%s succeeded after the window, whose last reply came %s after it; they are in the latencies, "+
		"not in the ops/s", present.Plural(summary.Overall.Stragglers, "operation"), present.Millis(summary.OverrunMillis))
}

// arrivalsText tells how an arrival schedule was kept.
func arrivalsText(arrivals *reportv1.ArrivalsSummary) string {
	return fmt.Sprintf("%s, %s/s requested, %s/s achieved; %s due, %s dropped%s, %s sent after the end, "+
		"at most %s in the queue", strings.ToLower(arrivals.Process), present.Count(arrivals.RequestedPerSecond),
		present.Count(arrivals.AchievedPerSecond), present.Count(arrivals.Due), present.Count(arrivals.Dropped),
		skippedText(arrivals.Skipped), present.Count(arrivals.Late), present.Count(arrivals.LargestQueue))
}

// skippedText tells of operations that were due too long ago to be sent, where there are any.
func skippedText(skipped int64) string {
	if skipped == 0 {
		return ""
	}
	return ", " + present.Count(skipped) + " skipped"
}

func lag(times reportv1.TimesSummary) string {
	parts := make([]string, 0, 3)
	for _, time := range figure.Times {
		if slices.Contains([]string{"p50", "p99", "max"}, time.Label) {
			parts = append(parts, time.Label+" "+TimeCell(time, &times).Text)
		}
	}
	return strings.Join(parts, ", ")
}

// steadyText tells when the throughput became steady.
func steadyText(summary reportv1.StepSummary) string {
	steady := summary.Steady
	if steady == nil {
		if summary.NotChecked == "" {
			return ""
		}
		return "not checked: " + summary.NotChecked
	}
	when := "never"
	switch {
	case steady.Reached && steady.AfterMillis == 0:
		when = "from the start"
	case steady.Reached:
		when = fmt.Sprintf("after %s: a warm-up that much longer would leave the start out",
			present.Millis(steady.AfterMillis))
	}
	return fmt.Sprintf("%s; intervals vary by %d %%, index of dispersion %.1f", when,
		steady.VariationPercent, float64(summary.DispersionMillis)/1000)
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

// trafficText tells what went over the connections.
func trafficText(step reportv1.Step) string {
	traffic := step.Traffic
	if traffic == (reportv1.Traffic{}) {
		return ""
	}
	line := fmt.Sprintf("%s/s in, %s/s out", present.Bytes(perSecond(traffic.BytesIn, step.Duration())),
		present.Bytes(perSecond(traffic.BytesOut, step.Duration())))
	if traffic.Checkouts > 0 {
		line += fmt.Sprintf("; %s of the driver's connections, %s each on average, %s at most",
			present.Plural(traffic.Checkouts, "checkout"), present.Micros(traffic.CheckoutMicros/traffic.Checkouts),
			present.Micros(traffic.MaxCheckoutMicros))
	}
	return line
}

// generatorText tells what the load generator itself used.
func generatorText(generator reportv1.Generator) string {
	if generator.Processors == 0 {
		return ""
	}
	line := fmt.Sprintf("CPU %s of %s on %s, of that %s for Go's collector, which paused it for %s; waited %s for a "+
		"processor", present.Micros(generator.CPUMicros), present.Micros(generator.AvailableCPUMicros),
		present.Plural(int64(generator.Processors), "processor"), present.Share(generator.GCCPUMicros, generator.CPUMicros),
		present.Micros(generator.GCPauseMicros), present.Micros(generator.WaitMicros))
	if generator.ThrottledMicros > 0 {
		line += ", stopped by its limit for " + present.Micros(generator.ThrottledMicros)
	}
	if delay, err := reportv1.DecodeHistogram(generator.Delay); err == nil {
		line += fmt.Sprintf(", late by %s (median) and %s (p99)", present.Micros(delay.ValueAtQuantile(50)),
			present.Micros(delay.ValueAtQuantile(99)))
	}
	if generator.PeakMemoryBytes > 0 {
		line += ", memory " + present.Bytes(generator.PeakMemoryBytes)
	}
	return line
}

func perSecond(count int64, duration time.Duration) int64 {
	if duration <= 0 {
		return 0
	}
	return int64(float64(count) / duration.Seconds())
}
