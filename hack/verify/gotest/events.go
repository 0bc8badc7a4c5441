package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// event is one line of go test -json, as `go doc test2json` describes it.
type event struct {
	Action  string `json:"Action"`
	Package string `json:"Package"`
	Test    string `json:"Test"`
	Output  string `json:"Output"`
}

// skip is one test that did not run, with the reason it gave.
type skip struct {
	pkg    string
	test   string
	reason string
}

// follow passes on the closing line of each package and all that failing tests printed, and returns the skipped tests.
// What the failing tests found wrong goes to failures too.
func follow(in io.Reader, out, failures io.Writer) ([]skip, error) {
	var skips []skip
	printed := make(map[string]*strings.Builder)
	reader := bufio.NewReader(in)
	for {
		line, err := reader.ReadBytes('\n')
		if len(line) > 0 {
			if found, ok := digest(line, printed, out, failures); ok {
				skips = append(skips, found)
			}
		}
		if err == io.EOF {
			return skips, nil
		}
		if err != nil {
			return skips, fmt.Errorf("reading from go test: %w", err)
		}
	}
}

// digest takes in one line; what a test printed is held back until it is known whether anybody needs it.
func digest(line []byte, printed map[string]*strings.Builder, out, failures io.Writer) (skip, bool) {
	var e event
	if json.Unmarshal(line, &e) != nil {
		_, _ = out.Write(line) // Not an event: a message of the go command itself.
		return skip{}, false
	}
	if e.Test == "" {
		if isClosing(e) {
			_, _ = io.WriteString(out, e.Output)
		}
		return skip{}, false
	}
	key := e.Package + "\x00" + e.Test
	switch e.Action {
	case "output":
		if printed[key] == nil {
			printed[key] = new(strings.Builder)
		}
		printed[key].WriteString(e.Output)
		return skip{}, false
	case "fail":
		if printed[key] != nil {
			_, _ = io.WriteString(out, printed[key].String())
			_, _ = io.WriteString(failures, e.Test+":\n"+findings(printed[key].String()))
		}
	case "skip":
		defer delete(printed, key)
		return skip{pkg: e.Package, test: e.Test, reason: reasonIn(printed[key])}, true
	case "pass":
	default:
		return skip{}, false
	}
	delete(printed, key)
	return skip{}, false
}

// isClosing keeps what go test says of a package or of its build, but not the lines that say nothing.
func isClosing(e event) bool {
	return e.Output != "" && e.Output != "PASS\n" && !strings.Contains(e.Output, "[no test files]")
}

const (
	// maxFindings lines of a failing test are repeated, each at most maxFinding bytes long.
	maxFindings = 20
	maxFinding  = 600
)

// findings are the lines in which a failing test says what is wrong; a test that says nothing of the kind has its first
// lines repeated.
func findings(printed string) string {
	var said, first strings.Builder
	lines := 0
	for line := range strings.Lines(printed) {
		if strings.HasPrefix(line, "=== ") {
			continue
		}
		line = strings.TrimRight(line, "\n")
		line = line[:min(len(line), maxFinding)] + "\n"
		finding := strings.Contains(line, "_test.go:") || strings.Contains(line, "panic:") ||
			strings.Contains(line, "DATA RACE")
		if finding && strings.Count(said.String(), "\n") < maxFindings {
			said.WriteString(line)
		}
		if lines++; lines <= maxFindings {
			first.WriteString(line)
		}
	}
	if said.Len() == 0 {
		return first.String()
	}
	return said.String()
}

// reasonIn finds the message of t.Skip in what the test printed: "    file_test.go:12: reason".
func reasonIn(printed *strings.Builder) string {
	if printed == nil {
		return "no reason given"
	}
	var words []string
	for line := range strings.Lines(printed.String()) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "=== ") || strings.HasPrefix(line, "--- ") {
			continue
		}
		if _, message, found := strings.Cut(line, "_test.go:"); found {
			_, line, _ = strings.Cut(message, ": ")
		}
		words = append(words, line)
	}
	if len(words) == 0 {
		return "no reason given"
	}
	return strings.Join(words, " ")
}
