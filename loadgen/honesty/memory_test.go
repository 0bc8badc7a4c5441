package honesty

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// mostThreads and mostOperations are what the API lets declare at most.
const (
	mostThreads    = 4096
	mostOperations = 32
)

// TestMemory: what the whole process takes is measured by cmd/loadgen's TestTheMemoryOfARunIsKnownBeforehand.
func TestMemory(t *testing.T) {
	Check(t, Scenario{
		Item: "A17", Name: "the largest open loop in a load pod of 256 MiB",
		Truth: "the process takes some 300 MiB (go test ./cmd/loadgen -run TheMemoryOfARun)",
		Run: func(t *testing.T) Told {
			t.Helper()
			refused := validation.ValidateRun(largestRun(t)).ToAggregate()
			if refused == nil || !strings.Contains(refused.Error(), "MiB of memory, and its limit is 256 MiB") {
				return Told{Reported: fmt.Sprint("no word of memory: ", refused), Wrong: true}
			}
			return Told{Reported: refused.Error()}
		},
	})
	Check(t, Scenario{
		Item: "A17", Name: "the histograms of the largest open loop",
		Truth: "the process as a whole must fit in 400 MiB", Run: func(*testing.T) Told {
			const limit = 64 << 20
			taken := histogramsOfLargest()
			return Told{
				Reported: fmt.Sprintf("they take %d MiB of them, and may take %d", taken>>20, limit>>20), Wrong: taken > limit,
			}
		},
	})
}

// largestRun is one with as many threads and operations as can be declared.
func largestRun(t *testing.T) *benchv1alpha1.BenchmarkRun {
	t.Helper()
	run := &benchv1alpha1.BenchmarkRun{}
	declared := fmt.Appendf(nil, `
metadata: {name: largest, namespace: honesty}
spec:
  target: {mongodb: {version: "6.0.5"}}
  loadGenerator: {resources: {limits: {memory: 256Mi}}}
  dataset: {collections: [{name: things, documentCount: 1000}]}
  workload: {steps: [{name: reads, durationSeconds: 5, threads: %d, arrival: {operationsPerSecond: 2000}}]}
`, mostThreads)
	if err := yaml.UnmarshalStrict(declared, run); err != nil {
		t.Fatal(err)
	}
	for i := range mostOperations {
		read := benchv1alpha1.Operation{Name: fmt.Sprint("read-", i)}
		read.Kind, read.Filter = benchv1alpha1.OperationFindOne, "{}"
		step := &run.Spec.Workload.Steps[0]
		step.Operations = append(step.Operations, read)
	}
	return run
}

// histogramsOfLargest is how many bytes of the heap its recorders take once each has seen times of all sizes.
func histogramsOfLargest() int64 {
	heap := func() int64 {
		runtime.GC()
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		return int64(now.HeapAlloc)
	}
	before := heap()
	recording := measure.NewRecording(make([]reportv1.Operation, mostOperations), true, time.Minute)
	recorders := make([]*measure.Recorder, mostThreads)
	for i := range recorders {
		recorders[i] = recording.Recorder()
		for operation := range mostOperations {
			took := time.Microsecond << (i / measure.MaxTallies % mostOperations)
			recorders[i].Success(operation, measure.Sample{Service: took, Response: took})
		}
	}
	taken := heap() - before
	runtime.KeepAlive(recording)
	runtime.KeepAlive(recorders)
	return taken
}
