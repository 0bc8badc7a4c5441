package output

import (
	"cmp"
	"fmt"

	"k8s.io/utils/ptr"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// LineName is what a line of a duet is about.
func LineName(line reportv1.DuetLine) string {
	name := figure.ComparedBy(line.Metric).Name
	if line.Operation != "" {
		name = line.Operation + " " + name
	}
	return name
}

// value is a metric as people read it.
func value(line reportv1.DuetLine, of int64) present.Cell {
	if of == 0 {
		return present.Text(present.Unknown)
	}
	if figure.ComparedBy(line.Metric).Unit == figure.Micros {
		return present.MicrosCell(of)
	}
	return present.CountCell(of)
}

// narrowed is what is known of the lines of a step that is being measured.
func narrowed(step reportv1.DuetStep) []present.Narrowing {
	known := make([]present.Narrowing, 0, len(step.Lines))
	for _, line := range step.Lines {
		one := present.Narrowing{
			Name: LineName(line), Effect: line.EffectBasisPoints, Low: line.LowBasisPoints, High: line.HighBasisPoints,
		}
		if line.DecidedMillis > 0 {
			one.Answer = string(line.Verdict)
		}
		known = append(known, one)
	}
	return known
}

// Duet is the table of the lines of a duet.
func Duet(duet *reportv1.Duet) present.Table {
	table := present.Table{
		Columns: append(present.Columns("step", "metric"),
			present.Numbers("baseline", "candidate", "change", "interval", "pairs", "after")...),
	}
	table.Columns = append(table.Columns, present.Columns("verdict")...)
	for _, step := range duet.Steps {
		for _, line := range step.Lines {
			row := present.Texts(step.Name, LineName(line))
			row = append(row, value(line, line.Baseline), value(line, line.Candidate),
				present.Text(present.Change(line.EffectBasisPoints)),
				present.Text(present.Interval(line.LowBasisPoints, line.HighBasisPoints)),
				present.CountCell(int64(line.Pairs)), After(step, line), present.Text(string(line.Verdict)))
			table.Rows = append(table.Rows, row)
		}
	}
	return table
}

// After is when a line was decided, or for how long it was not.
func After(step reportv1.DuetStep, line reportv1.DuetLine) present.Cell {
	if line.DecidedMillis > 0 {
		return present.MillisCell(line.DecidedMillis)
	}
	return present.MillisCell(step.ElapsedMillis)
}

// writeDuet shows how the two sides of a duet compare.
func writeDuet(whole *present.Document, duet *reportv1.Duet) {
	if duet == nil {
		return
	}
	whole.Heading("Compared with the baseline, in turns")
	whole.Table(Duet(duet))
	for _, step := range duet.Steps {
		whole.Line("%s", windowsText(step))
	}
}

// windowsText says what windows there were of a step.
func windowsText(step reportv1.DuetStep) string {
	windows, disturbed := step.Measured()
	what := ""
	for _, window := range step.Windows {
		what = cmp.Or(window.Disturbed, what)
	}
	text := fmt.Sprintf("Step %s: %s of %s, in %s", step.Name, present.Plural(int64(windows), "window"),
		present.Millis(step.WindowMillis), present.Millis(step.ElapsedMillis))
	if disturbed > 0 {
		text += fmt.Sprintf("; in %d of them the other side did not rest (last: it %s), and their groups are not compared",
			disturbed, what)
	}
	return text
}

// kindComparison is the kind of a line of the CSV that compares.
const kindComparison = "Comparison"

// duetLines are those of the CSV.
func duetLines(duet *reportv1.Duet) []line {
	if duet == nil {
		return nil
	}
	var lines []line
	for _, step := range duet.Steps {
		for _, compared := range step.Lines {
			l := line{
				"step": step.Name, "operation": compared.Operation, "kind": kindComparison,
				"metric": string(compared.Metric), "verdict": string(compared.Verdict), "pairs": decimal(int64(compared.Pairs)),
			}
			known := func(column string, value int64, is bool) {
				if is {
					l[column] = decimal(value)
				}
			}
			known("baselineValue", compared.Baseline, compared.Baseline > 0)
			known("candidateValue", compared.Candidate, compared.Candidate > 0)
			known("effectBasisPoints", ptr.Deref(compared.EffectBasisPoints, 0), compared.EffectBasisPoints != nil)
			known("lowBasisPoints", ptr.Deref(compared.LowBasisPoints, 0), compared.LowBasisPoints != nil)
			known("highBasisPoints", ptr.Deref(compared.HighBasisPoints, 0), compared.HighBasisPoints != nil)
			known("decidedMillis", compared.DecidedMillis, compared.DecidedMillis > 0)
			lines = append(lines, l)
		}
	}
	return lines
}
