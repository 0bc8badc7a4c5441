package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// later makes a report as a later release may write it: with fields that nobody knows yet, and words that no list has.
func later(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	for old, replaced := range map[string]string{
		`"planHash":`: `"haste": {"much": 1}, "planHash":`, `"startSkewMicros":`: `"haste": [1], "startSkewMicros":`,
		`"kind": "Prepare"`: `"kind": "Ponder"`, `"topology": "Standalone"`: `"topology": "Torus"`,
		`"role": "standalone"`: `"role": "oracle"`, `"storageEngine":`: `"moon": "full", "storageEngine":`,
	} {
		changed := strings.ReplaceAll(text, old, replaced)
		if changed == text {
			t.Errorf("the report has no %s", old)
		}
		text = changed
	}
	file := filepath.Join(t.TempDir(), "report.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestReportOfALaterReleaseIsReadAsFarAsItIsKnown in every form, and what was left out is told beside it.
func TestReportOfALaterReleaseIsReadAsFarAsItIsKnown(t *testing.T) {
	file := later(t)
	for _, form := range runForms.names() {
		t.Run(form, func(t *testing.T) {
			out, errOut, code := alone(t, "report", "-f", file, "-o", form, "--out", filepath.Join(t.TempDir(), "report"))
			if code != 0 {
				t.Fatalf("exit code %d: %s%s", code, out, errOut)
			}
			const want = "is of a later release than this program, which leaves out haste, server.moon, steps[].haste\n"
			if !strings.HasPrefix(errOut, "note: ") || !strings.HasSuffix(errOut, want) {
				t.Errorf("beside the report it says %q, want %q", errOut, want)
			}
		})
	}
}
