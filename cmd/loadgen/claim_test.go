package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// TestARunKeepsOthersFromItsDatabaseUntilItIsGone: processes that know nothing of each other, and one of them killed.
func TestARunKeepsOthersFromItsDatabaseUntilItIsGone(t *testing.T) {
	server := mongotest.Start(t, mongotest.Versions()[1])
	first, _, _ := program(t, "run", "-f", longRun(t), "--uri", server.URI())
	stderr := startMeasured(t, first)
	readUntil(t, stderr, " ops/s")
	go func() { _, _ = stderr.Read(make([]byte, 1<<20)) }()

	second, _, said := program(t, "run", "-f", "testdata/run.yaml", "--uri", server.URI())
	if code := exitCodeOf(t, second.Run()); code != 1 {
		t.Errorf("beside a run that measures another one ended with %d", code)
	}
	for _, want := range []string{
		`database "by-hand" is in use`, "by-hand by hand on ", fmt.Sprintf("process %d", first.Process.Pid),
	} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("it says nothing of %q: %s", want, said)
		}
	}

	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait()
	third, stdout, said := program(t, "run", "-f", "testdata/run.yaml", "--uri", server.URI())
	if code := exitCodeOf(t, third.Run()); code != 0 {
		t.Fatalf("after the first was killed another one ended with %d: %s", code, said)
	}
	if !strings.Contains(stdout.String(), "2,000 documents") {
		t.Errorf("it has not loaded:\n%s", stdout)
	}
}
