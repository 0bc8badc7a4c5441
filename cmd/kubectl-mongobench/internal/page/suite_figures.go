package page

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/show"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/statistics"
)

// SuiteFigure is one figure over all variants.
type SuiteFigure struct {
	comparison.Key

	// GrowthOf is the step as it is declared, and Documents how many were loaded until then, of a figure that each
	// checkpoint of a growth has.
	GrowthOf  string `json:"growthOf,omitempty"`
	Documents int64  `json:"documents,omitempty"`
	// Unit of the values, for people.
	Unit string `json:"unit"`
	// Variants has one entry a variant.
	Variants []SuiteValues `json:"variants"`
}

// SuiteValues are one figure of one variant.
type SuiteValues struct {
	// Values of the runs, in their order; nil where a run has none.
	Values []*float64 `json:"values"`
	// Median over the runs; nil when none has the figure.
	Median     *int64 `json:"median,omitempty"`
	MedianText string `json:"medianText,omitempty"`
	// Low and High bound the median with the confidence of ConfidenceText, which is what was asked, or less where there
	// are too few runs. They are nil for less than two.
	Low            *int64 `json:"low,omitempty"`
	High           *int64 `json:"high,omitempty"`
	IntervalText   string `json:"intervalText,omitempty"`
	ConfidenceText string `json:"confidenceText,omitempty"`
}

// GrowsWith says whether another figure is the same at another checkpoint, or this one.
func (f SuiteFigure) GrowsWith(other SuiteFigure) bool {
	return f.GrowthOf != "" && f.GrowthOf == other.GrowthOf && f.Metric == other.Metric && f.Operation == other.Operation
}

func suiteFigures(sides []comparison.Side, by comparison.Settings) []SuiteFigure {
	keys, checkpoints := comparison.Keys(sides...), show.Checkpoints(sides)
	figures := make([]SuiteFigure, 0, len(keys))
	for _, key := range keys {
		checkpoint, confidence := checkpoints[key.Step], *by.ThresholdFor(key).ConfidencePercent
		found := SuiteFigure{
			Key: key, Unit: unitOf(key.Metric), GrowthOf: checkpoint.Step, Documents: checkpoint.Documents,
		}
		for _, side := range sides {
			values := SuiteValues{Values: make([]*float64, len(side.Samples))}
			for run := range side.Samples {
				values.Values[run] = side.Samples[run].Value(key)
			}
			values.summarise(key.Metric, float64(confidence)/100)
			found.Variants = append(found.Variants, values)
		}
		figures = append(figures, found)
	}
	return figures
}

// summarise fills in the median and its interval, which is asked for with a confidence.
func (v *SuiteValues) summarise(metric benchv1alpha1.Metric, confidence float64) {
	var found []float64
	for _, value := range v.Values {
		if value != nil {
			found = append(found, *value)
		}
	}
	if len(found) == 0 {
		return
	}
	v.Median = new(whole(statistics.Median(found)))
	v.MedianText = show.Quantity(metric, v.Median)
	interval, err := statistics.MedianInterval(found, confidence)
	// Of one run the interval is the run, with a confidence of nothing.
	if err != nil || len(found) < 2 {
		return
	}
	v.Low, v.High = new(whole(interval.Low)), new(whole(interval.High))
	v.IntervalText = show.Quantity(metric, v.Low) + " to " + show.Quantity(metric, v.High)
	v.ConfidenceText = confidenceText(interval.Confidence)
}

// confidenceText is rounded down: no interval is sold for more than it is.
func confidenceText(confidence float64) string {
	const rounding = 1e-9
	return strconv.FormatFloat(math.Floor(confidence*1000+rounding)/10, 'f', -1, 64) + " %"
}

// unitOf the values of a metric. A metric of another release has none.
func unitOf(metric benchv1alpha1.Metric) string {
	short := strings.NewReplacer("/second", "/s", "/million", " per million", "microseconds", "µs")
	return short.Replace(figure.ComparedBy(metric).UnitName)
}

// historyColumns are the columns of the history's table in front of the metrics.
const historyColumns = 3

// SuiteHistory is what became of a suite over its revisions, the oldest first.
type SuiteHistory struct {
	Revisions []SuiteRevision `json:"revisions"`
	Series    []SuiteSeries   `json:"series"`
}

// SuiteRevision is one revision, and when it was complete.
type SuiteRevision struct {
	Revision string    `json:"revision"`
	Time     time.Time `json:"time"`
}

// SuiteSeries is one figure of one variant over the revisions.
type SuiteSeries struct {
	comparison.Key

	Variant string `json:"variant"`
	// Values are the medians, one a revision; nil where the revision has none.
	Values  []*int64      `json:"values"`
	Changes []SuiteChange `json:"changes"`
}

// SuiteChange is a revision from which on a figure has been another one, by the limits of the suite's threshold or,
// where none is about it, the usual ones.
type SuiteChange struct {
	// Index of the revision.
	Index       int    `json:"index"`
	BasisPoints int64  `json:"basisPoints"`
	ChangeText  string `json:"changeText"`
}

// suiteHistory reads the table that comparison.WriteOtava writes: it is the history beside a result.
func suiteHistory(table string, by comparison.Settings) (*SuiteHistory, error) {
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 || len(rows[0]) < historyColumns {
		return nil, errors.New("its first line is not time, revision, branch and metrics")
	}
	var history comparison.History
	for number, row := range rows[1:] {
		if err := addRow(&history, row, rows[0]); err != nil {
			return nil, fmt.Errorf("line %d: %w", number+2, err)
		}
	}
	return drawnHistory(history, by), nil
}

// columnKey is the key of a column's name. A step's name has no dot, an operation's may.
func columnKey(column string) comparison.Key {
	parts := strings.SplitN(column, ".", 3)
	parts = append(parts, "", "")
	return comparison.Key{Metric: benchv1alpha1.Metric(parts[0]), Step: parts[1], Operation: parts[2]}
}

// addRow adds one variant of one revision.
func addRow(history *comparison.History, row, columns []string) error {
	at, err := time.Parse(time.RFC3339, row[0])
	if err != nil {
		return err
	}
	isRevision := func(point comparison.Point) bool { return point.Revision == row[1] }
	place := slices.IndexFunc(history.Points, isRevision)
	if place < 0 {
		place = len(history.Points)
		history.Points = append(history.Points, comparison.Point{Revision: row[1], Time: at})
	}
	point := &history.Points[place]
	for i, cell := range row {
		if i < historyColumns || cell == "" {
			continue
		}
		value, err := strconv.ParseFloat(cell, 64)
		if err != nil {
			return err
		}
		figure := comparison.Figure{Key: columnKey(columns[i]), Value: value}
		point.Medians = append(point.Medians, comparison.Median{Variant: row[2], Figure: figure})
	}
	return nil
}

func drawnHistory(history comparison.History, by comparison.Settings) *SuiteHistory {
	drawn := &SuiteHistory{Revisions: []SuiteRevision{}, Series: []SuiteSeries{}}
	for _, point := range history.Points {
		drawn.Revisions = append(drawn.Revisions, SuiteRevision{Revision: point.Revision, Time: point.Time})
	}
	for _, of := range history.Changed(by) {
		series := SuiteSeries{
			Key: of.Key, Variant: of.Variant, Values: make([]*int64, len(history.Points)), Changes: []SuiteChange{},
		}
		for i, revision := range of.Revisions {
			series.Values[revision] = new(int64(of.Values[i]))
		}
		for _, change := range of.Changes {
			series.Changes = append(series.Changes, SuiteChange{
				Index: change.Revision, BasisPoints: change.BasisPoints, ChangeText: present.Change(&change.BasisPoints),
			})
		}
		drawn.Series = append(drawn.Series, series)
	}
	return drawn
}

// SuiteLine is one line of the comparison with its texts. Message says what the verdict rests on.
type SuiteLine struct {
	benchv1alpha1.ComparisonLine
	show.LineTexts

	// Differs names the fields of the fingerprint in which the runs of the two sides differ.
	Differs string `json:"differs"`
	// Figure is the index of what the line is about; -1 when no run has it.
	Figure int `json:"figure"`
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
			ComparisonLine: line, LineTexts: show.TextsOf(line), Differs: differs[pair],
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
	benchv1alpha1.VerdictNotDetected: "~", benchv1alpha1.VerdictNotWorse: "≥", benchv1alpha1.VerdictUnchanged: "=",
}

// WriteCompared writes the page of runs that were compared, with the verdicts.
func WriteCompared(to io.Writer, sources []Source, result comparison.Result) error {
	data, err := Of(sources)
	if err != nil {
		return err
	}
	data.Comparison = verdicts(result)
	return write(to, data.Title, data, "run.js")
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
		why.Add(line.Variant, verdictText(line.Verdict), present.Or(line.Message))
	}
	return &Part{
		Title: "Comparison",
		Note: show.Verdicts(result.Lines) + ". What a verdict rests on is told under why, and of one that could not be had " +
			"how many more runs it takes.",
		Tables: []present.Table{table, why},
	}
}

func verdictCells(line benchv1alpha1.ComparisonLine) []present.Cell {
	texts := show.TextsOf(line)
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
		present.Text(texts.IntervalText), present.Text(texts.SamplesText), present.Text(verdictText(line.Verdict)),
	}
}

func verdictText(verdict benchv1alpha1.Verdict) string {
	return verdictSigns[verdict] + " " + string(verdict)
}
