package page

import (
	"fmt"
	"slices"
	"strconv"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

// stepParts are the steps that were measured in any run, in the order in which they are first seen.
func stepParts(runs []looked) []StepPart {
	parts := []StepPart{}
	for _, run := range runs {
		for _, step := range run.summary.Steps {
			if !slices.ContainsFunc(parts, func(p StepPart) bool { return p.Name == step.Name }) {
				parts = append(parts, stepPart(step.Name, runs))
			}
		}
	}
	return parts
}

func stepPart(name string, runs []looked) StepPart {
	part := StepPart{Name: name, Tables: []Table{operationTable(name, runs)}}
	for at, run := range runs {
		summary := summaryOf(run.summary, name)
		if summary == nil {
			continue
		}
		step := reported(run.Report, name)
		part.Facts = append(part.Facts, StepFacts{Run: at, Facts: stepFacts(*summary, step)})
		part.Failures = append(part.Failures, failures(step, prefix(runs, run.Name))...)
	}
	for _, table := range []Table{actionTable(name, runs), trialTable(name, runs), serverTable(name, runs)} {
		if len(table.Rows) > 0 {
			part.Tables = append(part.Tables, table)
		}
	}
	return part
}

// prefix names the run that something belongs to, where there are several.
func prefix(runs []looked, name string) string {
	if len(runs) < 2 {
		return ""
	}
	return name + ": "
}

// reported is the report's step of a name.
func reported(report reportv1.Report, name string) reportv1.Step {
	at := slices.IndexFunc(report.Steps, func(step reportv1.Step) bool { return step.Name == name })
	if at < 0 {
		return reportv1.Step{}
	}
	return report.Steps[at]
}

func stepFacts(summary reportv1.StepSummary, step reportv1.Step) []Fact {
	facts := []Fact{
		{"threads", output.Thousands(int64(step.Threads))}, {"measured", output.Seconds(summary.DurationMillis)},
	}
	if summary.Client != "" {
		facts = append(facts, Fact{"client", summary.Client})
	}
	facts = append(facts, Fact{"generator CPU", fmt.Sprintf("%d %%", step.Generator.BusiestPodPercent)})
	if step.IntendedStart != step.Start {
		facts = append(facts, Fact{"start skew", reportv1.FormatMicros(max(step.StartSkewMicros, -step.StartSkewMicros))})
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
			found = append(found, fmt.Sprintf("%s%s: %s %s, first: %s", prefix, operation.Name, output.Thousands(class.Count),
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

func actionTable(name string, runs []looked) Table {
	several := len(runs) > 1
	table := Table{
		Caption: "Actions of step " + name,
		Columns: slices.Concat(head(several, "action", "type", "member"),
			numbers("after", "no success for", "recovered after")),
	}
	for _, run := range runs {
		for _, action := range reported(run.Report, name).Actions {
			table.Rows = append(table.Rows, lineOf(several, run.Name, action.Name, text(action.Type), text(action.Member),
				lasted(action.AtMillis), timed(action.OutageMicros), recovered(action.RecoveryMillis)))
		}
	}
	return table
}

func recovered(millis *int64) Cell {
	switch {
	case millis == nil:
		return text(notKnown)
	case *millis == reportv1.NeverRecovered:
		return text("never")
	default:
		return lasted(*millis)
	}
}

// trialTable is what a search for the highest rate tried.
func trialTable(name string, runs []looked) Table {
	several := len(runs) > 1
	table := Table{}
	for _, run := range runs {
		search := reported(run.Report, name).Search
		if search == nil {
			continue
		}
		percentile := fmt.Sprintf("p%g", float64(search.PercentileMillis)/1000)
		table.Caption = fmt.Sprintf("Search for a %s of at most %s", percentile, reportv1.FormatMicros(search.LimitMicros))
		table.Columns = slices.Concat(head(several, "trial"), numbers("rate", "achieved", percentile, "errors", "dropped"),
			columns("kept"))
		for i, trial := range search.Trials {
			table.Rows = append(table.Rows, lineOf(several, run.Name, strconv.Itoa(i+1), counted(trial.Rate),
				counted(trial.Achieved), timed(trial.Micros), counted(trial.Errors), counted(trial.Dropped), text(kept(trial))))
		}
	}
	return table
}

func kept(trial reportv1.Trial) string {
	words := "no"
	if trial.Kept {
		words = "yes"
	}
	if trial.Confirmation {
		return "confirmation: " + words
	}
	return words
}

// serverTable is what each server did in the measure window of a step.
func serverTable(name string, runs []looked) Table {
	several := len(runs) > 1
	table := Table{
		Caption: "Servers in step " + name,
		Columns: slices.Concat(head(several, "server", "role"), numbers("cores", "cache", "dirty", "read", "written",
			"evicted", "checkpoints", "longest", "ops/s in them", "outside", "dispersion")),
	}
	for _, run := range runs {
		step := reported(run.Report, name)
		for _, member := range run.Report.Members {
			did := observe.Summarise(member, step.MeasureStart, step.End)
			if max(did.CPUMillis, did.CacheBytes, did.Outside) < 0 {
				// Nothing was observed in this window.
				continue
			}
			table.Rows = append(table.Rows, lineOf(several, run.Name, did.Name, serverCells(did)...))
		}
	}
	return table
}

func serverCells(did observe.Summary) []Cell {
	cores := func(millis int64) Cell {
		return valued(fmt.Sprintf("%.2f", float64(millis)/1000), float64(millis)/1000, "")
	}
	longest := func(millis int64) Cell { return timed(millis * 1000) }
	return []Cell{
		text(did.Role), known(did.CPUMillis, cores), known(did.CacheBytes, sized), known(did.DirtyBytes, sized),
		known(did.ReadBytes, sizedRate), known(did.WrittenBytes, sizedRate), known(did.Evictions, counted),
		known(did.Checkpoints, counted), known(did.LongestCheckpointMillis, longest),
		known(did.DuringCheckpoints, counted), known(did.Outside, counted),
		valued(fmt.Sprintf("%.1f", did.Operations.Dispersion), did.Operations.Dispersion, ""),
	}
}
