package decide

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// TestEveryReasonIsProduced reads the constants of the API: each is a condition or a reason that some scenario
// produces.
func TestEveryReasonIsProduced(t *testing.T) {
	produced := map[string]bool{}
	for _, s := range scenarios() {
		w := newWorld(t)
		s.play(w)
		w.settle()
		for _, c := range w.Run.Status.Conditions {
			produced[c.Type], produced[c.Reason] = true, true
		}
	}
	constants := conditionConstants(t)
	for name, value := range constants {
		if !produced[value] {
			t.Errorf("no scenario produces %s (%q)", name, value)
		}
	}
	if len(constants) < 40 {
		t.Errorf("only %d constants were found", len(constants))
	}
}

// conditionConstants are the constants of the file that declares a run's conditions and reasons.
func conditionConstants(t *testing.T) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../../api/v1alpha1/run_conditions.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	constants := map[string]string{}
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for i, name := range spec.Names {
			literal, ok := spec.Values[i].(*ast.BasicLit)
			if !ok {
				t.Fatalf("%s is no literal", name.Name)
			}
			constants[name.Name] = strings.Trim(literal.Value, `"`)
		}
		return true
	})
	return constants
}
