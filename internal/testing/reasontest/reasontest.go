package reasontest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Declared are the constants of a file of api/v1alpha1, their values by name: all of them, or those of the blocks whose
// comments contain one of these texts. It is called from a package three folders deep.
func Declared(t *testing.T, file string, blocks ...string) map[string]string {
	t.Helper()
	path := filepath.Join("../../../api/v1alpha1", file)
	parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	constants := map[string]string{}
	for _, declaration := range parsed.Decls {
		block, ok := declaration.(*ast.GenDecl)
		named := func(text string) bool { return strings.Contains(block.Doc.Text(), text) }
		if !ok || block.Tok != token.CONST || len(blocks) > 0 && !slices.ContainsFunc(blocks, named) {
			continue
		}
		for _, one := range block.Specs {
			spec, _ := one.(*ast.ValueSpec)
			for i, name := range spec.Names {
				literal, ok := spec.Values[i].(*ast.BasicLit)
				if !ok {
					t.Fatalf("%s is no literal", name.Name)
				}
				constants[name.Name] = strings.Trim(literal.Value, `"`)
			}
		}
	}
	return constants
}
