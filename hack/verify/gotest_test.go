package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// runGotest runs gotest.sh with a go that answers `go test` with these events, and fails if one of them does.
func runGotest(t *testing.T, events []string, hasMongos bool) (output, failures string, code int) {
	t.Helper()
	program, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	files := map[string]string{
		"events": strings.Join(events, "\n") + "\n",
		"go": fmt.Sprintf("#!/bin/sh\n[ \"$1\" = test ] || exec %s \"$@\"\ncat %s/events\n! grep -q '\"fail\"' %s/events\n",
			program, folder, folder),
	}
	if hasMongos {
		files["mongos"] = "#!/bin/sh\n"
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("CI", "true")
	t.Setenv("GOTEST_FAILURES", filepath.Join(folder, "failures"))
	command := exec.CommandContext(t.Context(), "./gotest.sh", "-C", folder, "./...")
	printed, err := command.CombinedOutput()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		t.Fatal(err)
	}
	found, err := os.ReadFile(filepath.Join(folder, "failures"))
	if err != nil {
		t.Fatal(err)
	}
	return string(printed), string(found), command.ProcessState.ExitCode()
}

// testA are the events of a test that prints this and ends so.
func testA(end string, printed ...string) []string {
	events := []string{`{"Action":"run","Package":"p","Test":"TestA"}`}
	for _, line := range printed {
		events = append(events, fmt.Sprintf(`{"Action":"output","Package":"p","Test":"TestA","Output":"%s\n"}`, line))
	}
	return append(events, fmt.Sprintf(`{"Action":%q,"Package":"p","Test":"TestA"}`, end),
		fmt.Sprintf(`{"Action":%q,"Package":"p","Elapsed":0.1}`, strings.Replace(end, "skip", "pass", 1)))
}

func TestGotest(t *testing.T) {
	for sentence, tc := range map[string]struct {
		events    []string
		hasMongos bool
		code      int
		// says and conceals are parts of the output, and failures is what is repeated.
		says, conceals, failures string
	}{
		"a package has a closing line": {events: testA("pass"), says: "PASS  p (100ms)\n"},
		"what a passing test prints is held back": {
			events: testA("pass", "=== RUN   TestA", "noise"), says: "PASS  p", conceals: "noise",
		},
		"what a failing test prints is passed on": {
			events: testA("fail", "    a_test.go:3: wrong"), code: 1, says: "    a_test.go:3: wrong\n",
			failures: "p TestA (0.00s)\n    a_test.go:3: wrong\n",
		},
		"of a failing test only what it found is repeated": {
			events: testA("fail", "=== RUN   TestA", "noise", "    a_test.go:3: wrong"), code: 1,
			says:     "noise\n    a_test.go:3: wrong\n",
			failures: "p TestA (0.00s)\n    a_test.go:3: wrong\n",
		},
		"a failing test that says nothing has its first lines repeated": {
			events: testA("fail", "=== RUN   TestA", "exit status 2"), code: 1, says: "exit status 2\n",
			failures: "p TestA (0.00s)\nexit status 2\n",
		},
		"an error of the compiler is passed on": {
			events: []string{`{"ImportPath":"p","Action":"build-output","Output":"a.go:1: syntax error\n"}`},
			says:   "a.go:1: syntax error\n",
		},
		"a line that is no event is passed on": {events: []string{"go: no such module"}, says: "go: no such module\n"},
		"a need that the machine lacks is excused": {
			events: testA("skip", "=== RUN   TestA", "    a_test.go:12: needs mongos: sharding", "--- SKIP: TestA (0.00s)"),
			says:   "=== SKIP: p TestA (0.00s)\n    a_test.go:12: needs mongos: sharding\n", conceals: "this machine can run",
		},
		"a need that the machine meets is not": {
			events: testA("skip", "    a_test.go:12: needs mongos: sharding"), hasMongos: true, code: 1,
			says: "this machine can run: p TestA (0.00s) a_test.go:12: needs mongos: sharding\n",
		},
		"a need that a test run can meet is not": {
			events: testA("skip", "    a_test.go:12: needs mongod: run make mongod"), code: 1, says: "1 tests were skipped",
		},
		"a skip for any other reason is not": {
			events: testA("skip", "    a_test.go:12: flaky"), code: 1,
			says: "this machine can run: p TestA (0.00s) a_test.go:12: flaky\n",
		},
		"a skip without a word is not": {events: testA("skip"), code: 1, says: "this machine can run: p TestA (0.00s)\n"},
	} {
		t.Run(sentence, func(t *testing.T) {
			output, failures, code := runGotest(t, tc.events, tc.hasMongos)
			if code != tc.code {
				t.Errorf("exit code %d, want %d", code, tc.code)
			}
			if !strings.Contains(output, tc.says) || tc.conceals != "" && strings.Contains(output, tc.conceals) {
				t.Errorf("it says %q, want %q and no %q", output, tc.says, tc.conceals)
			}
			if failures != tc.failures {
				t.Errorf("repeated: %q, want %q", failures, tc.failures)
			}
		})
	}
}
