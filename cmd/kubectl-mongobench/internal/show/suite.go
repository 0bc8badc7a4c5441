package show

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// Suite describes a suite: its variants, how they compare, and its history.
func Suite(to io.Writer, paint present.Paint, suite *benchv1alpha1.BenchmarkSuite) error {
	status := suite.Status
	var head present.Facts
	head.Add("Suite:", suite.Namespace+"/"+suite.Name)
	head.Add("Verdict:", Verdict(suite))
	head.Add("Revision:", present.Or(status.Revision))
	occasions(&head, suite)
	if counts := status.Runs; counts != nil {
		head.Add("Runs:", fmt.Sprintf("%s planned, %s active, %s succeeded, %s failed, %s of them in doubt",
			number(counts.Planned), number(counts.Active), number(counts.Succeeded), number(counts.Failed),
			number(counts.Untrusted)))
	}
	if status.Result != nil {
		head.Add("Result:", status.Result.ConfigMapName)
	}
	if status.OmittedLines != nil && *status.OmittedLines > 0 {
		head.Add("Omitted:", number(status.OmittedLines)+" lines of the comparison; kubectl mongobench report has all")
	}
	text := &present.Document{Paint: paint}
	text.Facts(head)
	verdict(text, status.Conditions)
	compared(text, suite)
	text.Part("Change points", changePoints(status.ChangePoints))
	text.Part("History", history(status.History))
	return text.Write(to)
}

// SuiteEnd writes what a suite came to: its variants and how they compare.
func SuiteEnd(to io.Writer, paint present.Paint, suite *benchv1alpha1.BenchmarkSuite) error {
	text := &present.Document{Paint: paint, Below: true}
	compared(text, suite)
	return text.Write(to)
}

func compared(text *present.Document, suite *benchv1alpha1.BenchmarkSuite) {
	searchPart(text, suite.Status.Search)
	text.Part("Variants", variants(suite.Status.Variants))
	text.Part("Comparison", lines(suite.Status.Comparison))
	text.Part("Why", reasons(suite.Status.Comparison))
}

func variants(all []benchv1alpha1.VariantStatus) *present.Table {
	rows := &present.Table{Columns: slices.Concat(present.Columns("VARIANT"),
		present.Numbers("SUCCEEDED", "FAILED"), present.Columns("STEP"), present.Numbers("OPS/S", "P99"))}
	for _, variant := range all {
		rows.Add(variant.Name, number(variant.Succeeded), number(variant.Failed), present.Or(variant.Step),
			number(variant.OperationsPerSecond), micros(variant.P99Micros))
	}
	return rows
}

// LineTexts are the figures of a line for people.
type LineTexts struct {
	BaselineText string `json:"baselineText"`
	MedianText   string `json:"medianText"`
	ChangeText   string `json:"changeText"`
	IntervalText string `json:"intervalText"`
	SamplesText  string `json:"samplesText"`
}

// TextsOf are those of a line.
func TextsOf(line benchv1alpha1.ComparisonLine) LineTexts {
	return LineTexts{
		BaselineText: Quantity(line.Metric, line.BaselineMedian), MedianText: Quantity(line.Metric, line.Median),
		ChangeText:   present.Change(line.EffectBasisPoints),
		IntervalText: present.Interval(line.LowBasisPoints, line.HighBasisPoints),
		SamplesText:  number(line.BaselineSamples) + "/" + number(line.Samples),
	}
}

// lines of a comparison; reasons has their messages, which are too long for a column.
func lines(all []benchv1alpha1.ComparisonLine) *present.Table {
	rows := present.NewTable([]string{"VERDICT", "VARIANT", "AGAINST", "STEP", "OPERATION", "METRIC"}, "BASELINE",
		"MEDIAN", "CHANGE", "INTERVAL", "SAMPLES")
	for _, line := range all {
		texts := TextsOf(line)
		rows.Add(verdictOf(line), line.Variant, line.Baseline, present.Or(line.Step), present.Or(line.Operation),
			comparison.Name(line.Metric), texts.BaselineText, texts.MedianText, texts.ChangeText, texts.IntervalText,
			texts.SamplesText)
	}
	return rows
}

// reasons are the messages of lines that are not Unchanged, each once.
func reasons(all []benchv1alpha1.ComparisonLine) *present.Table {
	rows := present.NewTable([]string{"VARIANT", "VERDICT", "MESSAGE"})
	seen := map[[3]string]bool{}
	for _, line := range all {
		row := [3]string{line.Variant, verdictOf(line), line.Message}
		if known := line.Acknowledged; known != nil {
			row[2] += "; acknowledged until " + known.Until.UTC().Format(timeLayout) + ": " + known.Reason
		}
		if line.Message == "" || line.Verdict == benchv1alpha1.VerdictUnchanged || seen[row] {
			continue
		}
		seen[row] = true
		rows.Add(row[:]...)
	}
	return rows
}

func changePoints(all []benchv1alpha1.ChangePoint) *present.Table {
	rows := present.NewTable([]string{"SINCE REVISION", "VARIANT", "STEP", "OPERATION", "METRIC"}, "CHANGE")
	for _, point := range all {
		rows.Add(point.Revision, point.Variant, present.Or(point.Step), present.Or(point.Operation),
			comparison.Name(point.Metric), present.Change(point.EffectBasisPoints))
	}
	return rows
}

func history(all []benchv1alpha1.RevisionStatus) *present.Table {
	return Revisions(all, []string{"REVISION", "BEGAN", "COMPLETE", "VERDICT"}, timeLayout,
		func(verdict benchv1alpha1.Verdict) string { return string(verdict) })
}

// Revisions are those that a status knows of, with times in a layout.
func Revisions(
	all []benchv1alpha1.RevisionStatus, names []string, layout string, written func(benchv1alpha1.Verdict) string,
) *present.Table {
	rows := present.NewTable(names)
	for _, revision := range all {
		completed, verdict := present.Unknown, present.Unknown
		if revision.CompletionTime != nil {
			completed = revision.CompletionTime.UTC().Format(layout)
		}
		if revision.Verdict != nil {
			verdict = written(*revision.Verdict)
		}
		rows.Add(revision.Revision, revision.StartTime.UTC().Format(layout), completed, verdict)
	}
	return rows
}

// Comparison writes a result for people: the verdicts, why, and every figure that any side has, side by side.
func Comparison(to io.Writer, paint present.Paint, result comparison.Result) error {
	head := present.NewTable([]string{"SIDE"}, "RUNS", "IN DOUBT")
	for _, side := range result.Sides {
		doubtful := 0
		for i := range side.Samples {
			if side.Samples[i].Doubts != nil {
				doubtful++
			}
		}
		head.Add(side.Name, strconv.Itoa(len(side.Samples)), strconv.Itoa(doubtful))
	}
	text := &present.Document{Paint: paint}
	text.Table(*head)
	return writeComparison(to, text, result)
}

// ComparisonMarkdown writes the verdicts, why, and the medians as Markdown.
func ComparisonMarkdown(to io.Writer, title string, result comparison.Result) error {
	text := &present.Document{Markdown: true}
	text.Title(title)
	return writeComparison(to, text, result)
}

func writeComparison(to io.Writer, text *present.Document, result comparison.Result) error {
	searchPart(text, result.Search)
	text.Part("Comparison", lines(result.Lines))
	text.Part("Why", reasons(result.Lines))
	text.Part("Growth", growth(result.Sides))
	text.Part("Medians", medians(result.Sides))
	return text.Write(to)
}

// medians has a line for every figure and a column for every side, in the order in which figures are first seen. Those
// of checkpoints are in the table of the growth.
func medians(sides []comparison.Side) *present.Table {
	checkpoints := Checkpoints(sides)
	rows := perSide(sides, "STEP", "OPERATION", "METRIC")
	for _, key := range comparison.Keys(sides...) {
		if _, ok := checkpoints[key.Step]; !ok {
			rows.Add(append([]string{present.Or(key.Step), present.Or(key.Operation), comparison.Name(key.Metric)},
				mediansOf(sides, key)...)...)
		}
	}
	return rows
}

// perSide is an empty table with a column for every side behind others.
func perSide(sides []comparison.Side, others ...string) *present.Table {
	names := make([]string, 0, len(sides))
	for _, side := range sides {
		names = append(names, side.Name)
	}
	return present.NewTable(others, names...)
}

// mediansOf are those of a figure, one a side.
func mediansOf(sides []comparison.Side, key comparison.Key) []string {
	cells := make([]string, 0, len(sides))
	for _, side := range sides {
		cells = append(cells, Quantity(key.Metric, side.Median(key)))
	}
	return cells
}

// Verdicts sums a comparison up in one line.
func Verdicts(all []benchv1alpha1.ComparisonLine) string {
	counts := map[benchv1alpha1.Verdict]int{}
	for _, line := range all {
		counts[line.Verdict]++
	}
	var parts []string
	for _, verdict := range comparison.Verdicts {
		if counts[verdict] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[verdict], verdict))
		}
	}
	return strings.Join(parts, ", ")
}

// Checkpoint is what a step of a growth belongs to.
type Checkpoint struct {
	// Step as it is declared: every checkpoint has one of it. Of the sizes it is size.
	Step string
	// Documents that were loaded until then.
	Documents int64
}

// Checkpoints are those of all steps that belong to one, by the steps' names in results.
func Checkpoints(sides []comparison.Side) map[string]Checkpoint {
	found := map[string]Checkpoint{}
	for _, side := range sides {
		for _, documents := range benchv1alpha1.CheckpointSizes(side.Spec.Workload.Growth) {
			add := func(step string) {
				found[planv1.GrowthStepName(step, documents)] = Checkpoint{Step: step, Documents: documents}
			}
			add(planv1.StepNameSize)
			for _, step := range side.Spec.Workload.Steps {
				add(step.Name)
			}
		}
	}
	return found
}

// growth has a line for every figure of every checkpoint and a column for every side. The checkpoints of a figure
// follow each other.
func growth(sides []comparison.Side) *present.Table {
	checkpoints := Checkpoints(sides)
	declared := func(key comparison.Key) comparison.Key {
		key.Step = checkpoints[key.Step].Step
		return key
	}
	places := map[comparison.Key]int{}
	var grown []comparison.Key
	for _, key := range comparison.Keys(sides...) {
		if _, ok := checkpoints[key.Step]; !ok {
			continue
		}
		grown = append(grown, key)
		if _, ok := places[declared(key)]; !ok {
			places[declared(key)] = len(places)
		}
	}
	slices.SortStableFunc(grown, func(a, b comparison.Key) int {
		return cmp.Or(cmp.Compare(places[declared(a)], places[declared(b)]),
			cmp.Compare(checkpoints[a.Step].Documents, checkpoints[b.Step].Documents))
	})
	rows := perSide(sides, "STEP", "OPERATION", "METRIC", "DOCUMENTS")
	rows.Columns[3].Number = true
	for _, key := range grown {
		rows.Add(append([]string{
			checkpoints[key.Step].Step, present.Or(key.Operation), comparison.Name(key.Metric),
			present.Count(checkpoints[key.Step].Documents),
		}, mediansOf(sides, key)...)...)
	}
	return rows
}
