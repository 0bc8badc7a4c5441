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

	// Figure and Pair are the indexes of what the line is about; Figure is -1 when no run has it.
	Figure int `json:"figure"`
	Pair   int `json:"pair"`
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

// SuitePair is a variant and what it is compared with.
type SuitePair struct {
	Variant  string `json:"variant"`
	Baseline string `json:"baseline"`
	// Known is false when the baseline's runs are not in the result, as those of another revision, so that nothing can be
	// said of their fingerprints but what the messages say.
	Known       bool              `json:"known"`
	Differences []SuiteDifference `json:"differences"`
}

// SuiteDifference is a field of the fingerprint in which the runs of a pair differ.
type SuiteDifference struct {
	Field string `json:"field"`
	// Baseline and Variant are the values that were seen.
	Baseline string `json:"baseline"`
	Variant  string `json:"variant"`
	// Declared says that the specifications of the two differ in what the field follows from, and Ignored that the suite
	// names it as one that does not matter.
	Declared bool `json:"declared"`
	Ignored  bool `json:"ignored,omitempty"`
}

func suiteLines(
	result comparison.Result, figures []SuiteFigure, ignored []string,
) ([]SuiteLine, []SuitePair) {
	lines, pairs := make([]SuiteLine, 0, len(result.Lines)), []SuitePair{}
	for _, line := range result.Lines {
		key := comparison.Key{Metric: line.Metric, Step: line.Step, Operation: line.Operation}
		isPair := func(p SuitePair) bool { return p.Variant == line.Variant && p.Baseline == line.Baseline }
		pair := slices.IndexFunc(pairs, isPair)
		if pair < 0 {
			pair = len(pairs)
			pairs = append(pairs, suitePair(result.Sides, line, ignored))
		}
		lines = append(lines, SuiteLine{
			ComparisonLine: line, LineTexts: textsOf(line),
			Figure: slices.IndexFunc(figures, func(f SuiteFigure) bool { return f.Key == key }),
			Pair:   pair,
		})
	}
	return lines, pairs
}

func suitePair(sides []comparison.Side, line benchv1alpha1.ComparisonLine, ignored []string) SuitePair {
	pair := SuitePair{Variant: line.Variant, Baseline: line.Baseline, Differences: []SuiteDifference{}}
	named := func(name string) int {
		return slices.IndexFunc(sides, func(side comparison.Side) bool { return side.Name == name })
	}
	variant, baseline := named(line.Variant), named(line.Baseline)
	if variant < 0 || baseline < 0 {
		return pair
	}
	pair.Known = true
	pair.Differences = suiteDifferences(comparison.Pair{Baseline: sides[baseline], Candidate: sides[variant]}, ignored)
	return pair
}

// suiteDifferences are all fields in which the runs of a pair differ, those that were not declared first.
func suiteDifferences(pair comparison.Pair, ignored []string) []SuiteDifference {
	differences := []SuiteDifference{}
	for _, found := range comparison.AllDifferences(pair) {
		differences = append(differences, SuiteDifference{
			Field: found.Field, Baseline: fieldText(found.Baseline), Variant: fieldText(found.Candidate),
			Declared: found.Declared, Ignored: slices.Contains(ignored, found.Field),
		})
	}
	slices.SortStableFunc(differences, func(a, b SuiteDifference) int {
		switch {
		case a.Declared && b.Declared:
			return strings.Compare(a.Field, b.Field)
		case a.Declared:
			return 1
		case b.Declared:
			return -1
		}
		return 0
	})
	return differences
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
