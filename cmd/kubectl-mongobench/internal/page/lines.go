package page

import (
	"cmp"
	"io"
	"slices"
	"strings"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/show"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// SuiteLine is one line of the comparison with its texts. Message says what the verdict rests on.
type SuiteLine struct {
	benchv1alpha1.ComparisonLine
	LineTexts

	// Differs names the fields of the fingerprint in which the runs of the two sides differ.
	Differs string `json:"differs"`
	// Figure is the index of what the line is about; -1 when no run has it.
	Figure int `json:"figure"`
}

// LineTexts are the figures of a line for people.
type LineTexts struct {
	BaselineText string `json:"baselineText"`
	MedianText   string `json:"medianText"`
	ChangeText   string `json:"changeText"`
	IntervalText string `json:"intervalText"`
	SamplesText  string `json:"samplesText"`
}

func textsOf(line benchv1alpha1.ComparisonLine) LineTexts {
	return LineTexts{
		BaselineText: show.Quantity(line.Metric, line.BaselineMedian), MedianText: show.Quantity(line.Metric, line.Median),
		ChangeText:   present.Change(line.EffectBasisPoints),
		IntervalText: present.Interval(line.LowBasisPoints, line.HighBasisPoints),
		SamplesText:  present.Known(line.BaselineSamples, present.Count) + "/" + present.Known(line.Samples, present.Count),
	}
}

// addLines adds the lines of the comparison, and what the runs of their pairs differ in.
func (d *SuiteData) addLines(result comparison.Result, ignored []string) {
	d.Lines = make([]SuiteLine, 0, len(result.Lines))
	d.Differences = present.Table{
		Caption: "Differences", Rows: [][]present.Cell{},
		Columns: present.Columns("Variant", "Against", "Field", "Declared", "Of the variant", "Of the baseline"),
	}
	differs := map[[2]string]string{}
	for _, line := range result.Lines {
		pair := [2]string{line.Variant, line.Baseline}
		if differs[pair] == "" {
			differs[pair] = d.addDifferences(result.Sides, line, ignored)
		}
		key := comparison.Key{Metric: line.Metric, Step: line.Step, Operation: line.Operation}
		d.Lines = append(d.Lines, SuiteLine{
			ComparisonLine: line, LineTexts: textsOf(line), Differs: differs[pair],
			Figure: slices.IndexFunc(d.Figures, func(f SuiteFigure) bool { return f.Key == key }),
		})
	}
}

// addDifferences adds a row for each field in which the runs of a line's pair differ, those that were not declared
// first, and returns the fields in words.
func (d *SuiteData) addDifferences(
	sides []comparison.Side, line benchv1alpha1.ComparisonLine, ignored []string,
) string {
	named := func(name string) int {
		return slices.IndexFunc(sides, func(side comparison.Side) bool { return side.Name == name })
	}
	variant, baseline := named(line.Variant), named(line.Baseline)
	if variant < 0 || baseline < 0 {
		if !slices.Contains(d.Unknown, line.Baseline) {
			d.Unknown = append(d.Unknown, line.Baseline)
		}
		return "not in this result"
	}
	found := comparison.AllDifferences(comparison.Pair{Baseline: sides[baseline], Candidate: sides[variant]})
	place := func(one comparison.Difference) string {
		if one.Declared {
			return one.Field
		}
		return ""
	}
	slices.SortStableFunc(found, func(a, b comparison.Difference) int { return strings.Compare(place(a), place(b)) })
	var fields []string
	for _, one := range found {
		declared, remark := "no", " (undeclared)"
		switch {
		case one.Declared:
			declared, remark = "yes", ""
		case slices.Contains(ignored, one.Field):
			declared, remark = "no, ignored", " (ignored)"
		}
		fields = append(fields, one.Field+remark)
		d.Differences.Rows = append(d.Differences.Rows, present.Texts(line.Variant, line.Baseline, one.Field, declared,
			fieldText(one.Candidate), fieldText(one.Baseline)))
	}
	return cmp.Or(strings.Join(fields, ", "), "nothing")
}

// fieldText are the values of a field over the runs of a side.
func fieldText(values []string) string {
	texts := slices.Clone(values)
	for i, value := range texts {
		texts[i] = cmp.Or(value, "unknown")
	}
	slices.Sort(texts)
	return strings.Join(texts, " and ")
}

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
	// Messages are too long for one more column.
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
	texts := textsOf(line)
	median := func(text string, value *int64) present.Cell {
		if value == nil {
			return present.Text(text)
		}
		return present.Valued(text, float64(*value), unitOf(line.Metric))
	}
	change := present.Text(texts.ChangeText)
	if line.EffectBasisPoints != nil {
		change = present.Valued(texts.ChangeText, float64(*line.EffectBasisPoints)/100, "%")
	}
	return []present.Cell{
		present.Text(comparison.Name(line.Metric)), present.Text(present.Or(line.Step)),
		present.Text(present.Or(line.Operation)), present.Text(line.Variant), present.Text(line.Baseline),
		median(texts.BaselineText, line.BaselineMedian), median(texts.MedianText, line.Median), change,
		present.Text(texts.IntervalText), present.Text(texts.SamplesText), verdictCell(line.Verdict),
	}
}

func verdictCell(verdict benchv1alpha1.Verdict) present.Cell {
	return present.Text(verdictSigns[verdict] + " " + string(verdict))
}
