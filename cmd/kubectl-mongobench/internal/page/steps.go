package page

import (
	"fmt"
	"slices"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

// stepParts are the steps that were measured in any run, in the order in which they are first seen.
func stepParts(runs []output.Run) []StepPart {
	parts := []StepPart{}
	for _, run := range runs {
		for _, step := range run.Summary.Steps {
			if !slices.ContainsFunc(parts, func(p StepPart) bool { return p.Name == step.Name }) {
				parts = append(parts, stepPart(step.Name, runs))
			}
		}
	}
	return parts
}

func stepPart(name string, runs []output.Run) StepPart {
	part := StepPart{Name: name, Tables: []present.Table{output.Operations(name, runs)}}
	for at, run := range runs {
		summary := run.Step(name)
		if summary == nil {
			continue
		}
		step := run.Reported(name)
		part.Facts = append(part.Facts, StepFacts{Run: at, Facts: stepFacts(*summary, step)})
		part.Failures = append(part.Failures, failures(step, prefix(runs, run.Name))...)
	}
	for _, table := range []present.Table{
		output.Actions(name, runs), output.Trials(name, runs), output.Servers(name, runs),
	} {
		if len(table.Rows) > 0 {
			part.Tables = append(part.Tables, table)
		}
	}
	return part
}

// prefix names the run that something belongs to, where there are several.
func prefix(runs []output.Run, name string) string {
	if len(runs) < 2 {
		return ""
	}
	return name + ": "
}

func stepFacts(summary reportv1.StepSummary, step reportv1.Step) []Fact {
	facts := []Fact{
		{"threads", present.Count(int64(step.Threads))}, {"measured", present.Millis(summary.DurationMillis)},
	}
	if summary.Client != "" {
		facts = append(facts, Fact{"client", summary.Client})
	}
	facts = append(facts, Fact{"generator CPU", fmt.Sprintf("%d %%", step.Generator.BusiestPodPercent)})
	if step.IntendedStart != step.Start {
		facts = append(facts, Fact{"start skew", present.Micros(max(step.StartSkewMicros, -step.StartSkewMicros))})
	}
	for _, fact := range output.StepFacts(summary, step) {
		facts = append(facts, Fact{fact.Name, fact.Text})
	}
	return facts
}

func failures(step reportv1.Step, prefix string) []string {
	var found []string
	for _, operation := range step.Operations {
		for _, class := range operation.ErrorClasses {
			found = append(found, fmt.Sprintf("%s%s: %s %s, first: %s", prefix, operation.Name, present.Count(class.Count),
				class.Class, class.FirstMessage))
		}
	}
	for _, action := range step.Actions {
		if action.Error != "" {
			found = append(found, fmt.Sprintf("%s%s was not carried out: %s", prefix, action.Name, action.Error))
		}
	}
	return found
}
