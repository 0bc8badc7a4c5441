package measure_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// seen is one operation that a worker of a test had.
type seen struct {
	operation int
	sample    measure.Sample
	err       error
}

// days are operations of workers, each of which goes through all three intervals of a window.
func days(workers, each int) [][]seen {
	rng := rand.New(rand.NewPCG(1, 2))
	all := make([][]seen, workers)
	for w := range all {
		for n := range each {
			took := time.Duration(rng.ExpFloat64() * float64(5*time.Millisecond))
			one := seen{operation: rng.IntN(2), sample: measure.Sample{
				At: time.Duration(n) * 3 * time.Second / time.Duration(each), Service: took, Response: 2 * took, Documents: 3,
			}}
			if rng.IntN(20) == 0 {
				one.err = errors.New("timed out")
			}
			all[w] = append(all[w], one)
		}
	}
	return all
}

func (s seen) record(with *measure.Recorder) {
	with.Sent(s.sample.At, s.sample.Response-s.sample.Service, s.operation == 0)
	if s.err != nil {
		with.Failure(s.operation, s.sample, reportv1.ClassTimeout, s.err)
		return
	}
	with.Success(s.operation, s.sample)
}

// record has a worker for each list, all at the same time, while somebody looks.
func record(with *measure.Recording, worked [][]seen) {
	recorders := recordersOf(with, len(worked))
	var working sync.WaitGroup
	for w, recorder := range recorders {
		working.Go(func() {
			for _, did := range worked[w] {
				did.record(recorder)
			}
		})
	}
	for range 10 {
		with.Live()
	}
	working.Wait()
}

// TestWorkersThatShareTalliesLoseNothing: what 100 workers record at the same time is what one alone would have.
func TestWorkersThatShareTalliesLoseNothing(t *testing.T) {
	worked := days(100, 300)
	for name, published := range map[string]bool{"handed in at the end": false, "handed in meanwhile": true} {
		t.Run(name, func(t *testing.T) {
			alone := measure.NewRecording(mixOfTwo, true, 3*time.Second)
			together := measure.NewRecording(mixOfTwo, true, 3*time.Second)
			if published {
				together.Publish()
			}
			record(alone, [][]seen{slices.Concat(worked...)})
			record(together, worked)
			want, got := reported(t, alone), reported(t, together)
			if difference := cmp.Diff(want, got); difference != "" {
				t.Errorf("one worker (-) and a hundred (+):\n%s", difference)
			}
		})
	}
}

// reported is all that a recording reports.
func reported(t *testing.T, recording *measure.Recording) []any {
	t.Helper()
	operations, err := recording.Operations()
	if err != nil {
		t.Fatal(err)
	}
	arrivals, err := recording.Arrivals()
	if err != nil {
		t.Fatal(err)
	}
	return []any{operations, arrivals, recording.Percentile(99_000)}
}

// TestMemoryDoesNotGrowWithWorkers: 4,096 workers with 32 operations each record times of all ranges.
func TestMemoryDoesNotGrowWithWorkers(t *testing.T) {
	const operations, mebibytes = 32, 96
	heap := func() int64 {
		var now runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&now)
		return int64(now.HeapAlloc)
	}
	before := heap()
	recording := measure.NewRecording(make([]reportv1.Operation, operations), true, time.Minute)
	recorders := make([]*measure.Recorder, 4096)
	for i := range recorders {
		recorders[i] = recording.Recorder()
	}
	for number, recorder := range recorders {
		for operation := range operations {
			// From 1 µs to 16 s: 15 rows of a histogram.
			took := time.Microsecond << ((number + operation) % 25)
			recorder.Sent(0, took, true)
			recorder.Success(operation, measure.Sample{Service: took, Response: took, First: took})
		}
	}
	if took := heap() - before; took > mebibytes<<20 {
		t.Errorf("it took %d MiB, want %d MiB or less", took>>20, mebibytes)
	}
	runtime.KeepAlive(recording)
}

func TestSharedRecordingAllocatesNothing(t *testing.T) {
	recording := measure.NewRecording(mixOfTwo, true, time.Minute)
	recorders := make([]*measure.Recorder, 10*measure.MaxTallies)
	for i := range recorders {
		recorders[i] = recording.Recorder()
	}
	all := func() {
		for _, recorder := range recorders {
			recorder.Sent(0, time.Millisecond, true)
			recorder.Success(0, measure.Sample{Service: time.Millisecond, Response: time.Millisecond})
		}
	}
	all()
	if allocations := testing.AllocsPerRun(100, all); allocations != 0 {
		t.Errorf("%v allocations, want none", allocations)
	}
}

// BenchmarkCrowd is what recording costs when workers take turns, so that what each of them writes to has left the
// processor's caches where it is not shared. Of 4,096 workers with eight operations it took four times as long while
// each had histograms of its own.
func BenchmarkCrowd(b *testing.B) {
	for _, workers := range []int{1, 16, 256, 4096} {
		b.Run(fmt.Sprintf("%d workers", workers), func(b *testing.B) {
			const operations, different = 8, 4096
			recording := measure.NewRecording(make([]reportv1.Operation, operations), true, time.Minute)
			recorders := make([]*measure.Recorder, workers)
			for i := range recorders {
				recorders[i] = recording.Recorder()
			}
			rng := rand.New(rand.NewPCG(1, 2))
			var samples [different]measure.Sample
			for i := range samples {
				took := time.Duration(rng.ExpFloat64() * float64(2*time.Millisecond))
				samples[i] = measure.Sample{Service: took, Response: took + took/10}
			}
			b.ReportAllocs()
			for i := range b.N {
				sample := samples[i%different]
				sample.At = time.Duration(i) * 10 * time.Microsecond
				recorders[i%workers].Success(i%operations, sample)
			}
		})
	}
}

// BenchmarkTogether is what recording costs when all processors do it at the same time, and nothing else: a hundred
// times as often as a load generator could.
func BenchmarkTogether(b *testing.B) {
	recording := measure.NewRecording(mixOfTwo, true, time.Hour)
	recorders := make(chan *measure.Recorder, 1024)
	for range cap(recorders) {
		recorders <- recording.Recorder()
	}
	b.RunParallel(func(loop *testing.PB) {
		recorder := <-recorders
		for loop.Next() {
			recorder.Success(0, measure.Sample{Service: time.Millisecond, Response: time.Millisecond})
		}
	})
}
