package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// finding is one broken rule: where, and what to do about it.
type finding struct {
	place string
	rule  string
}

func (f finding) String() string { return f.place + ": " + f.rule }

func main() {
	findings, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "verify:", err)
		os.Exit(2)
	}
	for _, f := range findings {
		fmt.Fprintln(os.Stderr, f)
	}
	if len(findings) > 0 {
		fmt.Fprintf(os.Stderr, "verify: %d findings\n", len(findings))
		os.Exit(1)
	}
}

func run() ([]finding, error) {
	// Seconds on a warm machine; a cold one fetches modules first.
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	return verify(ctx, os.DirFS("."))
}

// source is a file of the repository.
type source struct {
	path string
	text []byte
}

// isGo tells whether it is code that people write and that is compiled.
func (s source) isGo() bool {
	return path.Ext(s.path) == ".go" && !s.isTestData() && !generatedMark.Match(s.text)
}

func (s source) isTest() bool     { return strings.HasSuffix(s.path, "_test.go") }
func (s source) isTestData() bool { return strings.Contains("/"+s.path, "/testdata/") }

// generatedMark is the line by which Go tools know a generated file.
var generatedMark = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// check looks at the files of the repository.
type check func(tree []source) []finding

// verify runs every check over the tree, which is the working directory.
func verify(ctx context.Context, root fs.FS) ([]finding, error) {
	files, err := projectFiles(ctx)
	if err != nil {
		return nil, err
	}
	tree := make([]source, 0, len(files))
	for _, file := range files {
		text, err := fs.ReadFile(root, file)
		if err != nil {
			return nil, fmt.Errorf("reading the repository: %w", err)
		}
		tree = append(tree, source{path: file, text: text})
	}
	var findings []finding
	for _, run := range []check{checkBinaries, checkPackages, checkLengths, checkMethods, checkComments, checkDefaults} {
		findings = append(findings, run(tree)...)
	}
	found, err := checkDependencies(ctx, importsOf)
	if err != nil {
		return nil, err
	}
	return append(findings, found...), nil
}

// projectFiles lists what is in the repository or about to be: tracked files and new ones that are not ignored.
func projectFiles(ctx context.Context) ([]string, error) {
	out, err := exec.CommandContext(ctx, "git", "ls-files", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return nil, fmt.Errorf("listing the files of the repository (run this at its top): %w", err)
	}
	files := strings.Split(strings.TrimSpace(string(out)), "\n")
	// A file that was deleted and not yet committed is still listed.
	files = slices.DeleteFunc(files, func(file string) bool {
		_, err := os.Lstat(file)
		return err != nil
	})
	slices.Sort(files)
	return files, nil
}
