package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

const maxMethods = 30

// checkMethods limits the methods of a type: one that has more does several things, over however many files.
func checkMethods(tree fs.FS, files []string) ([]finding, error) {
	methods := make(map[string]int)
	for _, file := range goFiles(files) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		if err := countMethods(methods, tree, file); err != nil {
			return nil, fmt.Errorf("counting methods: %w", err)
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
	return findings, nil
}

// countMethods adds the methods of a file, unless it is generated.
func countMethods(methods map[string]int, tree fs.FS, file string) error {
	source, err := fs.ReadFile(tree, file)
	if err != nil || generatedMark.Match(source) {
		return err
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, declaration := range parsed.Decls {
		if function, ok := declaration.(*ast.FuncDecl); ok && function.Recv != nil {
			methods[path.Dir(file)+": "+receiver(function.Recv.List[0].Type)]++
		}
	}
	return nil
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
