package page

import (
	"encoding/csv"
	"errors"
	"fmt"
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
	Values []*int64 `json:"values"`
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
			values := SuiteValues{Values: make([]*int64, len(side.Samples))}
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
			found = append(found, float64(*value))
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
		value, err := strconv.ParseInt(cell, 10, 64)
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
	for _, of := range history.Series() {
		series := SuiteSeries{
			Key: of.Key, Variant: of.Variant, Values: make([]*int64, len(history.Points)), Changes: []SuiteChange{},
		}
		for i, revision := range of.Revisions {
			series.Values[revision] = new(int64(of.Values[i]))
		}
		for _, change := range of.Changes(by) {
			series.Changes = append(series.Changes, SuiteChange{
				Index: change.Revision, BasisPoints: change.BasisPoints, ChangeText: present.Change(&change.BasisPoints),
			})
		}
		drawn.Series = append(drawn.Series, series)
	}
	return drawn
}
