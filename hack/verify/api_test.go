package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestAPILinter has the linter look at fields that break the conventions, each of which says what it has to find.
func TestAPILinter(t *testing.T) {
	const file = "testdata/api/fields.go"
	tool, err := exec.CommandContext(t.Context(), "../tools/tool.sh", "golangci-lint").Output()
	if err != nil {
		t.Fatalf("building the linter: %v", err)
	}
	command := exec.CommandContext(t.Context(), strings.TrimSpace(string(tool)), "run", "--config", "api-linter.yml",
		"--show-stats=false", "--output.text.print-issued-lines=false", "./testdata/api")
	output, _ := command.CombinedOutput() // It fails, having found something.
	said := map[string]string{}
	for line := range strings.Lines(string(output)) {
		place, finding, _ := strings.Cut(line, ": ")
		said[place] += finding
	}
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	wanted := regexp.MustCompile(`// want "(.*)"$`)
	lines := bufio.NewScanner(bytes.NewReader(source))
	got := ""
	for number := 1; lines.Scan(); number++ {
		// What is wrong with a comment is said of its own line.
		got += said[fmt.Sprintf("hack/verify/%s:%d:2", file, number)]
		if !strings.Contains(lines.Text(), "`json:") {
			continue
		}
		want := append(wanted.FindStringSubmatch(lines.Text()), "", "")[1]
		if !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s:%d: the linter finds %q, want %q", file, number, got, want)
		}
		got = ""
	}
	if len(said) == 0 || t.Failed() {
		t.Logf("the linter said:\n%s", output)
	}
}
