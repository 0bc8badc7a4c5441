package output

import (
	"fmt"
	"slices"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// Run is a report with what was read out of it, under a name.
type Run struct {
	Name    string
	Report  reportv1.Report
	Summary reportv1.Summary
	Doubts  []result.Doubt
	// Facts are what is known of its surroundings besides the report.
	Facts []present.Fact
}

// Look reads a report.
func Look(name string, report reportv1.Report) (Run, error) {
	summary, err := result.Summarise(report)
	if err != nil {
		return Run{}, fmt.Errorf("summarising the report: %w", err)
	}
	doubts, err := result.Doubts(report)
	if err != nil {
		return Run{}, fmt.Errorf("judging the report: %w", err)
	}
	return Run{Name: name, Report: report, Summary: summary, Doubts: doubts}, nil
}

// Step is the summary of a step; nil when the run has none of that name.
func (r Run) Step(name string) *reportv1.StepSummary {
	at := slices.IndexFunc(r.Summary.Steps, func(step reportv1.StepSummary) bool { return step.Name == name })
	if at < 0 {
		return nil
	}
	return &r.Summary.Steps[at]
}

// Reported is the step of the report; empty when the run has none of that name.
func (r Run) Reported(name string) reportv1.Step {
	at := slices.IndexFunc(r.Report.Steps, func(step reportv1.Step) bool { return step.Name == name })
	if at < 0 {
		return reportv1.Step{}
	}
	return r.Report.Steps[at]
}

// Operation is that of a name, or all together for an empty one; nil when the step has none.
func (r Run) Operation(step, name string) (operation *reportv1.OperationSummary, millis int64) {
	found := r.Step(step)
	if found == nil {
		return nil, 0
	}
	if name == "" {
		all := found.Overall
		all.Name = overallName
		return &all, found.DurationMillis
	}
	at := slices.IndexFunc(found.Operations, func(o reportv1.OperationSummary) bool { return o.Name == name })
	if at < 0 {
		return nil, 0
	}
	return &found.Operations[at], found.DurationMillis
}

// overallName is that of the row of all operations together.
const overallName = "all"

// HeadColumns are the first columns of a table: with the run as the second one, where there are several.
func HeadColumns(several bool, names ...string) []present.Column {
	if several {
		names = slices.Insert(slices.Clone(names), 1, "run")
	}
	return present.Columns(names...)
}

// Row is one of a table that begins with HeadColumns.
func Row(several bool, run, first string, rest ...present.Cell) []present.Cell {
	row := present.Texts(first)
	if several {
		row = present.Texts(first, run)
	}
	return append(row, rest...)
}
