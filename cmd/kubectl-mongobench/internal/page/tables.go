package page

import (
	"fmt"
	"slices"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

// latencyColumns are those of the times of an operation.
var latencyColumns = labelsOf(figure.Times)

func labelsOf(times []figure.Time) []string {
	labels := make([]string, len(times))
	for i, time := range times {
		labels[i] = time.Label
	}
	return labels
}

// wholeRates are those that the other forms write as whole numbers.
const wholeRates = 10

// head are the first columns of a table: with the run, where there are several.
func head(several bool, names ...string) []Column {
	if several {
		names = append([]string{names[0], "run"}, names[1:]...)
	}
	return columns(names...)
}

// lineOf begins a row of a table that has a head.
func lineOf(several bool, run string, first string, rest ...Cell) []Cell {
	row := []Cell{text(first)}
	if several {
		row = append(row, text(run))
	}
	return append(row, rest...)
}

// differences are the last columns where several runs are in a table.
func differences(several bool) []Column {
	if !several {
		return nil
	}
	made := numbers("ops/s Δ", "p99 Δ")
	for i := range made {
		made[i].Title = "by how much it differs from the first run's"
	}
	return made
}

// addOverview adds the table of all steps, where there are several, and the tiles of a single run.
func (d *Data) addOverview(runs []looked) {
	several := len(runs) > 1
	if !several {
		d.Tiles = tiles(runs[0].summary)
	}
	if len(d.Steps) < 2 && !several {
		return
	}
	table := Table{
		Caption: "All steps, all operations of each together",
		Columns: slices.Concat(head(several, "step"), numbers("threads", "measured", "count", "errors", "ops/s"),
			numbers(latencyColumns...), differences(several)),
	}
	for _, part := range d.Steps {
		for at, run := range runs {
			step := summaryOf(run.summary, part.Name)
			if step == nil {
				continue
			}
			row := lineOf(several, run.Name, step.Name, counted(int64(step.Threads)), lasted(step.DurationMillis))
			row = slices.Concat(row, operationCells(step.Overall, step.DurationMillis), differenceCells(runs, at, part.Name, ""))
			table.Rows = append(table.Rows, row)
		}
	}
	d.Overview = &table
}

// differenceCells are those of an operation of a run beside the first one; of that itself there is nothing to say.
func differenceCells(runs []looked, at int, step, operation string) []Cell {
	if len(runs) < 2 {
		return nil
	}
	first, _ := operationOf(runs[0].summary, step, operation)
	this, _ := operationOf(runs[at].summary, step, operation)
	if at == 0 || first == nil || this == nil {
		return []Cell{text(notKnown), text(notKnown)}
	}
	return []Cell{
		against(first.OperationsPerSecond, this.OperationsPerSecond), against(first.P99Micros, this.P99Micros),
	}
}

// summaryOf is the step of a name; nil when the run has none.
func summaryOf(summary reportv1.Summary, name string) *reportv1.StepSummary {
	for i := range summary.Steps {
		if summary.Steps[i].Name == name {
			return &summary.Steps[i]
		}
	}
	return nil
}

// operationCells are counts, rate and latency.
func operationCells(o reportv1.OperationSummary, millis int64) []Cell {
	return slices.Concat(countCells(o, millis), timesCells(latencyOf(o)))
}

func countCells(o reportv1.OperationSummary, millis int64) []Cell {
	exact := float64(o.OperationsPerSecond)
	if exact < wholeRates && millis > 0 {
		exact = float64(o.Count) * 1000 / float64(millis)
	}
	return []Cell{counted(o.Count), counted(o.Errors), valued(output.Rate(o, millis), exact, "")}
}

// latencyOf are the times that a summary has by themselves; nil where no operation has a time.
func latencyOf(o reportv1.OperationSummary) *reportv1.TimesSummary {
	if o.Count == o.Unacknowledged {
		return nil
	}
	return &o.TimesSummary
}

func timesCells(times *reportv1.TimesSummary) []Cell {
	if times == nil {
		return slices.Repeat([]Cell{text(notKnown)}, len(latencyColumns))
	}
	cells := make([]Cell, len(figure.Times))
	for i, time := range figure.Times {
		cells[i] = timed(*time.Of(times))
	}
	return cells
}

// operationTable has a line for each operation, and one more for each other time of it.
func operationTable(name string, runs []looked) Table {
	several := len(runs) > 1
	table := Table{
		Caption: "Operations of step " + name,
		Columns: slices.Concat(head(several, "operation", "kind", "time"), numbers("count", "errors", "ops/s"),
			numbers(latencyColumns...), differences(several)),
	}
	for _, operation := range operationNames(name, runs) {
		for at, run := range runs {
			if o, millis := operationOf(run.summary, name, operation); o != nil {
				table.addOperation(lineStart{several, run.Name}, *o, millis, differenceCells(runs, at, name, operation))
			}
		}
	}
	return table
}

// overallName is that of the line of all operations together.
const overallName = "all"

// operationNames are those of a step in any run, and of all together where there are several.
func operationNames(step string, runs []looked) []string {
	var names []string
	for _, run := range runs {
		summary := summaryOf(run.summary, step)
		if summary == nil {
			continue
		}
		for _, o := range summary.Operations {
			if !slices.Contains(names, o.Name) {
				names = append(names, o.Name)
			}
		}
	}
	if len(names) > 1 {
		names = append(names, "")
	}
	return names
}

// operationOf is the operation of a name, or all together for an empty one; nil when the run has none.
func operationOf(summary reportv1.Summary, step, name string) (*reportv1.OperationSummary, int64) {
	found := summaryOf(summary, step)
	if found == nil {
		return nil, 0
	}
	if name == "" {
		all := found.Overall
		all.Name = overallName
		return &all, found.DurationMillis
	}
	for i := range found.Operations {
		if found.Operations[i].Name == name {
			return &found.Operations[i], found.DurationMillis
		}
	}
	return nil, 0
}

// lineStart says how the lines of a run begin.
type lineStart struct {
	several bool
	run     string
}

func (t *Table) addOperation(start lineStart, o reportv1.OperationSummary, millis int64, more []Cell) {
	which := "service"
	switch {
	case o.Count == o.Unacknowledged:
		which = notKnown
	case o.ServiceTime != nil:
		which = "response"
	}
	line := func(which string, cells ...[]Cell) {
		begin := lineOf(start.several, start.run, o.Name, text(o.Kind), text(which))
		t.Rows = append(t.Rows, slices.Concat(begin, slices.Concat(cells...)))
	}
	line(which, operationCells(o, millis), more)
	nothing := slices.Repeat([]Cell{text("")}, 3)
	for _, other := range []struct {
		which string
		times *reportv1.TimesSummary
	}{{"service", o.ServiceTime}, {"first document", o.FirstDocument}} {
		if other.times != nil {
			line(other.which, nothing, timesCells(other.times), slices.Repeat([]Cell{text("")}, len(more)))
		}
	}
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
		if latencyOf(all) == nil {
			return Tile{What: what, Figure: notKnown, More: more}
		}
		return Tile{What: what, Figure: reportv1.FormatMicros(micros), More: more}
	}
	made := []Tile{
		{"Throughput", output.Rate(all, step.DurationMillis), "ops/s", more},
		latency("Latency p50", all.P50Micros), latency("Latency p99", all.P99Micros),
		latency("Latency max", all.MaxMicros),
		{"Errors", output.Thousands(all.Errors), "", fmt.Sprintf("of %s operations", output.Thousands(all.Count+all.Errors))},
	}
	if load := summary.Load; load != nil {
		made = append(made, Tile{
			"Load", output.Thousands(load.DocumentsPerSecond), "documents/s",
			fmt.Sprintf("%s in %s", output.Thousands(load.Documents), output.Seconds(load.DurationMillis)),
		})
	}
	return made
}
