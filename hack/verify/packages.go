package main

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

const (
	maxFileLines = 400
	maxTestLines = 600
)

// emptyNames say where a thing was put, not what it does.
var emptyNames = []string{"util", "utils", "common", "helper", "helpers", "types", "misc"}

// generatedMark is the line by which Go tools know a generated file.
var generatedMark = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// goFiles keeps the Go files that people write and that are compiled.
func goFiles(files []string) []string {
	return slices.DeleteFunc(slices.Clone(files), func(file string) bool {
		return path.Ext(file) != ".go" || strings.Contains("/"+file, "/testdata/")
	})
}

// checkPackages wants a doc.go with a package comment, and a name that says something, for every package.
func checkPackages(tree fs.FS, files []string) ([]finding, error) {
	folders := make(map[string]bool)
	for _, file := range goFiles(files) {
		folders[path.Dir(file)] = true
	}
	var findings []finding
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		if slices.Contains(emptyNames, path.Base(folder)) {
			findings = append(findings, finding{folder, "the package's name says nothing; name it after what it does"})
		}
		documented, err := hasPackageComment(tree, path.Join(folder, "doc.go"))
		if err != nil {
			return nil, err
		}
		if !documented {
			findings = append(findings, finding{
				folder, "no doc.go with a package comment: what it is, what it is not, whom it may import",
			})
		}
	}
	return findings, nil
}

func hasPackageComment(tree fs.FS, file string) (bool, error) {
	source, err := fs.ReadFile(tree, file)
	if err != nil {
		return false, nil //nolint:nilerr // A missing file is the finding, not a failure of the check.
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		return false, fmt.Errorf("reading the package comment of %s: %w", file, err)
	}
	return strings.TrimSpace(parsed.Doc.Text()) != "", nil
}

// checkLengths limits the lines of a file; generated files are as long as they are.
func checkLengths(tree fs.FS, files []string) ([]finding, error) {
	var findings []finding
	for _, file := range goFiles(files) {
		source, err := fs.ReadFile(tree, file)
		if err != nil {
			return nil, fmt.Errorf("counting lines: %w", err)
		}
		if generatedMark.Match(source) {
			continue
		}
		limit := maxFileLines
		if strings.HasSuffix(file, "_test.go") {
			limit = maxTestLines
		}
		if lines := bytes.Count(source, []byte("\n")); lines > limit {
			findings = append(findings, finding{file, fmt.Sprintf("%d lines; at most %d: split it by subject", lines, limit)})
		}
	}
	return findings, nil
}
