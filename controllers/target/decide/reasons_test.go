package decide

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"strconv"
	"strings"
	"testing"
)

// reasonsOf reads the reasons that a file of the API declares, in the groups of constants that belong to a target.
func reasonsOf(t *testing.T, file string, belongs func(group string) bool) map[string]string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), "../../../api/v1alpha1/"+file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	reasons := map[string]string{}
	for _, declaration := range parsed.Decls {
		group, ok := declaration.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST || !belongs(group.Doc.Text()) {
			continue
		}
		for _, spec := range group.Specs {
			if value, name, ok := reasonIn(t, spec); ok {
				reasons[value] = name
			}
		}
	}
	return reasons
}

func reasonIn(t *testing.T, spec ast.Spec) (value, name string, ok bool) {
	t.Helper()
	constant, ok := spec.(*ast.ValueSpec)
	if !ok || !strings.HasPrefix(constant.Names[0].Name, "Reason") {
		return "", "", false
	}
	literal, ok := constant.Values[0].(*ast.BasicLit)
	if !ok {
		t.Fatalf("%s is no literal", constant.Names[0].Name)
	}
	value, err := strconv.Unquote(literal.Value)
	if err != nil {
		t.Fatal(err)
	}
	return value, constant.Names[0].Name, true
}

func TestEveryReasonIsProduced(t *testing.T) {
	declared := reasonsOf(t, "target_conditions.go", func(string) bool { return true })
	shared := reasonsOf(t, "run_conditions.go", func(group string) bool {
		return strings.Contains(group, "a run and a target share") || strings.Contains(group, "of a run and of a target")
	})
	maps.Copy(declared, shared)
	if len(declared) < 18 {
		t.Fatalf("only %d reasons were found: %v", len(declared), declared)
	}
	produced := map[string]bool{}
	for name, tc := range allCases() {
		decision := decided(tc.o)
		for _, c := range decision.Status.Conditions {
			produced[c.Reason] = true
			if declared[c.Reason] == "" {
				t.Errorf("%s: the reason %s of %s is not declared for a target", name, c.Reason, c.Type)
			}
		}
	}
	for value, name := range declared {
		if !produced[value] {
			t.Errorf("no case produces %s", name)
		}
	}
}
