package output

import (
	"encoding/json"
	"fmt"
	"slices"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// Fact is something that is known of a report or of a step, in the words of the text form, under a name.
type Fact struct {
	Name, Text string
}

// MarshalJSON writes the name and the text as a list, which a page draws.
func (f Fact) MarshalJSON() ([]byte, error) { return json.Marshal([]string{f.Name, f.Text}) }

// Head is what the text form begins with: the server, in the first place, the load generator, and the loading.
func Head(run Run) []Fact {
	report := run.Report
	facts := []Fact{
		{"Server", serverLine(report.Server)},
		{"Durability", durabilityLine(report.Server)},
		{"Generator", fmt.Sprintf("loadgen %s, %s, %s, plan %.*s", report.LoadgenVersion, report.Driver,
			present.Plural(int64(report.Pods), "pod"), hashDigits, report.PlanHash)},
	}
	for _, line := range machineLines(report.Machines) {
		facts = append(facts, Fact{"Machine", line})
	}
	if load := run.Summary.Load; load != nil {
		facts = append(facts, Fact{"Load", fmt.Sprintf("%s in %s, %s documents/s%s", present.Plural(load.Documents,
			"document"),
			present.Millis(load.DurationMillis), present.Count(load.DocumentsPerSecond), workers(load.Threads, load.Client))})
	} else if run.Summary.LoadSkipped != "" {
		facts = append(facts, Fact{"Load", "skipped: " + run.Summary.LoadSkipped})
	}
	return slices.DeleteFunc(facts, func(f Fact) bool { return f.Text == "" })
}

// StepFacts are what the text form has below the table of a step: how its schedule was kept, when it became steady, and
// what it took of the network and of the load generator.
func StepFacts(summary reportv1.StepSummary, step reportv1.Step) []Fact {
	var found factList
	addArrivals(&found, summary.Arrivals)
	addSteady(&found, summary)
	addRetries(&found, summary)
	addTraffic(&found, step)
	addGenerator(&found, step.Generator)
	return found
}

type factList []Fact

func (f *factList) add(name, text string) { *f = append(*f, Fact{name, text}) }
