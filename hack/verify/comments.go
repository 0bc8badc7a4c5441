package main

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// unexemptable are the linters that keep the house liveable. What they find is split, not excused; revive is among them
// for its limits on files and arguments.
var unexemptable = []string{"all", "cyclop", "funlen", "gocognit", "gocyclo", "lll", "maintidx", "nestif", "revive"}

var (
	exemption = regexp.MustCompile(`//\s*nolint(?::([a-z0-9,_-]+))?`)
	// leftover is a promise in place of the work. Written with brackets so that this line is none.
	leftover = regexp.MustCompile(`\b(T[O]DO|F[I]XME|X[X]X)\b`)
)

// checkComments refuses exemptions from the size linters, and promises of work to come.
func checkComments(tree fs.FS, files []string) ([]finding, error) {
	var findings []finding
	for _, file := range files {
		if !isSource(file) {
			continue
		}
		text, err := fs.ReadFile(tree, file)
		if err != nil {
			return nil, fmt.Errorf("reading comments: %w", err)
		}
		for number, line := range strings.Split(string(text), "\n") {
			place := fmt.Sprintf("%s:%d", file, number+1)
			if path.Ext(file) == ".go" {
				findings = append(findings, exemptionsIn(line, place)...)
			}
			if word := leftover.FindString(line); word != "" {
				findings = append(findings, finding{place, word + ": do it, or say what is true today"})
			}
		}
	}
	return findings, nil
}

func isSource(file string) bool {
	return slices.Contains([]string{".go", ".sh", ".mk", ".awk", ".yaml", ".yml", ".tpl"}, path.Ext(file)) &&
		!strings.Contains("/"+file, "/testdata/")
}

func exemptionsIn(line, place string) []finding {
	var findings []finding
	for _, match := range exemption.FindAllStringSubmatch(line, -1) {
		names := strings.Split(match[1], ",")
		if match[1] == "" {
			names = []string{"all"}
		}
		for _, name := range names {
			if slices.Contains(unexemptable, name) {
				findings = append(findings, finding{place, "nolint names " + name + ", which has no exemptions: make it smaller"})
			}
		}
	}
	return findings
}
