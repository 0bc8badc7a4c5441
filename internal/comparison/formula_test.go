package comparison_test

import (
	"bytes"
	"encoding/csv"
	"io"
	"slices"
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
)

// TestNothingThatADatabaseSaysIsAFormula has one side's server call its version by a formula, of which a line speaks.
func TestNothingThatADatabaseSaysIsAFormula(t *testing.T) {
	const formula = `=HYPERLINK("http://example.com","see")`
	result := twoVariants()
	for i := range result.Sides[1].Samples {
		result.Sides[1].Samples[i].Fingerprint["version"] = formula
	}
	result.Lines = []benchv1alpha1.ComparisonLine{{
		Variant: "small", Baseline: "large", Metric: benchv1alpha1.MetricP99Micros, Message: formula,
	}}
	for name, write := range map[string]func(io.Writer, comparison.Result) error{
		"samples": comparison.WriteCSV, "comparison": comparison.WriteComparison,
	} {
		var written bytes.Buffer
		if err := write(&written, result); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&written).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		cells := slices.Concat(rows...)
		if slices.Contains(cells, formula) || !slices.Contains(cells, "'"+formula) {
			t.Errorf("the %s have the formula, or not its text: %q", name, cells)
		}
	}
}
