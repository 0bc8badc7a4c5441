package show

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// Comparison writes a result for people: the verdicts, why, and every figure that any side has, side by side.
func Comparison(to io.Writer, paint present.Paint, result comparison.Result) error {
	head := present.NewTable([]string{"SIDE"}, "RUNS", "IN DOUBT")
	for _, side := range result.Sides {
		head.Add(side.Name, strconv.Itoa(len(side.Samples)), strconv.Itoa(doubtful(side.Samples)))
	}
	return write(to, paint, []part{
		{"", head},
		{"Comparison", lines(result.Lines)},
		{"Why", reasons(result.Lines)},
		{"Growth", growth(result.Sides)},
		{"Medians", medians(result.Sides)},
	})
}

// ComparisonMarkdown writes the verdicts, why, and the medians as Markdown.
func ComparisonMarkdown(to io.Writer, title string, result comparison.Result) error {
	if _, err := fmt.Fprintf(to, "## %s\n", title); err != nil {
		return err
	}
	for _, part := range []part{
		{"Comparison", lines(result.Lines)},
		{"Why", reasons(result.Lines)},
		{"Growth", growth(result.Sides)},
		{"Medians", medians(result.Sides)},
	} {
		if len(part.table.Rows) == 0 {
			continue
		}
		if _, err := fmt.Fprintf(to, "\n### %s\n\n", part.heading); err != nil {
			return err
		}
		if err := part.table.Markdown(to); err != nil {
			return err
		}
	}
	return nil
}

func doubtful(samples []comparison.Sample) int {
	count := 0
	for i := range samples {
		if samples[i].Doubts != "" {
			count++
		}
	}
	return count
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
