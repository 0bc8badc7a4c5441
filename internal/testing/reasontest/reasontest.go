package reasontest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// Declared are the constants of a file of api/v1alpha1, their values by name. It is called from a package three folders
// deep.
func Declared(t *testing.T, file string) map[string]string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join("../../../api/v1alpha1", file), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	constants := map[string]string{}
	ast.Inspect(parsed, func(node ast.Node) bool {
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
