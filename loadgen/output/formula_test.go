package output_test

import (
	"bytes"
	"encoding/csv"
	"testing"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

// TestNothingThatADatabaseSaysIsAFormula has a database answer an action, and name its durability, with formulas.
func TestNothingThatADatabaseSaysIsAFormula(t *testing.T) {
	const formula = `=HYPERLINK("http://example.com","see")`
	hostile := report(t)
	hostile.Server.Durability = "+1"
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
	found := 0
	for _, row := range rows {
		for _, cell := range row {
			switch cell {
			case formula, "+1", "@sum":
				t.Errorf("a cell is %s", cell)
			case "'" + formula, "'@sum":
				found++
			}
		}
	}
	if found != 2 {
		t.Errorf("%d of 2 texts are there", found)
	}
}
