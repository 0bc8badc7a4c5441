package decide

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"
)

// TestEveryReasonIsProduced reads the constants of the API: each is a condition or a reason that some scenario produces.
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
	const path = "../../../api/v1alpha1/run_conditions.go"
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	constants := 0
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for i, name := range spec.Names {
			literal, ok := spec.Values[i].(*ast.BasicLit)
			if !ok {
				continue
			}
			value, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			constants++
			if !produced[value] {
				t.Errorf("no scenario produces %s (%q)", name.Name, value)
			}
		}
		return true
	})
	if constants < 40 {
		t.Errorf("only %d constants were found in %s", constants, path)
	}
}
