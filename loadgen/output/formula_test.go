package output_test

import (
	"bytes"
	"encoding/csv"
	"slices"
	"testing"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

// TestNothingThatADatabaseSaysIsAFormula has a database answer an action, and name a member, with formulas.
func TestNothingThatADatabaseSaysIsAFormula(t *testing.T) {
	const formula = `=HYPERLINK("http://example.com","see")`
	hostile := report(t)
	step := &hostile.Steps[3]
	step.Actions = []reportv1.Action{{Name: "fault", Type: "SetParameter", Member: "@sum", AtMillis: 5, Error: formula}}
	var written bytes.Buffer
	if err := output.CSV(&written, hostile); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&written).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	cells := slices.Concat(rows...)
	for _, text := range []string{formula, "@sum"} {
		if slices.Contains(cells, text) || !slices.Contains(cells, "'"+text) {
			t.Errorf("the report has the formula %s, or not its text", text)
		}
	}
}
