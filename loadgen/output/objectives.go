package output

import (
	"slices"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// Percentiles are those that a step asks for, of each operation and of all together.
func Percentiles(step string, runs []Run) present.Table {
	several, asked := len(runs) > 1, askedFor(step, runs)
	names := make([]string, 0, len(asked))
	for _, millis := range asked {
		names = append(names, "p"+present.PercentMillis(int64(millis)))
	}
	table := present.Table{
		Caption: "Percentiles of step " + step,
		Columns: slices.Concat(HeadColumns(several, "operation"), present.Numbers(names...)),
	}
	if len(asked) == 0 {
		return table
	}
	for _, name := range operationNames(step, runs) {
		for _, run := range runs {
			o, _ := run.Operation(step, name)
			if o == nil {
				continue
			}
			row := Row(several, run.Name, o.Name)
			for _, millis := range asked {
				row = append(row, percentileCell(o, millis))
			}
			table.Rows = append(table.Rows, row)
		}
	}
	return table
}

// askedFor are the percentiles that a step asks for in any run.
func askedFor(step string, runs []Run) []int {
	asked := make([]int, 0, len(runs))
	for _, run := range runs {
		asked = append(asked, run.Reported(step).Percentiles...)
	}
	slices.Sort(asked)
	return slices.Compact(asked)
}

func percentileCell(o *reportv1.OperationSummary, millis int) present.Cell {
	for _, one := range o.Percentiles {
		switch {
		case one.PercentMillis != millis || o.Timed == 0:
		case figure.CarriesPercent(millis, o.Timed):
			return present.MicrosCell(one.Micros)
		default:
			return present.Text(present.Few)
		}
	}
	return present.Text(present.Unknown)
}

// Objectives are the shares of the operations that were to be done within a limit, and what became of them.
func Objectives(step string, runs []Run) present.Table {
	several := len(runs) > 1
	table := present.Table{
		Caption: "Objectives of step " + step,
		Columns: slices.Concat(HeadColumns(several, "objective of"),
			present.Numbers("limit", "wanted", "reached", "within", "of"), present.Columns("kept")),
	}
	for _, run := range runs {
		summary := run.Step(step)
		if summary == nil {
			continue
		}
		for _, one := range summary.Objectives {
			of, kept := one.Operation, "no"
			if of == "" {
				of = overallName
			}
			if one.Kept {
				kept = "yes"
			}
			table.Rows = append(table.Rows, Row(several, run.Name, of, present.MicrosCell(one.LimitMicros),
				present.Text(present.PercentMillis(int64(one.PercentMillis))+" %"), reached(one), present.CountCell(one.Within),
				present.CountCell(one.Operations), present.Text(kept)))
		}
	}
	return table
}

// reached is the share that was done within the limit. It is rounded down: what was missed never looks kept.
func reached(one reportv1.ObjectiveSummary) present.Cell {
	if one.Operations == 0 {
		return present.Text(present.Unknown)
	}
	return present.Text(present.PercentMillis(one.Within*100_000/one.Operations) + " %")
}
