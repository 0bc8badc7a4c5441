package validation

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/spec/presets"
)

// What a load generator takes in resident memory at its peak, in bytes, with what Go's collector has not collected yet.
// They are measured: the test of cmd/loadgen that is named after the memory of a run holds them against a process.
const (
	// processBytes are those of one that does next to nothing.
	processBytes = 80 << 20
	// applicationBytes are garbage that the client Application lets come together before it is collected.
	applicationBytes = 40 << 20
	// A worker has a goroutine, a session and a connection with its buffers, and a prepared request for each operation.
	driverWorkerBytes, wireWorkerBytes            = 56 << 10, 20 << 10
	applicationRequestBytes, preparedRequestBytes = 1 << 10, 512
	// Each of Tallies has rows of rowBytes for each kind of times of each operation; the times of an operation lie in
	// about seven rows.
	rowBytes, usualRows = 4 << 10, 7
	// intervalBytes are those of a second of an operation while it is counted, and once more in the report, which the
	// steps before have left theirs in; a window has at most mostIntervals.
	countedIntervalBytes, reportedIntervalBytes = 264, 300
	mostIntervals                               = 7200
	// keyBytes are those of a key that is read from an existing collection: of a few short fields, while it is chosen.
	keyBytes = 200
	// idleBytes are those of a connection that sends nothing, with TLS.
	idleBytes = 40 << 10
	// replayedOperations are how many different ones of a recording are told apart, and replayBytes what is read ahead of
	// it and held to be brought into order, with what is not collected yet.
	replayedOperations, replayBytes = 32, 64 << 20
	// queuedBytes are those of an operation that is due and not sent.
	queuedBytes = 32
	// Halves of the documents of a batch that are held for each document in it: it is made, and sent, and the one before
	// is not collected yet.
	batchHalves = 5
)

// Tallies is the most that workers of a load pod count in. It is loadgen/measure's, which the operator does not have in
// it; a test of cmd/loadgen compares the two.
const Tallies = 8

// LoadMemory is what each load pod of a run takes at most.
type LoadMemory struct {
	// Bytes of resident memory. It is a little more than what was measured. What a reply takes is not known and not in
	// it.
	Bytes int64
	// Step is the place of the step of the workload that takes the most; -1 for the load.
	Step int
	// Workers are those of one load pod then.
	Workers int64
	// Collection is the one with the largest batches, Batch the documents in one of them, and DocumentBytes of each; of
	// the load only.
	Collection           string
	Batch, DocumentBytes int64
}

// Memory is what a load pod of a valid run takes.
func Memory(declared benchv1alpha1.BenchmarkRunSpec) LoadMemory {
	expanded, _ := presets.Expand(declared)
	normal := grown(spec.Normalise(expanded))
	return memoryOf(&normal)
}

// memoryOf is that of a normalised specification. Presets are written out in it.
func memoryOf(normal *benchv1alpha1.BenchmarkRunSpec) LoadMemory {
	most := loadMemory(normal)
	// The intervals of the steps before stay until the report is handed in.
	reported := int64(0)
	checkpoints := max(1, int64(len(benchv1alpha1.CheckpointSizes(normal.Workload.Growth))))
	for i := range normal.Workload.Steps {
		step := &normal.Workload.Steps[i]
		intervals := checkpoints * int64(max(1, len(spec.Sweep(*step)))) * seconds(step) * int64(len(step.Operations))
		reported += intervals * reportedIntervalBytes
		found := LoadMemory{Step: i, Workers: workers(threadsOf(step), normal)}
		found.Bytes = processBytes + stepMemory(step, found.Workers, normal) + reported + keyMemory(normal)
		if found.Bytes > most.Bytes {
			most = found
		}
	}
	return most
}

// keyMemory is what the keys of existing collections take, and what is kept of files.
func keyMemory(normal *benchv1alpha1.BenchmarkRunSpec) int64 {
	kept := int64(0)
	for i := range normal.Dataset.Files {
		kept += fileBytes(normal.Dataset.Files[i].FileSource)
	}
	if normal.Dataset.Existing == nil {
		return kept
	}
	return kept + int64(len(normal.Dataset.Collections))*int64(*normal.Dataset.Existing.SampledKeys)*keyBytes
}

// loadMemory is what the load takes.
func loadMemory(normal *benchv1alpha1.BenchmarkRunSpec) LoadMemory {
	most := LoadMemory{Step: -1, Workers: workers(*normal.Dataset.Load.Threads, normal)}
	for _, collection := range normal.Dataset.Collections {
		held := min(int64(*normal.Dataset.Load.BatchDocuments), ptr.Deref(collection.DocumentCount, 0))
		size := documentSize(collection.Fields).mean
		if most.Collection == "" || held*size > most.Batch*most.DocumentBytes {
			most.Collection, most.Batch, most.DocumentBytes = collection.Name, held, size
		}
	}
	most.Bytes = processBytes + keyMemory(normal) +
		most.Workers*(driverWorkerBytes+most.Batch*most.DocumentBytes*batchHalves/2)
	return most
}

// stepMemory is what a step takes beside the process.
func stepMemory(step *benchv1alpha1.Step, count int64, normal *benchv1alpha1.BenchmarkRunSpec) int64 {
	worker, request := int64(driverWorkerBytes), int64(preparedRequestBytes)
	switch *normal.LoadGenerator.Client {
	case benchv1alpha1.ClientWire:
		worker = wireWorkerBytes
	case benchv1alpha1.ClientApplication:
		request = applicationRequestBytes
	default:
	}
	operations, reading := int64(len(step.Operations)), int64(0)
	if step.Replay != nil {
		operations, reading = replayedOperations, replayBytes
	}
	// The time of the service, and in an open loop that of the response; twice, for the collector.
	times, queued := int64(1), mostQueued(step)
	if queued > 0 {
		times = 2
	}
	garbage := int64(0)
	if *normal.LoadGenerator.Client == benchv1alpha1.ClientApplication {
		garbage = applicationBytes
	}
	counted := min(count, Tallies) * operations * times * usualRows * rowBytes * 2
	series := 2 * operations * seconds(step) * countedIntervalBytes
	workers := count * (worker + operations*request + largestInsert(step, normal))
	return reading + garbage + workers + counted + series + queued*queuedBytes + idle(step, normal)*idleBytes
}

// idle is how many connections of a load pod send nothing, at most.
func idle(step *benchv1alpha1.Step, normal *benchv1alpha1.BenchmarkRunSpec) int64 {
	if step.Connections == nil {
		return 0
	}
	return workers(slices.Max(append(slices.Clone(step.Connections.IdleSweep), *step.Connections.Idle)), normal)
}

// mostQueued is how many operations of the open loops of a step may wait; 0 when it has none.
func mostQueued(step *benchv1alpha1.Step) int64 {
	queued := int64(0)
	if step.Search != nil {
		queued = benchv1alpha1.DefaultMaxQueued
	}
	if step.Arrival != nil {
		queued = *step.Arrival.MaxQueued
	}
	for _, group := range step.Groups {
		if group.Arrival != nil {
			queued += *group.Arrival.MaxQueued
		}
	}
	return queued
}

// largestInsert is the largest batch of documents that an operation of a step inserts, as a worker holds it.
func largestInsert(step *benchv1alpha1.Step, normal *benchv1alpha1.BenchmarkRunSpec) int64 {
	largest := int64(0)
	for i := range step.Operations {
		operation := &step.Operations[i]
		of := slices.IndexFunc(normal.Dataset.Collections, func(c benchv1alpha1.Collection) bool {
			return c.Name == operation.Collection
		})
		if operation.Kind != benchv1alpha1.OperationInsertMany || of < 0 {
			continue
		}
		size := documentSize(normal.Dataset.Collections[of].Fields).mean
		largest = max(largest, int64(operation.BatchDocuments)*size*batchHalves/2)
	}
	return largest
}

// seconds is how many intervals of a step's measure window are kept.
func seconds(step *benchv1alpha1.Step) int64 {
	return min(int64(ptr.Deref(step.DurationSeconds, 0)), mostIntervals)
}

// threadsOf is the most threads that a step has at a time.
func threadsOf(step *benchv1alpha1.Step) int32 {
	together := ptr.Deref(step.Threads, 0)
	for _, group := range step.Groups {
		together += *group.Threads
	}
	return max(together, slices.Max(append(slices.Clone(step.ThreadSweep), 1)))
}

// workers are those of the pod that has the most of some threads.
func workers(threads int32, normal *benchv1alpha1.BenchmarkRunSpec) int64 {
	pods := *normal.LoadGenerator.Pods
	return int64((threads + pods - 1) / pods)
}

// validateMemory refuses a run whose load pods would need more memory than they may have: Go's collector would work all
// the time, which the figures would show, or the kernel would end the process.
func validateMemory(found *product.Findings, normal *benchv1alpha1.BenchmarkRunSpec, path *field.Path) {
	needed, limit := memoryOf(normal), normal.LoadGenerator.Resources.Limits.Memory().Value()
	if needed.Bytes <= limit {
		return
	}
	const remedy = "about %d MiB of memory, and its limit is %d MiB; "
	takes, has := (needed.Bytes+1<<20-1)>>20, limit>>20
	if needed.Step < 0 {
		found.Refuse(true, path.Child("dataset", "load", "batchDocuments"), *normal.Dataset.Load.BatchDocuments,
			"a load pod with %s and %d documents for each, of about %d bytes in collection %s, needs "+remedy+
				"lower batchDocuments or load.threads, or raise spec.loadGenerator.resources.limits.memory",
			present.Plural(needed.Workers, "worker"), needed.Batch, needed.DocumentBytes, needed.Collection, takes, has)
		return
	}
	step := &normal.Workload.Steps[needed.Step]
	found.Refuse(true, path.Child("workload", "steps").Index(needed.Step), step.Name,
		"a load pod with %s and %s needs "+remedy+
			"raise spec.loadGenerator.resources.limits.memory or loadGenerator.pods, or lower the threads of the step",
		present.Plural(needed.Workers, "worker"), present.Plural(int64(len(step.Operations)), "operation"), takes, has)
}
