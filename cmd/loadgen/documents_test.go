package main

import (
	"testing"

	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// TestDocumentsInYAML runs operations whose documents are objects and lists, with types of Extended JSON and fields of
// loaded documents in them: all of them succeed, and find what they are to.
func TestDocumentsInYAML(t *testing.T) {
	uri := mongotest.Shared(t, "6.0.5").URI()
	command, _, stderr := program(t, "run", "-f", "testdata/documents.yaml", "--uri", uri)
	if code := exitCodeOf(t, command.Run()); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
}
