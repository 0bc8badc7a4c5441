package page

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/show"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// SuiteData is all that the page of a suite shows. Numbers are those of the result's CSV, texts those of its text form,
// so that suite.js draws and reckons nothing but places on the paper.
type SuiteData struct {
	Suite    string `json:"suite"`
	Revision string `json:"revision"`
	// Verdict is the worst of all lines, and Verdicts says how many lines have which; empty when nothing was compared.
	Verdict  benchv1alpha1.Verdict `json:"verdict"`
	Verdicts string                `json:"verdicts"`
	// Told is what the suite's conditions say.
	Told []present.Fact `json:"told,omitempty"`
	// Limits are the thresholds of the suite, and Ignored the fields of the fingerprint in which runs may differ. Limits
	// is nil when they are not known.
	Limits  *present.Table `json:"limits,omitempty"`
	Ignored []string       `json:"ignored,omitempty"`
	// Search is what a search says, and Tried the variants that it tried; Tried is nil of any other suite.
	Search string         `json:"search,omitempty"`
	Tried  *present.Table `json:"tried,omitempty"`
	// Revisions that the status has, with their verdicts.
	Revisions *present.Table `json:"revisions,omitempty"`
	// Metrics are the names of metrics for people.
	Metrics map[benchv1alpha1.Metric]string `json:"metrics"`
	// Variants in the order of the result. Everything that belongs to one has its index.
	Variants []SuiteVariant `json:"variants"`
	// Figures that any run has, in the order in which they are first seen.
	Figures []SuiteFigure `json:"figures"`
	// Lines are the comparison, in its order.
	Lines []SuiteLine `json:"lines"`
	// Differences are the fields of the fingerprint in which runs differ that are compared. Of the baselines in Unknown
	// nothing can be said but what the messages say: their runs are not in the result, as those of another revision.
	Differences present.Table `json:"differences"`
	Unknown     []string      `json:"unknown,omitempty"`
	// Scales are the numbers in which the variants differ; empty when there are none of three values.
	Scales []SuiteScale `json:"scales"`
	// History over the revisions; nil when the result has none beside it.
	History *SuiteHistory `json:"history,omitempty"`
	// Notes are what the page cannot show, and why, for people.
	Notes []string `json:"notes"`
}

// SuiteVariant is one variant with its runs, in the order of their samples.
type SuiteVariant struct {
	Name string     `json:"name"`
	Runs []SuiteRun `json:"runs"`
}

// SuiteRun is one run. Doubts are the reasons why it is not to be trusted, in one text; empty when it is.
type SuiteRun struct {
	Name       string `json:"name"`
	Repetition int    `json:"repetition"`
	Doubts     string `json:"doubts,omitempty"`
}

// WriteSuite writes the page of a suite: one file that loads nothing.
func WriteSuite(to io.Writer, stored cluster.Stored) error {
	data, err := SuiteOf(stored)
	if err != nil {
		return err
	}
	return write(to, "Suite "+stored.Suite+", revision "+stored.Revision, data, "suite-charts.js", "suite.js")
}

// SuiteOf works out the page of a suite from what the operator keeps of it.
func SuiteOf(stored cluster.Stored) (SuiteData, error) {
	known := judgedBy(stored.Object)
	by := ptr.Deref(known, comparison.Settings{})
	data := SuiteData{
		Suite: stored.Suite, Revision: stored.Revision,
		Verdict: comparison.Worst(stored.Lines), Verdicts: show.Verdicts(stored.Lines),
		Variants: make([]SuiteVariant, 0, len(stored.Sides)),
		Figures:  suiteFigures(stored.Sides, by),
		Scales:   suiteScales(stored.Sides),
		Notes:    []string{},
		Metrics:  map[benchv1alpha1.Metric]string{},
	}
	for _, compared := range figure.Compared {
		data.Metrics[compared.Metric] = compared.Name
	}
	data.addStatus(stored.Object, known)
	if search := stored.Search; search != nil {
		data.Search, data.Tried = search.Message, show.Tried(search)
		data.Tried.Caption = "Variants that were tried"
		for at := range data.Tried.Columns {
			// Terminals have capitals.
			data.Tried.Columns[at].Name = strings.ToLower(data.Tried.Columns[at].Name)
		}
	}
	for _, side := range stored.Sides {
		variant := SuiteVariant{Name: side.Name, Runs: make([]SuiteRun, len(side.Samples))}
		for i, sample := range side.Samples {
			variant.Runs[i] = SuiteRun{
				Name: sample.Run, Repetition: sample.Repetition, Doubts: strings.Join(sample.Doubts, ", "),
			}
		}
		data.Variants = append(data.Variants, variant)
	}
	data.addLines(stored.Result, by.IgnoreDifferences)
	if stored.OmittedFigures > 0 {
		data.note("%s figures are left out so that the result fits into a ConfigMap.",
			present.Count(int64(stored.OmittedFigures)))
	}
	table, ok := stored.Files.Text[comparison.OtavaKey]
	if !ok {
		data.note("There was no room for the history (%s) beside the result.", comparison.OtavaKey)
		return data, nil
	}
	history, err := suiteHistory(table, by)
	if err != nil {
		return SuiteData{}, fmt.Errorf("reading %s of suite %s, revision %s: %w",
			comparison.OtavaKey, stored.Suite, stored.Revision, err)
	}
	data.History = history
	return data, nil
}

// Grown is a figure at all checkpoints of its growth, by the documents.
func (d *SuiteData) Grown(figure SuiteFigure) []SuiteFigure {
	var found []SuiteFigure
	for _, other := range d.Figures {
		if figure.GrowsWith(other) {
			found = append(found, other)
		}
	}
	slices.SortStableFunc(found, func(a, b SuiteFigure) int { return cmp.Compare(a.Documents, b.Documents) })
	return found
}

func (d *SuiteData) note(format string, values ...any) {
	d.Notes = append(d.Notes, fmt.Sprintf(format, values...))
}

// whole is a value as the forms of a result have it.
func whole(value float64) int64 { return int64(math.Round(value)) }

// judgedBy is what the lines of a suite were compared by; nil when it is not known: there is no suite, or it has been
// changed since its verdict.
func judgedBy(suite *benchv1alpha1.BenchmarkSuite) *comparison.Settings {
	if suite == nil {
		return nil
	}
	told := apimeta.FindStatusCondition(suite.Status.Conditions, benchv1alpha1.SuiteRegressed)
	if told == nil || told.ObservedGeneration != suite.Generation || told.Reason == benchv1alpha1.ReasonNotCompared {
		return nil
	}
	return &comparison.Settings{
		Thresholds: suite.Spec.Thresholds, IgnoreDifferences: suite.Spec.IgnoreDifferences,
		AllowDoubts: suite.Spec.AllowDoubts,
	}
}

// addStatus adds what the suite itself says, and by what its lines were judged.
func (d *SuiteData) addStatus(suite *benchv1alpha1.BenchmarkSuite, by *comparison.Settings) {
	if by != nil {
		d.Limits, d.Ignored = limitsTable(*by), by.IgnoreDifferences
	} else {
		d.note("By which thresholds the lines were judged is not known: the suite has been changed since, or is not there. "+
			"Intervals and change points are by the usual ones, %d %% at %d %% confidence.",
			benchv1alpha1.DefaultMinEffectPercent, benchv1alpha1.DefaultConfidencePercent)
	}
	if suite == nil {
		return
	}
	for _, name := range []string{
		benchv1alpha1.SuiteComplete, benchv1alpha1.SuiteRegressed, benchv1alpha1.SuitePassed,
	} {
		if told := apimeta.FindStatusCondition(suite.Status.Conditions, name); told != nil {
			d.Told = append(d.Told, present.Fact{
				Name: name, Text: fmt.Sprintf("%s, %s: %s", told.Status, told.Reason, told.Message),
			})
		}
	}
	if known := suite.Status.History; len(known) > 0 {
		d.Revisions = show.Revisions(known, []string{"revision", "began", "complete", "verdict"}, time.RFC3339, verdictText)
		d.Revisions.Caption = "Revisions, the latest first"
	}
}

func limitsTable(by comparison.Settings) *present.Table {
	table := &present.Table{
		Caption: "Thresholds",
		Columns: slices.Concat(present.Columns("metric", "step", "operation", "better is"),
			present.Numbers("matters from", "confidence")),
	}
	which := func(name *string) present.Cell {
		if name == nil {
			return present.Text("every")
		}
		return present.Text(*name)
	}
	better := map[benchv1alpha1.Direction]string{
		benchv1alpha1.HigherIsBetter: "higher", benchv1alpha1.LowerIsBetter: "lower",
	}
	percent := func(value int32) present.Cell { return present.Valued(fmt.Sprintf("%d %%", value), float64(value), "") }
	for _, threshold := range spec.Thresholds(by.Thresholds) {
		operation, metric := which(threshold.Operation), figure.ComparedBy(threshold.Metric)
		if threshold.Operation == nil && metric.Unit != figure.Micros {
			operation = present.Text("all together")
		}
		table.Rows = append(table.Rows, []present.Cell{
			present.Text(metric.Name), which(threshold.Step), operation, present.Text(better[*threshold.Direction]),
			percent(*threshold.MinEffectPercent), percent(*threshold.ConfidencePercent),
		})
	}
	return table
}
