package output

import (
	"fmt"
	"slices"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// Fact is something that is known of a report or of a step, in the words of the text form, under a name.
type Fact struct {
	Name, Text string
}

// Head is what the text form begins with: the server, in the first place, the load generator, and the loading.
func Head(report reportv1.Report, summary reportv1.Summary) []Fact {
	facts := []Fact{
		{"Server", serverLine(report.Server)},
		{"Durability", durabilityLine(report.Server)},
		{"Generator", fmt.Sprintf("loadgen %s, %s, %s, plan %.*s", report.LoadgenVersion, report.Driver,
			plural(int64(report.Pods), "pod"), hashDigits, report.PlanHash)},
	}
	for _, line := range machineLines(report.Machines) {
		facts = append(facts, Fact{"Machine", line})
	}
	if load := summary.Load; load != nil {
		facts = append(facts, Fact{"Load", fmt.Sprintf("%s in %s, %s documents/s%s", plural(load.Documents, "document"),
			seconds(load.DurationMillis), thousands(load.DocumentsPerSecond), workers(load.Threads, load.Client))})
	} else if summary.LoadSkipped != "" {
		facts = append(facts, Fact{"Load", "skipped: " + summary.LoadSkipped})
	}
	return slices.DeleteFunc(facts, func(f Fact) bool { return f.Text == "" })
}

// StepFacts are what the text form has below the table of a step: how its schedule was kept, when it became steady, and
// what it took of the network and of the load generator.
func StepFacts(summary reportv1.StepSummary, step reportv1.Step) []Fact {
	found := columns{}
	addArrivals(&found, summary.Arrivals)
	addSteady(&found, summary)
	addRetries(&found, summary)
	addTraffic(&found, step)
	addGenerator(&found, step.Generator)
	facts := make([]Fact, 0, len(found.rows))
	for _, row := range found.rows {
		facts = append(facts, Fact{row[0], row[1]})
	}
	return facts
}

// Thousands writes a number with a comma between groups of three digits.
func Thousands(number int64) string { return thousands(number) }

// Size writes a number of bytes with three significant digits or so: 940 B, 1.3 KiB, 38 MiB.
func Size(number int64) string { return size(number) }

// Seconds writes milliseconds as seconds.
func Seconds(millis int64) string { return seconds(millis) }

// Rate writes the operations per second of a window of this length: a whole number, unless that would hide
// most of it.
func Rate(o reportv1.OperationSummary, millis int64) string { return rate(o, millis) }
