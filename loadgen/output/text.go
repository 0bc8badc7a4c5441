package output

import (
	"io"
	"slices"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// Text writes a report as tables.
func Text(to io.Writer, report reportv1.Report) error {
	return write(to, report, &present.Document{})
}

// Markdown writes the same as Text, as a pull request shows it, under a title.
func Markdown(to io.Writer, title string, report reportv1.Report) error {
	whole := &present.Document{Markdown: true}
	whole.Title(title)
	return write(to, report, whole)
}

func write(to io.Writer, report reportv1.Report, whole *present.Document) error {
	run, err := Look("", report)
	if err != nil {
		return err
	}
	whole.Facts(Head(run))
	for _, step := range run.Summary.Steps {
		writeStep(whole, run, step)
	}
	for _, sweep := range run.Summary.Sweeps {
		table := Sweep("", sweep)
		whole.Heading("%s", table.Caption)
		whole.Table(table)
	}
	writeGrowth(whole, run.Summary.Growth)
	writeTrust(whole, run.Doubts, len(run.Summary.Steps))
	return whole.Write(to)
}

// writeGrowth shows sizes and throughput by the number of documents.
func writeGrowth(whole *present.Document, growth []reportv1.GrowthSummary) {
	if len(growth) == 0 {
		return
	}
	table := Growth("", growth)
	whole.Heading("%s", table.Caption)
	whole.Table(table)
	if slices.ContainsFunc(growth, func(at reportv1.GrowthSummary) bool { return at.Unsettled }) {
		whole.Line("! storage and index are those of the servers' last checkpoint: the user may not ask for one (fsync)")
	}
}

// writeTrust says whether the numbers may be believed.
func writeTrust(whole *present.Document, doubts []result.Doubt, steps int) {
	switch {
	case steps == 0:
		whole.Heading("Trusted: nothing was measured")
	case len(doubts) == 0:
		whole.Heading("Trusted: yes, no check found a reason for doubt")
	default:
		whole.Heading("Trusted: no")
	}
	for _, doubt := range doubts {
		whole.Item("%s: %s", doubt.Reason, doubt.Message)
	}
}
