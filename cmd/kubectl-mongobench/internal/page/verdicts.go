package page

import (
	"io"
	"slices"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/show"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// verdictSigns stand before the words, so that a verdict is told without colours.
var verdictSigns = map[benchv1alpha1.Verdict]string{
	benchv1alpha1.VerdictRegressed: "✖", benchv1alpha1.VerdictImproved: "✔", benchv1alpha1.VerdictInconclusive: "?",
	benchv1alpha1.VerdictUnchanged: "=",
}

// WriteCompared writes the page of runs that were compared, with the verdicts.
func WriteCompared(to io.Writer, sources []Source, result comparison.Result) error {
	data, err := Of(sources)
	if err != nil {
		return err
	}
	data.Comparison = verdicts(result)
	return data.write(to)
}

// verdicts are the lines of a comparison; nil when there are none.
func verdicts(result comparison.Result) *Part {
	if len(result.Lines) == 0 {
		return nil
	}
	table := present.Table{
		Caption: "Lines of the comparison",
		Columns: slices.Concat(present.Columns("metric", "step", "operation", "of", "against"),
			present.Numbers("baseline", "value", "change", "interval", "runs"), present.Columns("verdict")),
	}
	// Messages are too long for a column beside so many.
	why := present.Table{Caption: "Why", Columns: present.Columns("of", "verdict", "why")}
	why.Columns[2].Wrap = true
	titles := map[string]string{
		"baseline": "the median of what is compared with", "value": "the median of what is compared",
		"change":   "in percent of the baseline: the Hodges-Lehmann estimate",
		"interval": "of the change, with the confidence of the comparison", "runs": "of the baseline / of what is compared",
	}
	for i := range table.Columns {
		table.Columns[i].Title = titles[table.Columns[i].Name]
	}
	for _, line := range result.Lines {
		table.Rows = append(table.Rows, verdictCells(line))
		why.Rows = append(why.Rows, []present.Cell{
			present.Text(line.Variant), verdictCell(line.Verdict),
			present.Text(present.Or(line.Message)),
		})
	}
	return &Part{
		Title: "Comparison",
		Note: show.Verdicts(result.Lines) + ". What a verdict rests on is told under why, and of one that could not be had " +
			"how many more runs it takes.",
		Tables: []present.Table{table, why},
	}
}

func verdictCells(line benchv1alpha1.ComparisonLine) []present.Cell {
	median := func(value *int64) present.Cell {
		if value == nil {
			return present.Text(present.Unknown)
		}
		return present.Valued(show.Quantity(line.Metric, value), float64(*value), unitOf(line.Metric))
	}
	change := present.Text(present.Change(line.EffectBasisPoints))
	if line.EffectBasisPoints != nil {
		change = present.Valued(change.Text, float64(*line.EffectBasisPoints)/100, "%")
	}
	return []present.Cell{
		present.Text(comparison.Name(line.Metric)), present.Text(present.Or(line.Step)),
		present.Text(present.Or(line.Operation)), present.Text(line.Variant), present.Text(line.Baseline),
		median(line.BaselineMedian), median(line.Median), change, present.Text(present.Interval(line.LowBasisPoints,
			line.HighBasisPoints)),
		present.Text(present.Known(line.BaselineSamples, present.Count) + "/" + present.Known(line.Samples, present.Count)),
		verdictCell(line.Verdict),
	}
}

func verdictCell(verdict benchv1alpha1.Verdict) present.Cell {
	return present.Text(verdictSigns[verdict] + " " + string(verdict))
}
