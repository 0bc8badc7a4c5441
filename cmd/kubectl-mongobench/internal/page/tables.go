package page

import (
	"fmt"
	"slices"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
	"github.com/mongobench/mongobench-operator/internal/result"
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
	made := []Tile{{"Throughput", output.Rate(all, step.DurationMillis).Text, "ops/s", more}}
	for _, time := range figure.Times {
		if slices.Contains([]string{"p50", "p99", "max"}, time.Label) {
			made = append(made, Tile{
				What: "Latency " + time.Label, Figure: output.TimeCell(time, &all.TimesSummary).Text, More: more,
			})
		}
	}
	made = append(made, Tile{
		"Errors", present.Count(all.Errors), "", fmt.Sprintf("of %s operations", present.Count(all.Count+all.Errors)),
	})
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
		output.Groups(name, runs), output.Actions(name, runs), output.Trials(name, runs), output.Servers(name, runs),
		output.Percentiles(name, runs), output.Objectives(name, runs), output.Documents(name, runs),
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
	facts := make(present.Facts, 0, 16)
	facts.Add("threads", present.Count(int64(step.Threads)))
	facts.Add("measured", present.Millis(summary.DurationMillis))
	facts.Add("client", summary.Client)
	facts.Add("generator CPU", fmt.Sprintf("%d %%", step.Generator.BusiestPodPercent))
	if step.IntendedStart != step.Start {
		facts.Add("start skew", present.Micros(max(step.StartSkewMicros, -step.StartSkewMicros)))
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
	for _, failed := range output.FailedChecks(step) {
		found = append(found, prefix+failed)
	}
	for _, action := range step.Actions {
		if action.Error != "" {
			found = append(found, fmt.Sprintf("%s%s was not carried out: %s", prefix, action.Name, action.Error))
		}
	}
	return found
}

// sweeps are those of all runs: throughput and latency by the number of threads; nil when there are none.
func sweeps(runs []output.Run) *Part {
	part := &Part{
		Title: "Sweeps over the number of threads",
		Note:  "The knee is the number of threads beyond which more of them cost more latency than they bring throughput.",
	}
	throughput := Plot{Title: "Throughput", Unit: "operations/s", X: "threads"}
	latency := Plot{Title: "Latency", Unit: "µs", X: "threads", Logarithmic: true}
	for _, run := range runs {
		for _, sweep := range run.Summary.Sweeps {
			label := prefix(runs, run.Name) + sweep.Name
			for _, point := range sweep.Points {
				throughput.add(label, int64(point.Threads), point.OperationsPerSecond)
				latency.add(label+" mean", int64(point.Threads), point.MeanMicros)
				latency.add(label+" p99", int64(point.Threads), point.P99Micros)
			}
			part.Tables = append(part.Tables, output.Sweep(prefix(runs, run.Name), sweep))
		}
	}
	if len(part.Tables) == 0 {
		return nil
	}
	part.Plots = []Plot{throughput, latency}
	return part
}

// add adds a point to the line of a label.
func (p *Plot) add(label string, x, y int64) {
	at := slices.IndexFunc(p.Lines, func(line PlotLine) bool { return line.Label == label })
	if at < 0 {
		at = len(p.Lines)
		p.Lines = append(p.Lines, PlotLine{Label: label})
	}
	line := &p.Lines[at]
	line.X, line.Y = append(line.X, float64(x)), append(line.Y, float64(y))
}

// growth is what a growing collection takes and how fast it is, by the number of documents; nil when none grew.
func growth(runs []output.Run) *Part {
	part := &Part{Title: "Growth of the collection"}
	space := Plot{Title: "Storage and indexes", Unit: "bytes", X: "documents"}
	speed := Plot{Title: "Throughput", Unit: "operations/s", X: "documents"}
	for _, run := range runs {
		prefix := prefix(runs, run.Name)
		for _, at := range run.Summary.Growth {
			space.add(prefix+"data", at.Documents, at.DataBytes)
			space.add(prefix+"storage", at.Documents, at.StorageBytes)
			space.add(prefix+"indexes", at.Documents, at.IndexBytes)
			for _, point := range at.Points {
				speed.add(prefix+"step "+point.Name, at.Documents, point.OperationsPerSecond)
			}
		}
		if len(run.Summary.Growth) > 0 {
			part.Tables = append(part.Tables, output.Growth(prefix, run.Summary.Growth))
		}
	}
	if len(part.Tables) == 0 {
		return nil
	}
	if part.Plots = []Plot{space}; len(speed.Lines) > 0 {
		part.Plots = append(part.Plots, speed)
	}
	return part
}

// sizes are what collections take on each shard, and how evenly; nil when nothing was looked at.
func sizes(runs []output.Run) *Part {
	part := &Part{Title: "Storage, indexes and the balance of shards"}
	for _, run := range runs {
		for _, step := range run.Report.Steps {
			if len(step.Sizes) > 0 {
				part.Tables = append(part.Tables, sizeTable(prefix(runs, run.Name), step))
			}
		}
	}
	if len(part.Tables) == 0 {
		return nil
	}
	return part
}

func sizeTable(prefix string, step reportv1.Step) present.Table {
	caption := fmt.Sprintf("%sStep %s (%s)", prefix, step.Name, step.Kind)
	if step.MaxImbalancePercent > 0 {
		caption += fmt.Sprintf(": the fullest shard has %d %% more than the mean, and %d %% are allowed",
			step.ImbalancePercent, step.MaxImbalancePercent)
	}
	if slices.ContainsFunc(step.Sizes, func(s reportv1.CollectionSize) bool { return s.Unsettled }) {
		caption += "; sizes on disk are those of the servers' last checkpoint"
	}
	table := present.Table{
		Caption: caption,
		Columns: slices.Concat(present.Columns("collection", "shard"),
			[]present.Column{{Name: "share of the data", Number: true, Bar: true}},
			present.Numbers("documents", "data", "storage", "of that free", "indexes", "chunks"),
			present.Columns("index sizes")),
	}
	whole := map[string]int64{}
	for _, size := range step.Sizes {
		whole[size.Collection] += size.DataBytes
	}
	for _, size := range step.Sizes {
		var indexes int64
		each := make([]string, 0, len(size.Indexes))
		for _, index := range size.Indexes {
			indexes += index.Bytes
			each = append(each, index.Name+" "+present.BytesCell(index.Bytes).Text)
		}
		share := 100 * float64(size.DataBytes) / float64(max(whole[size.Collection], 1))
		table.Rows = append(table.Rows, []present.Cell{
			present.Text(size.Collection), present.Text(size.Shard),
			present.Valued(fmt.Sprintf("%.1f %%", share), share, ""), present.CountCell(size.Documents),
			present.BytesCell(size.DataBytes),
			present.BytesCell(size.StorageBytes), present.BytesCell(size.FreeBytes), present.BytesCell(indexes),
			present.CountCell(size.Chunks),
			present.Text(strings.Join(each, ", ")),
		})
	}
	return table
}

// factsOf is what was run, and on what.
func factsOf(run output.Run) []present.Fact {
	report := run.Report
	facts, server := output.Head(run), report.Server
	facts.Add("Persistence", persistence(server))
	facts.Add("Shards", shards(server))
	facts.Add("TLS", server.TLS)
	facts.Add("Server build", server.GitVersion)
	facts = append(facts, run.Facts...)
	facts.Add("Steps", stepNames(report.Steps))
	if len(report.Steps) > 0 {
		facts.Add("Began", report.Steps[0].Start.UTC().Format("2006-01-02 15:04:05 UTC"))
		end := report.Steps[len(report.Steps)-1].End
		facts.Add("Lasted", present.Millis(end.Sub(report.Steps[0].Start).Milliseconds()))
	}
	facts.Add("Plan", report.PlanHash)
	return facts
}

// persistence is what is left of the data when servers stop, and what a write that names no concern waits for.
func persistence(server reportv1.Server) string {
	var parts []string
	switch server.Persistence {
	case "":
	case "Transient":
		parts = append(parts, "nothing is kept on disk (Transient)")
	default:
		parts = append(parts, "kept on disk ("+server.Persistence+")")
	}
	if server.DefaultWriteConcern != "" && !catalogue.Named(server.Product).Traits().FlushesBySettings {
		parts = append(parts, "default write concern "+server.DefaultWriteConcern)
	}
	return strings.Join(parts, ", ")
}

func shards(server reportv1.Server) string {
	if server.Shards == 0 {
		return ""
	}
	if server.Router == "" {
		return present.Count(int64(server.Shards))
	}
	return fmt.Sprintf("%d, requests go through: %s", server.Shards, server.Router)
}

// mostNames is how many names a list of facts shows.
const mostNames = 12

func stepNames(steps []reportv1.Step) string {
	names := make([]string, 0, len(steps))
	for _, step := range steps {
		names = append(names, fmt.Sprintf("%s (%s)", step.Name, step.Kind))
	}
	return strings.Join(present.First(names, mostNames, "and %d more"), ", ")
}

// trustOf is the words of the text form.
func trustOf(run output.Run) Trust {
	notes := result.Notes(run.Report)
	switch {
	case len(run.Summary.Steps) == 0:
		return Trust{Verdict: "nothing", Text: "Trusted: nothing was measured"}
	case len(run.Doubts) == 0:
		return Trust{Verdict: "yes", Text: "Trusted: yes, no check found a reason for doubt", Notes: notes}
	default:
		return Trust{Verdict: "no", Text: "Trusted: no", Doubts: run.Doubts, Notes: notes}
	}
}

// sideBySide has a line for each fact and a column for each run.
func sideBySide(runs []Run) *present.Table {
	table := &present.Table{
		Caption: "What the runs have in common, and what not",
		Columns: present.Columns("fact", "differs"),
	}
	var names []string
	for _, run := range runs {
		table.Columns = append(table.Columns, present.Column{Name: run.Name, Wrap: true})
		for _, fact := range run.Facts {
			if !slices.Contains(names, fact.Name) {
				names = append(names, fact.Name)
			}
		}
	}
	for _, name := range names {
		row, differs := make([]present.Cell, 0, len(runs)), ""
		for _, run := range runs {
			said := factNamed(run.Facts, name)
			if said != factNamed(runs[0].Facts, name) {
				differs = "differs"
			}
			row = append(row, present.Text(said))
		}
		table.Rows = append(table.Rows, append([]present.Cell{present.Text(name), present.Text(differs)}, row...))
	}
	return table
}

// factNamed is what is said under a name, which may be there more than once.
func factNamed(facts []present.Fact, name string) string {
	var said []string
	for _, fact := range facts {
		if fact.Name == name {
			said = append(said, fact.Text)
		}
	}
	return present.Or(strings.Join(said, "; "))
}
