package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
)

// parse reads Go code. What is wrong with it is for the compiler to say.
func (s source) parse(mode parser.Mode) (*token.FileSet, *ast.File) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, s.path, s.text, mode|parser.SkipObjectResolution)
	if err != nil {
		return set, &ast.File{}
	}
	return set, file
}

// emptyNames say where a thing was put, not what it does.
var emptyNames = []string{"util", "utils", "common", "helper", "helpers", "types", "misc"}

// checkPackages wants a doc.go with a package comment, and a name that says something, for every package.
func checkPackages(tree []source) []finding {
	documented := make(map[string]bool)
	for _, s := range tree {
		if path.Ext(s.path) != ".go" || s.isTestData() {
			continue
		}
		folder := path.Dir(s.path)
		documented[folder] = documented[folder] || path.Base(s.path) == "doc.go" && s.hasPackageComment()
	}
	var findings []finding
	for _, folder := range slices.Sorted(maps.Keys(documented)) {
		if slices.Contains(emptyNames, path.Base(folder)) {
			findings = append(findings, finding{folder, "the package's name says nothing; name it after what it does"})
		}
		if !documented[folder] {
			findings = append(findings, finding{
				folder, "no doc.go with a package comment: what it is, what it is not, whom it may import",
			})
		}
	}
	return findings
}

func (s source) hasPackageComment() bool {
	_, file := s.parse(parser.ParseComments | parser.PackageClauseOnly)
	return strings.TrimSpace(file.Doc.Text()) != ""
}

const maxMethods = 30

// checkMethods limits the methods of a type: one that has more does several things, over however many files.
func checkMethods(tree []source) []finding {
	methods := make(map[string]int)
	for _, s := range tree {
		if !s.isGo() || s.isTest() {
			continue
		}
		_, file := s.parse(0)
		for _, declaration := range file.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok && function.Recv != nil {
				methods[path.Dir(s.path)+": "+receiver(function.Recv.List[0].Type)]++
			}
		}
	}
	var findings []finding
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		if count := methods[name]; count > maxMethods {
			findings = append(findings, finding{
				name, fmt.Sprintf("%d methods; at most %d: split the type by what it does", count, maxMethods),
			})
		}
	}
	return findings
}

// receiver is the name of a method's type, without its pointer and its type parameters.
func receiver(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return receiver(of.X)
	case *ast.IndexExpr:
		return receiver(of.X)
	case *ast.IndexListExpr:
		return receiver(of.X)
	case *ast.Ident:
		return of.Name
	}
	return ""
}

// checkDefaults wants the default of a field to be stated once, where a specification is normalised: elsewhere
// ptr.Deref has a zero value for what is unset.
func checkDefaults(tree []source) []finding {
	var findings []finding
	for _, s := range tree {
		if path.Ext(s.path) != ".go" || s.isTest() {
			continue
		}
		set, file := s.parse(0)
		ast.Inspect(file, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if ok && len(call.Args) == 2 && isSelector(call.Fun, "ptr", "Deref") && !isZero(call.Args[1]) {
				findings = append(findings, finding{
					set.Position(call.Pos()).String(),
					"ptr.Deref with a default: state it in internal/spec (Normalise), and read the normalised specification",
				})
			}
			return true
		})
	}
	return findings
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
