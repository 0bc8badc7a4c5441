package output

import (
	"fmt"
	"math"
	"slices"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// FigureColumns are those of FigureCells.
func FigureColumns(several bool) []present.Column {
	var columns []present.Column
	for _, row := range figure.Labelled(figure.Operations) {
		columns = append(columns, present.Numbers(row.Label)...)
	}
	if several {
		for _, column := range present.Numbers("ops/s Δ", "p99 Δ") {
			column.Title = "by how much it differs from the first run's"
			columns = append(columns, column)
		}
	}
	return columns
}

// FigureCells are counts, rate and latency of an operation of one of several runs, or of all operations together for an
// empty name, and how they differ from those of the first run.
func FigureCells(runs []Run, at int, step, name string) []present.Cell {
	o, millis := runs[at].Operation(step, name)
	cells := []present.Cell{present.CountCell(o.Count), present.CountCell(o.Errors), Rate(*o, millis)}
	times := &o.TimesSummary
	if !Timed(*o) {
		times = nil
	}
	cells = append(cells, timeCells(times)...)
	if len(runs) < 2 {
		return cells
	}
	first, _ := runs[0].Operation(step, name)
	if at == 0 || first == nil {
		return append(cells, present.Texts(present.Unknown, present.Unknown)...)
	}
	return append(cells, against(first.OperationsPerSecond, o.OperationsPerSecond), against(first.P99Micros, o.P99Micros))
}

// Rate is a whole number, unless that would hide most of it: an aggregation may take many seconds.
func Rate(o reportv1.OperationSummary, millis int64) present.Cell {
	const whole = 10
	if o.OperationsPerSecond >= whole || millis <= 0 {
		return present.CountCell(o.OperationsPerSecond)
	}
	exact := float64(o.Count) * 1000 / float64(millis)
	return present.Valued(fmt.Sprintf("%.2f", exact), exact, "")
}

// against is by how much a figure differs from that of the first run, in percent.
func against(first, number int64) present.Cell {
	if first == 0 {
		return present.Text(present.Unknown)
	}
	percent := 100 * float64(number-first) / float64(first)
	return present.Valued(present.Change(new(int64(math.Round(100*percent)))), percent, "")
}

// Timed says whether any operation has a time: unacknowledged ones have none.
func Timed(o reportv1.OperationSummary) bool { return o.Count != o.Unacknowledged }

func timeCells(times *reportv1.TimesSummary) []present.Cell {
	cells := make([]present.Cell, 0, len(figure.Times))
	for _, time := range figure.Times {
		if times == nil {
			cells = append(cells, present.Text(present.Unknown))
		} else {
			cells = append(cells, present.MicrosCell(*time.Of(times)))
		}
	}
	return cells
}

// Operations has a row for each operation of a step and each run, and one more for each other time of it.
func Operations(step string, runs []Run) present.Table {
	several, head := len(runs) > 1, []string{"operation", "kind"}
	times := slices.ContainsFunc(runs, func(run Run) bool { return hasTimes(run.Step(step)) })
	if times {
		head = append(head, "time")
	}
	table := present.Table{
		Caption: "Operations of step " + step,
		Columns: slices.Concat(HeadColumns(several, head...), FigureColumns(several)),
	}
	for _, name := range operationNames(step, runs) {
		for at, run := range runs {
			o, _ := run.Operation(step, name)
			if o == nil {
				continue
			}
			add := func(which string, cells ...present.Cell) {
				row := Row(several, run.Name, o.Name, present.Text(o.Kind))
				if times {
					row = append(row, present.Text(which))
				}
				table.Rows = append(table.Rows, append(row, cells...))
			}
			add(whichTime(*o), FigureCells(runs, at, step, name)...)
			addTimes(add, "service", o.ServiceTime)
			addTimes(add, "first document", o.FirstDocument)
		}
	}
	return table
}

// hasTimes says whether operations of a step have other times besides their latency.
func hasTimes(step *reportv1.StepSummary) bool {
	return step != nil && (step.Overall.ServiceTime != nil || step.Overall.FirstDocument != nil)
}

// whichTime is what the latency of an operation is measured from.
func whichTime(o reportv1.OperationSummary) string {
	switch {
	case !Timed(o):
		return present.Unknown
	case o.ServiceTime != nil:
		return "response"
	default:
		return "service"
	}
}

// addTimes adds a row of another time, if there is one.
func addTimes(add func(which string, cells ...present.Cell), which string, times *reportv1.TimesSummary) {
	if times != nil {
		add(which, append(present.Texts("", "", ""), timeCells(times)...)...)
	}
}

// operationNames are those of a step in any run, and of all together where there are several.
func operationNames(step string, runs []Run) []string {
	var names []string
	for _, run := range runs {
		summary := run.Step(step)
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
