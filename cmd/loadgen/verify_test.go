package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// loadedBy runs a file against a server, and returns its path.
func loadedBy(t *testing.T, content, uri string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.yaml")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	command, _, stderr := program(t, "run", "-f", path, "--uri", uri)
	if code := exitCodeOf(t, command.Run()); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	return path
}

func TestVerify(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("testdata/verify.yaml")
	if err != nil {
		t.Fatal(err)
	}
	reading := string(content)
	// The same dataset, and a workload that changes one of its documents.
	const update = "kind: UpdateOne\n        update: '{\"$set\": {\"value\": -1}}'"
	writing := strings.Replace(reading, "kind: FindOne", update, 1)
	uri := mongotest.Shared(t, "6.0.5").URI()
	for name, tc := range map[string]struct {
		run       string
		arguments []string
		wantCode  int
		want      []string
	}{
		"all that was loaded is there": {
			reading,
			[]string{"--all"},
			0,
			[]string{
				"to-verify.events: 1500 documents of 1500, 1500 compared, 0 different\n",
				"not compared: it is capped",
			},
		},
		"dates around the load that was": {
			strings.Replace(reading, "{name: value, type: Int}",
				"{name: value, type: Date, date: {minOffsetSeconds: -60, maxOffsetSeconds: 0}}", 1),
			[]string{"--all"},
			0,
			[]string{"to-verify.events: 1500 documents of 1500, 1500 compared, 0 different\n"},
		},
		"a sample of it": {
			reading, []string{"--sample", "10"}, 0, []string{"1500 documents of 1500, 10 compared, 0 different\n"},
		},
		"its number alone": {
			writing, []string{"--sample", "0"}, 0, []string{"to-verify.events: 1500 documents of 1500\n"},
		},
		"a document that was changed": {
			writing,
			[]string{"--all"},
			1,
			[]string{"1500 compared, 1 different\n", `field "value" is {"$numberInt":"-1"}, and was to be`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := loadedBy(t, tc.run, uri)
			command, stdout, stderr := program(t, append([]string{"verify", "-f", path, "--uri", uri}, tc.arguments...)...)
			if code := exitCodeOf(t, command.Run()); code != tc.wantCode {
				t.Fatalf("exit code %d, want %d: %s", code, tc.wantCode, stderr)
			}
			for _, want := range tc.want {
				if said := stdout.String() + stderr.String(); !strings.Contains(said, want) {
					t.Errorf("it said %q, want %q", said, want)
				}
			}
		})
	}
}
