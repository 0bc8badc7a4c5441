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

// Comparison writes a result for people: the verdicts, why, and every figure that any side has, side by side.
func Comparison(to io.Writer, paint present.Paint, result comparison.Result) error {
	head := present.NewTable([]string{"SIDE"}, "RUNS", "IN DOUBT")
	for _, side := range result.Sides {
		doubtful := 0
		for i := range side.Samples {
			if side.Samples[i].Doubts != "" {
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
	for _, verdict := range []benchv1alpha1.Verdict{
		benchv1alpha1.VerdictRegressed, benchv1alpha1.VerdictImproved, benchv1alpha1.VerdictInconclusive,
		benchv1alpha1.VerdictUnchanged,
	} {
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
