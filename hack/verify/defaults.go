package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"strings"
)

// checkDefaults wants the default of a field to be stated once, where a specification is normalised: elsewhere
// ptr.Deref has a zero value for what is unset.
func checkDefaults(tree fs.FS, files []string) ([]finding, error) {
	var findings []finding
	for _, file := range files {
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := fs.ReadFile(tree, file)
		if err != nil {
			return nil, fmt.Errorf("reading defaults: %w", err)
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, file, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("reading defaults: %w", err)
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if ok && len(call.Args) == 2 && isSelector(call.Fun, "ptr", "Deref") && !isZero(call.Args[1]) {
				findings = append(findings, finding{
					fset.Position(call.Pos()).String(),
					"ptr.Deref with a default: state it in internal/spec (Normalise), and read the normalised specification",
				})
			}
			return true
		})
	}
	return findings, nil
}

func isSelector(expression ast.Expr, of, name string) bool {
	selector, ok := expression.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != name {
		return false
	}
	from, ok := selector.X.(*ast.Ident)
	return ok && from.Name == of
}

// isZero says whether an expression is written as a zero value: 0, "", false, nil or T{}.
func isZero(expression ast.Expr) bool {
	switch expression := expression.(type) {
	case *ast.BasicLit:
		return expression.Value == "0" || expression.Value == `""`
	case *ast.Ident:
		return expression.Name == "false" || expression.Name == "nil"
	case *ast.CompositeLit:
		return len(expression.Elts) == 0
	default:
		return false
	}
}
