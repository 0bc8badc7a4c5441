package main

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

const (
	// maxFileBytes is the size above which a file needs a reason to be in the repository.
	maxFileBytes = 1 << 20
	// sniffedBytes is how far git itself looks for a NUL byte to tell a binary file.
	sniffedBytes = 8000

	maxFileLines = 400
	maxTestLines = 600
)

// committedAnyway are the binary and large files that belong in the repository, each with the reason.
var committedAnyway = map[string]string{}

// archiveMagics begin compressed files and archives, which need not hold a NUL byte early on.
var archiveMagics = []string{"\x1f\x8b", "PK\x03\x04", "\xfd7zXZ", "BZh", "\x28\xb5\x2f\xfd", "7z\xbc\xaf", "!<arch>\n"}

// checkBinaries refuses programs, archives and large files: they stay in every clone forever.
func checkBinaries(tree []source) []finding {
	var findings []finding
	for _, s := range tree {
		if committedAnyway[s.path] != "" {
			continue
		}
		if isBinary(s.text) {
			findings = append(findings, finding{
				s.path, "binary file; build it instead, or list it with a reason in hack/verify/files.go",
			})
		}
		if len(s.text) > maxFileBytes {
			findings = append(findings, finding{s.path, fmt.Sprintf(
				"%d bytes; at most %d, or list it with a reason in hack/verify/files.go", len(s.text), maxFileBytes)})
		}
	}
	return findings
}

func isBinary(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), sniffedBytes)], 0) >= 0 ||
		slices.ContainsFunc(archiveMagics, func(magic string) bool { return bytes.HasPrefix(content, []byte(magic)) })
}

// checkLengths limits the lines of a file; generated files are as long as they are.
func checkLengths(tree []source) []finding {
	var findings []finding
	for _, s := range tree {
		limit := maxFileLines
		if s.isTest() {
			limit = maxTestLines
		}
		if lines := bytes.Count(s.text, []byte("\n")); s.isGo() && lines > limit {
			findings = append(findings, finding{s.path, fmt.Sprintf("%d lines; at most %d: split it by subject", lines, limit)})
		}
	}
	return findings
}

// unexemptable are the linters that keep the house liveable. What they find is split, not excused; revive is among them
// for its limits on files and arguments.
var unexemptable = []string{"all", "cyclop", "funlen", "gocognit", "gocyclo", "lll", "maintidx", "nestif", "revive"}

var (
	exemption = regexp.MustCompile(`//\s*nolint(?::([a-z0-9,_-]+))?`)
	// leftover is a promise in place of the work. Written with brackets so that this line is none.
	leftover = regexp.MustCompile(`\b(T[O]DO|F[I]XME|X[X]X)\b`)
)

// checkComments refuses exemptions from the size linters, and promises of work to come.
func checkComments(tree []source) []finding {
	var findings []finding
	for _, s := range tree {
		if s.isTestData() || !slices.Contains(commented, path.Ext(s.path)) {
			continue
		}
		for number, line := range strings.Split(string(s.text), "\n") {
			place := fmt.Sprintf("%s:%d", s.path, number+1)
			if path.Ext(s.path) == ".go" {
				findings = append(findings, exemptionsIn(line, place)...)
			}
			if word := leftover.FindString(line); word != "" {
				findings = append(findings, finding{place, word + ": do it, or say what is true today"})
			}
		}
	}
	return findings
}

// commented are the endings of files whose comments are looked at.
var commented = []string{".go", ".sh", ".mk", ".awk", ".yaml", ".yml", ".tpl"}

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
