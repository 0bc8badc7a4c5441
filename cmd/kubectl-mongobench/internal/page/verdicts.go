package page

import (
	"io"
	"slices"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/show"
	"github.com/mongobench/mongobench-operator/internal/comparison"
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
	table := Table{
		Caption: "Lines of the comparison",
		Columns: slices.Concat(columns("metric", "step", "operation", "of", "against"),
			numbers("baseline", "value", "change", "interval", "runs"), columns("verdict")),
	}
	// Messages are too long for a column beside so many.
	why := Table{Caption: "Why", Columns: columns("of", "verdict", "why")}
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
		why.Rows = append(why.Rows, []Cell{text(line.Variant), verdictCell(line.Verdict), text(or(line.Message))})
	}
	return &Part{
		Title: "Comparison",
		Note: show.Verdicts(result.Lines) + ". What a verdict rests on is told under why, and of one that could not be had " +
			"how many more runs it takes.",
		Tables: []Table{table, why},
	}
}

func verdictCells(line benchv1alpha1.ComparisonLine) []Cell {
	median := func(value *int64) Cell {
		if value == nil {
			return text(notKnown)
		}
		return valued(show.InUnit(line.Metric, value), float64(*value), unitOf(line.Metric))
	}
	change := text(changeText(line.EffectBasisPoints))
	if line.EffectBasisPoints != nil {
		change = valued(change.Text, float64(*line.EffectBasisPoints)/100, "%")
	}
	return []Cell{
		text(string(line.Metric)), text(or(line.Step)), text(or(line.Operation)), text(line.Variant), text(line.Baseline),
		median(line.BaselineMedian), median(line.Median), change, text(rangeText(line.LowBasisPoints, line.HighBasisPoints)),
		text(countText(line.BaselineSamples) + "/" + countText(line.Samples)),
		verdictCell(line.Verdict),
	}
}

func verdictCell(verdict benchv1alpha1.Verdict) Cell {
	return text(verdictSigns[verdict] + " " + string(verdict))
}

// or is a text, or that there is none.
func or(words string) string {
	if words == "" {
		return notKnown
	}
	return words
}
