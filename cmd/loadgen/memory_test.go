package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// The estimate of the memory of a load pod is held against what a process really took: never less, and at most three
// times as much, for what is there at the peak depends on when Go's collector last ran. The process is the program as
// it is released: this one may have the race detector in it, which takes several times the memory.
func TestTheMemoryOfARunIsKnownBeforehand(t *testing.T) {
	t.Parallel()
	released := filepath.Join(t.TempDir(), "loadgen")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", released, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // Which the race detector needs, and no release has.
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the program: %v: %s", err, out)
	}
	server := mongotest.Shared(t, mongotest.Newest())
	for name, tc := range map[string]struct {
		client              benchv1alpha1.Client
		threads, operations int
		// mebibytes is the most that the process may take.
		mebibytes int64
	}{
		"one thread":                      {benchv1alpha1.ClientApplication, 1, 1, 128},
		"as much as the API lets declare": {benchv1alpha1.ClientApplication, 4096, 32, 400},
		"as much as that over Wire":       {benchv1alpha1.ClientWire, 4096, 32, 400},
		"as much as that, prepared bytes": {benchv1alpha1.ClientDriver, 4096, 32, 400},
		// It takes 135 MiB, or 168 to 174 if the collector does not run once more before the peak, which is chance.
		"a thousand threads, one operation": {benchv1alpha1.ClientApplication, 1000, 1, 176},
	} {
		t.Run(name, func(t *testing.T) {
			took, told := memoryOf(t, released, server, manyThreads(tc.client, tc.threads, tc.operations))
			t.Logf("took %d MiB, told %d MiB", took>>20, told>>20)
			if took > told || told > took*3 {
				t.Errorf("the estimate is %d MiB and it took %d MiB: the constants of validation.Memory are wrong", told>>20,
					took>>20)
			}
			if took>>20 > tc.mebibytes {
				t.Errorf("it took %d MiB, more than %d", took>>20, tc.mebibytes)
			}
		})
	}
}

// memoryOf is how many bytes a process took at its peak that carried a run out, and what was told of it beforehand.
func memoryOf(t *testing.T, released string, server *mongotest.Server, declared string) (took, told int64) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "run.yaml")
	if err := os.WriteFile(file, []byte(declared), 0o600); err != nil {
		t.Fatal(err)
	}
	run, _, err := readRun(file)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	command := exec.CommandContext(t.Context(), released, "run", "-f", file, "--uri", server.URI(), "-o", folder)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	report := readReport(t, folder)
	// What the system says of a process that has ended contains what its parent had.
	for i := range report.Steps {
		took = max(took, report.Steps[i].Generator.PeakMemoryBytes)
	}
	return took, validation.Memory(run.Spec).Bytes
}

// manyThreads is a run of an open loop.
func manyThreads(client benchv1alpha1.Client, threads, operations int) string {
	var mix strings.Builder
	for i := range operations {
		fmt.Fprintf(&mix, `
          - name: read-%d
            kind: FindOne
            filter: {_id: {$param: id}}
            parameters: [{name: id, type: Key}]`, i)
	}
	return fmt.Sprintf(`apiVersion: mongobench.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: memory}
spec:
  loadGenerator: {client: %s, resources: {limits: {memory: 512Mi}}}
  dataset:
    load: {threads: 1}
    collections: [{name: c, documentCount: 1000, fields: [{name: _id, type: Sequence}]}]
  workload:
    steps:
      - name: reads
        threads: %d
        warmupSeconds: 1
        durationSeconds: 5
        arrival: {operationsPerSecond: 2000}
        operations:%s
`, client, threads, mix.String())
}

// By hand the limit is the memory of the machine or of GOMEMLIMIT, not that of a load pod, and all workers are in one
// process.
func TestARunByHandHasToFitInTheMemory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.yaml")
	content := strings.Replace(manyThreads(benchv1alpha1.ClientApplication, 4096, 32),
		"resources: {limits: {memory: 512Mi}}", "pods: 16, resources: {limits: {memory: 128Mi}}", 1)
	content = strings.Replace(content, "load: {threads: 1}", "load: {threads: 16}", 1)
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := readRun(file); err != nil {
		t.Error("there is memory enough:", err)
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(100 << 20))
	if _, _, err := readRun(file); err == nil || !strings.Contains(err.Error(), "in one process, and it has 100 MiB") {
		t.Errorf("got %v, want that it does not fit in 100 MiB", err)
	}
}

// The operator reckons with what the load generator does.
func TestMemoryIsReckonedForTheTalliesThereAre(t *testing.T) {
	if validation.Tallies != measure.MaxTallies {
		t.Errorf("memory is reckoned for %d tallies, and workers count in %d", validation.Tallies, measure.MaxTallies)
	}
}
