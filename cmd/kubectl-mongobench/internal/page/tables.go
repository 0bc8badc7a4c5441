package page

import (
	"fmt"
	"slices"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

// addOverview adds the table of all steps, where there are several, and the tiles of a single run.
func (d *Data) addOverview(runs []output.Run) {
	several := len(runs) > 1
	if !several {
		d.Tiles = tiles(runs[0].Summary)
	}
	if len(d.Steps) < 2 && !several {
		return
	}
	table := present.Table{
		Caption: "All steps, all operations of each together",
		Columns: slices.Concat(output.HeadColumns(several, "step"), present.Numbers("threads", "measured"),
			output.FigureColumns(several)),
	}
	for _, part := range d.Steps {
		for at, run := range runs {
			step := run.Step(part.Name)
			if step == nil {
				continue
			}
			row := output.Row(several, run.Name, step.Name, present.CountCell(int64(step.Threads)),
				present.MillisCell(step.DurationMillis))
			table.Rows = append(table.Rows, append(row, output.FigureCells(runs, at, part.Name, "")...))
		}
	}
	d.Overview = &table
}

// tiles are the figures of the last step that was measured.
func tiles(summary reportv1.Summary) []Tile {
	if len(summary.Steps) == 0 {
		return nil
	}
	step := summary.Steps[len(summary.Steps)-1]
	all := step.Overall
	more := "step " + step.Name
	if len(summary.Steps) > 1 {
		more += ", the last one"
	}
	latency := func(what string, micros int64) Tile {
		if !output.Timed(all) {
			return Tile{What: what, Figure: present.Unknown, More: more}
		}
		return Tile{What: what, Figure: present.Micros(micros), More: more}
	}
	made := []Tile{
		{"Throughput", output.Rate(all, step.DurationMillis).Text, "ops/s", more},
		latency("Latency p50", all.P50Micros), latency("Latency p99", all.P99Micros),
		latency("Latency max", all.MaxMicros),
		{"Errors", present.Count(all.Errors), "", fmt.Sprintf("of %s operations", present.Count(all.Count+all.Errors))},
	}
	if load := summary.Load; load != nil {
		made = append(made, Tile{
			"Load", present.Count(load.DocumentsPerSecond), "documents/s",
			fmt.Sprintf("%s in %s", present.Count(load.Documents), present.Millis(load.DurationMillis)),
		})
	}
	return made
}

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

func stepFacts(summary reportv1.StepSummary, step reportv1.Step) []present.Fact {
	facts := []present.Fact{
		{Name: "threads", Text: present.Count(int64(step.Threads))},
		{Name: "measured", Text: present.Millis(summary.DurationMillis)},
	}
	if summary.Client != "" {
		facts = append(facts, present.Fact{Name: "client", Text: summary.Client})
	}
	facts = append(facts, present.Fact{
		Name: "generator CPU", Text: fmt.Sprintf("%d %%", step.Generator.BusiestPodPercent),
	})
	if step.IntendedStart != step.Start {
		skew := max(step.StartSkewMicros, -step.StartSkewMicros)
		facts = append(facts, present.Fact{Name: "start skew", Text: present.Micros(skew)})
	}
	return append(facts, output.StepFacts(summary, step)...)
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
