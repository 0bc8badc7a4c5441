package comparison_test

import (
	"bytes"
	"encoding/csv"
	"io"
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
		found := false
		for _, row := range rows {
			for _, cell := range row {
				if cell == formula {
					t.Fatalf("%s: a cell is %s", name, cell)
				}
				found = found || cell == "'"+formula
			}
		}
		if !found {
			t.Errorf("%s: the text is not there", name)
		}
	}
}
