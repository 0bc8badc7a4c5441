package output

import (
	"fmt"
	"math"
	"slices"
	"strings"

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
	cells = append(cells, timeCells(&o.TimesSummary)...)
	if len(runs) < 2 {
		return cells
	}
	first, _ := runs[0].Operation(step, name)
	if at == 0 || first == nil {
		return append(cells, present.Texts(present.Unknown, present.Unknown)...)
	}
	return append(cells, against(first.OperationsPerSecond, o.OperationsPerSecond),
		againstP99(first.TimesSummary, o.TimesSummary))
}

// Rate is a whole number, unless that would hide most of it: an aggregation may take many seconds.
func Rate(o reportv1.OperationSummary, millis int64) present.Cell {
	const whole = 10
	if o.OperationsPerSecond >= whole || millis <= 0 {
		return present.CountCell(o.OperationsPerSecond)
	}
	exact := float64(o.Count-o.Stragglers+o.CarriedOver) * 1000 / float64(millis)
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

// againstP99 is the same of two percentiles, which both need enough operations.
func againstP99(first, times reportv1.TimesSummary) present.Cell {
	figure.Withhold(&first)
	figure.Withhold(&times)
	if times.P99Micros == 0 {
		return present.Text(present.Unknown)
	}
	return against(first.P99Micros, times.P99Micros)
}

func timeCells(times *reportv1.TimesSummary) []present.Cell {
	cells := make([]present.Cell, 0, len(figure.Times))
	for _, time := range figure.Times {
		cells = append(cells, TimeCell(time, times))
	}
	return cells
}

// TimeCell is a figure of times: unknown of none, as unacknowledged operations have, and of a percentile that there are
// too few for, that they are few.
func TimeCell(time figure.Time, times *reportv1.TimesSummary) present.Cell {
	switch found := time.Shown(times); {
	case found != nil:
		return present.MicrosCell(*found)
	case times == nil || times.Timed == 0:
		return present.Text(present.Unknown)
	default:
		return present.Text(present.Few)
	}
}

// TooFew says what the percentiles need that a step has too few operations for; empty when it has enough for all. It is
// about every percentile that stands as few in the tables of the step.
func TooFew(step reportv1.StepSummary) string {
	var needs []string
	for _, percentile := range figure.Percentiles {
		if slices.ContainsFunc(step.Operations, func(o reportv1.OperationSummary) bool {
			return fewOf(percentile, &o.TimesSummary, o.ServiceTime, o.FirstDocument, o.DatabaseTime,
				o.Failed, o.Corrected)
		}) {
			needed := present.Count(figure.Needed(percentile.Quantile))
			needs = append(needs, fmt.Sprintf("%s needs %s", percentile.Label, needed))
		}
	}
	if len(needs) == 0 {
		return ""
	}
	return "too few operations for this percentile: " + strings.Join(needs, ", ")
}

// fewOf says whether any of these times are too few for a percentile.
func fewOf(percentile figure.Time, all ...*reportv1.TimesSummary) bool {
	return slices.ContainsFunc(all, func(times *reportv1.TimesSummary) bool {
		return times != nil && times.Timed > 0 && !percentile.Carries(times.Timed)
	})
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
				row := Row(several, run.Name, o.Name, present.Text(kindOf(*o)))
				if times {
					row = append(row, present.Text(which))
				}
				table.Rows = append(table.Rows, append(row, cells...))
			}
			add(whichTime(*o), FigureCells(runs, at, step, name)...)
			addTimes(add, "service", o.ServiceTime)
			addTimes(add, "first document", o.FirstDocument)
			addTimes(add, "database", o.DatabaseTime)
			addTimes(add, "failed", o.Failed)
			addTimes(add, "corrected", o.Corrected)
		}
	}
	return table
}

// kindOf is the kind of an operation, and what it is a part of.
func kindOf(o reportv1.OperationSummary) string {
	if o.PartOf == "" {
		return o.Kind
	}
	return o.Kind + " of " + o.PartOf
}

// FailedChecks are the checks of the operations of a step that did not always hold, a line each.
func FailedChecks(step reportv1.Step) []string {
	var found []string
	for _, operation := range step.Operations {
		for _, check := range operation.Checks {
			if check.Failed > 0 {
				found = append(found, fmt.Sprintf("%s: check %s did not hold %s of %s times", operation.Name, check.Name,
					present.Count(check.Failed), present.Count(check.Made)))
			}
		}
	}
	return found
}

// Documents has what the operations of a step did to documents: a row for each that came upon any, or looked for some,
// and each run.
func Documents(step string, runs []Run) present.Table {
	several := len(runs) > 1
	table := present.Table{
		Caption: "Documents of step " + step,
		Columns: slices.Concat(HeadColumns(several, "operation"), present.Numbers(
			"returned", "inserted", "matched", "modified", "deleted", "found nothing", "unexpected")),
	}
	for _, name := range operationNames(step, runs) {
		for _, run := range runs {
			o, _ := run.Operation(step, name)
			if o == nil || name == "" || o.Documents == 0 && o.Empty == 0 {
				continue
			}
			row := Row(several, run.Name, o.Name)
			for _, count := range []int64{
				o.Returned, o.Inserted, o.Matched, o.Modified, o.Deleted, o.Empty, o.Unexpected,
			} {
				row = append(row, present.CountCell(count))
			}
			table.Rows = append(table.Rows, row)
		}
	}
	return table
}

// hasTimes says whether operations of a step have other times besides their latency.
func hasTimes(step *reportv1.StepSummary) bool {
	return step != nil && (step.Overall.ServiceTime != nil || step.Overall.FirstDocument != nil ||
		step.Overall.DatabaseTime != nil || step.Overall.Failed != nil || step.Overall.Corrected != nil)
}

// whichTime is what the latency of an operation is measured from.
func whichTime(o reportv1.OperationSummary) string {
	switch {
	case o.Timed == 0:
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
