package outlet

import (
	"bufio"
	"fmt"
	"io"
	"math/bits"
	"sync"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// Operations writes a sample of the operations: in each second, of each operation of a step and each octave of its
// latency, at most so many, and of those that failed as many again. See the package's comment.
//
// It holds as many as it may write in a second, and what a worker waits for is at most the time in which another one
// puts an operation there. One whose hash is too large for its class is counted, and waits for nobody.
type Operations struct {
	most   int
	seed   int64
	pod    int
	ticker *ticking

	// step is set between Begin and End, when no worker is at work.
	step *sampledStep

	// mutex is held by who writes.
	mutex  sync.Mutex
	to     *bufio.Writer
	format recordFormat
	result reportv1.Outlet
}

// Format is how a sampled operation is written.
type Format string

// The formats of logs of operations.
const (
	CSV    Format = "CSV"
	NDJSON Format = "NDJSON"
)

// Sampling says what a log of operations has.
type Sampling struct {
	// Name of the log, for people, and the Format of its lines.
	Name   string
	Format Format
	// Most operations a second of each class.
	Most int
	// Seed of the run, and the number of the Pod.
	Seed int64
	Pod  int
}

// NewOperations begins a log of operations.
func NewOperations(of Sampling, to io.Writer) *Operations {
	o := &Operations{
		most: of.Most, seed: of.Seed, pod: of.Pod, to: bufio.NewWriter(to), format: csvRecord,
		result: reportv1.Outlet{Name: of.Name},
	}
	if of.Format == NDJSON {
		o.format = jsonRecord
	} else {
		_, err := io.WriteString(o.to, csvHead)
		o.failed(err)
	}
	o.ticker = tick(measure.Interval, o.write)
	return o
}

// Begin is that of a Watcher.
func (o *Operations) Begin(step planv1.Step) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.step = &sampledStep{
		name: step.Name, planned: step.Operations, most: o.most, seed: uint64(o.seed),
		operations: make([]sampledOperation, len(step.Operations)),
	}
}

// Record is that of a Watcher. Operations come by Sample.
func (*Operations) Record(...measure.Recorded) {}

// End writes what is left of the step.
func (o *Operations) End() {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.writeLocked()
	o.step = nil
}

// Finish is that of an Outlet.
func (o *Operations) Finish() reportv1.Outlet {
	o.ticker.stop()
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.failed(o.to.Flush())
	return o.result
}

// Sample is that of a Sampler. It allocates nothing but for the first operation of a class.
func (o *Operations) Sample(sampled *loadgen.Sampled) { o.step.add(sampled) }

func (o *Operations) write() {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.writeLocked()
}

// writeLocked writes what was sampled since it was last called.
func (o *Operations) writeLocked() {
	if o.step == nil {
		return
	}
	for index := range o.step.operations {
		o.step.operations[index].take(func(number int, class *taken) {
			for i := range class.kept {
				line := record{
					step: o.step.name, planned: &o.step.planned[index], pod: o.pod, sampled: &class.kept[i].Sampled,
					count: class.count, kept: len(class.kept), lowest: lowestOf(number),
				}
				if o.failed(o.format(o.to, line)) {
					o.result.Lost++
				} else {
					o.result.Written++
				}
			}
		})
	}
	o.failed(o.to.Flush())
}

// failed says whether there was an error, and keeps the first.
func (o *Operations) failed(err error) bool {
	if err != nil && o.result.Error == "" {
		o.result.Error = fmt.Sprintf("writing: %v", err)
	}
	return err != nil
}

// classes are the octaves of an hour in microseconds, of operations that succeeded and then of those that failed.
const (
	octaves = 32
	classes = 2 * octaves
)

// classOf is the class of an operation.
func classOf(sampled *loadgen.Sampled) int {
	micros := min(max(sampled.Latency.Microseconds(), 1), reportv1.HistogramHighestMicros)
	class := bits.Len64(uint64(micros)) - 1
	if sampled.Class != "" {
		class += octaves
	}
	return class
}

// lowestOf is the smallest latency of a class, in microseconds. That of the first has the zeros too.
func lowestOf(class int) int64 {
	if octave := class % octaves; octave > 0 {
		return 1 << octave
	}
	return 0
}
