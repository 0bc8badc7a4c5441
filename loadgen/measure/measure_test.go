package measure_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

func TestHistogramIsTheSameAsAnHDRHistogram(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	edges := []int64{0, 1, 1023, 1024, 2047, 2048, 2049, 4095, 4096, reportv1.HistogramHighestMicros}
	const drawn = 100_000
	values := append(make([]int64, 0, len(edges)+drawn), edges...)
	for range drawn {
		values = append(values, random.Int64N(1<<random.IntN(32))%reportv1.HistogramHighestMicros)
	}
	want := reportv1.NewHistogram()
	var recorded measure.Histogram
	for _, value := range values {
		if err := want.RecordValue(value); err != nil {
			t.Fatal(err)
		}
		recorded.Record(value)
	}
	got := reportv1.NewHistogram()
	recorded.AddTo(got)
	if !got.Equals(want) {
		t.Errorf("other counts than an HDR histogram of the same values: total %d and %d, max %d and %d",
			got.TotalCount(), want.TotalCount(), got.Max(), want.Max())
	}
}

func TestHistogramCountsWhatIsOutOfRangeAtItsEnds(t *testing.T) {
	var recorded measure.Histogram
	recorded.Record(-5)
	recorded.Record(2 * reportv1.HistogramHighestMicros)
	got := reportv1.NewHistogram()
	recorded.AddTo(got)
	if got.Min() != 0 || got.TotalCount() != 2 || !got.ValuesAreEquivalent(got.Max(), reportv1.HistogramHighestMicros) {
		t.Errorf("%d values from %d to %d, want 2 from 0 to an hour", got.TotalCount(), got.Min(), got.Max())
	}
}

func TestARecordingAddsUpWhatTheWorkersSaw(t *testing.T) {
	const ms = time.Millisecond
	recording := measure.NewRecording([]reportv1.Operation{{Name: "a", Kind: "Find"}, {Name: "b", Kind: "FindOne"}},
		true, time.Minute)
	one, other := recording.Recorder(), recording.Recorder()
	first := measure.Sample{At: 100 * ms, Service: 1500 * time.Microsecond, Response: 3 * ms, First: ms, Documents: 3}
	one.Success(0, first)
	one.Success(0, measure.Sample{
		At: 2500 * ms, Service: 1500 * time.Microsecond, Response: 1501 * time.Microsecond,
		First: ms, Documents: 3, Retries: 2,
	})
	one.Failure(0, measure.Sample{At: 2600 * ms, Retries: 1}, "network",
		errors.New("reading from mongodb://name:se@cret@host/db: broken"))
	other.Success(0, measure.Sample{At: 2999 * ms, Service: 900 * time.Microsecond, Response: ms, Documents: 1})
	other.Success(1, measure.Sample{At: -ms, Service: time.Second, Response: time.Second})
	other.Success(1, measure.Sample{At: 5, Documents: 1, Unacknowledged: true})
	other.Failure(0, measure.Sample{At: ms}, "timeout", errors.New(strings.Repeat("x", 1000)))
	other.Failure(0, measure.Sample{At: 2 * ms, Service: 4 * ms, Response: 5 * ms}, "timeout", errors.New("second"))

	merged, err := recording.Operations()
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, encoded          string
		count, lowest, highest int64
	}{
		{"service times", merged[0].ServiceTime, 3, 900, 1500},
		{"response times", merged[0].ResponseTime, 3, 1000, 3000},
		{"first documents", merged[0].FirstDocument, 2, 1000, 1000},
		{"service times of b", merged[1].ServiceTime, 1, 1_000_000, 1_000_000},
		{"service times of failures", merged[0].FailedServiceTime, 3, 0, 4000},
		{"response times of failures", merged[0].FailedResponseTime, 3, 0, 5000},
	} {
		got, err := reportv1.DecodeHistogram(tc.encoded)
		if err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		if got.TotalCount() != tc.count || !got.ValuesAreEquivalent(got.Min(), tc.lowest) ||
			!got.ValuesAreEquivalent(got.Max(), tc.highest) {
			t.Errorf("%s: %d from %d to %d, want %d from %d to %d", tc.name,
				got.TotalCount(), got.Min(), got.Max(), tc.count, tc.lowest, tc.highest)
		}
	}
	if merged[1].FirstDocument != "" {
		t.Error("an operation without a cursor has a time to the first document")
	}
	for i := range merged {
		merged[i].ServiceTime, merged[i].ResponseTime, merged[i].FirstDocument = "", "", ""
		merged[i].FailedServiceTime, merged[i].FailedResponseTime = "", ""
	}
	times := func(micros ...int64) []int64 {
		var counts []int64
		for _, time := range micros {
			for len(counts) <= reportv1.IntervalBucket(time) {
				counts = append(counts, 0)
			}
			counts[reportv1.IntervalBucket(time)]++
		}
		return counts
	}
	want := []reportv1.Operation{
		{
			Name: "a", Kind: "Find", Count: 3, Errors: 3, Documents: 7, Retries: 3, BusyMicros: 5900,
			Intervals: []int64{1, 0, 2}, IntervalErrors: []int64{2, 0, 1},
			// Timeouts are among the times, and a broken connection is not.
			IntervalTimes: [][]int64{times(3000, 0, 5000), {}, times(1501, 1000)},
			ErrorClasses: []reportv1.ErrorClass{
				{Class: "timeout", Count: 2, FirstMessage: strings.Repeat("x", 500) + "..."},
				{Class: "network", Count: 1, FirstMessage: "reading from mongodb://***@host/db: broken"},
			},
		},
		{
			Name: "b", Kind: "FindOne", Count: 2, Documents: 1, Unacknowledged: 1,
			Intervals: []int64{2}, IntervalTimes: [][]int64{times(1_000_000)},
		},
	}
	if diff := cmp.Diff(want, merged); diff != "" {
		t.Errorf("merged operations (-want +got):\n%s", diff)
	}
}

func TestRecordingAllocatesNothingOnceTheLatenciesWereSeen(t *testing.T) {
	for name, open := range map[string]bool{"closed loop": false, "open loop": true} {
		t.Run(name, func(t *testing.T) {
			recorder := measure.NewRecording(make([]reportv1.Operation, 1), open, time.Minute).Recorder()
			sample := measure.Sample{
				At: 30 * time.Second, Service: 1234 * time.Microsecond, Response: 2 * time.Second, First: time.Millisecond,
			}
			record := func() {
				recorder.Sent(time.Second, time.Microsecond, true)
				recorder.Success(0, sample)
			}
			record()
			if allocations := testing.AllocsPerRun(1000, record); allocations != 0 {
				t.Errorf("%v allocations a record, want 0", allocations)
			}
		})
	}
}

func TestUsageOfABusyProcess(t *testing.T) {
	t.Setenv(measure.CPULimitVariable, "1000")
	before := measure.ReadUsage()
	deadline := time.Now().Add(50 * time.Millisecond)
	for time.Now().Before(deadline) {
	}
	used := measure.ReadUsage().Since(before)
	if used.CPUMicros <= 0 || used.AvailableCPUMicros < 50_000 || used.BusiestPodPercent <= 0 {
		t.Errorf("a busy loop of 50 ms with one core: %+v", used)
	}
}

func TestUsageTellsOfTheCollectorAndTheMemory(t *testing.T) {
	before := measure.ReadUsage()
	ballast := make([][]byte, 64)
	for i := range ballast {
		ballast[i] = make([]byte, 1<<20)
		ballast[i][i] = 1
	}
	runtime.GC()
	runtime.KeepAlive(ballast)
	used := measure.ReadUsage().Since(before)
	if used.GCCPUMicros <= 0 || used.GCPauseMicros <= 0 || used.Processors != runtime.GOMAXPROCS(0) {
		t.Errorf("after a collection: %+v", used)
	}
	if runtime.GOOS == "linux" && used.PeakMemoryBytes < 1<<20 {
		t.Errorf("the peak of the memory is %d bytes", used.PeakMemoryBytes)
	}
}

func TestAvailableCPUIsNoMoreThanGoUses(t *testing.T) {
	t.Setenv(measure.CPULimitVariable, "64000")
	// Both readings lie within these two instants, however long either of them takes.
	begin := time.Now()
	before := measure.ReadUsage()
	for time.Since(begin) < 20*time.Millisecond {
	}
	used := measure.ReadUsage().Since(before)
	most := (time.Since(begin) + time.Microsecond).Microseconds() * int64(runtime.GOMAXPROCS(0))
	if used.AvailableCPUMicros > most {
		t.Errorf("%d µs of CPU were available, and Go cannot use more than %d", used.AvailableCPUMicros, most)
	}
}

func TestWaitedTimeIsThatOfAllThreads(t *testing.T) {
	folder := t.TempDir()
	for thread, content := range map[string]string{
		"1": "5000 1500 7\n", "2": "9 20 1\n", "3": "", "4": "1 many 1\n", "5": "12\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, thread), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := measure.WaitedTime(filepath.Join(folder, "*")); got != 1520 {
		t.Errorf("waited for %s, want 1.52µs", got)
	}
	if got := measure.WaitedTime(filepath.Join(folder, "none", "*")); got != 0 {
		t.Errorf("waited for %s where the kernel does not tell", got)
	}
}

func TestPeakMemory(t *testing.T) {
	for name, tc := range map[string]struct {
		content string
		want    int64
	}{
		"in KiB":       {"Name:\tloadgen\nVmPeak:\t   99 kB\nVmHWM:\t   12345 kB\nVmRSS:\t 1 kB\n", 12345 << 10},
		"no such line": {"Name:\tloadgen\n", 0},
		"no number":    {"VmHWM:\tmuch\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "status")
			if err := os.WriteFile(file, []byte(tc.content), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := measure.PeakMemory(file); got != tc.want {
				t.Errorf("got %d bytes, want %d", got, tc.want)
			}
		})
	}
	if got := measure.PeakMemory(filepath.Join(t.TempDir(), "missing")); got != 0 {
		t.Errorf("got %d bytes where the kernel does not tell", got)
	}
}

func TestThrottledTime(t *testing.T) {
	for name, tc := range map[string]struct {
		content string
		want    time.Duration
	}{
		"version 2 in microseconds": {"usage_usec 5\nnr_throttled 2\nthrottled_usec 1500\n", 1500 * time.Microsecond},
		"version 1 in nanoseconds":  {"nr_periods 7\nnr_throttled 2\nthrottled_time 1500\n", 1500 * time.Nanosecond},
		"no such line":              {"usage_usec 5\n", 0},
		"no number":                 {"throttled_usec many\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "cpu.stat")
			if err := os.WriteFile(file, []byte(tc.content), 0o600); err != nil {
				t.Fatal(err)
			}
			got := measure.ThrottledTime([]string{filepath.Join(t.TempDir(), "missing"), file})
			if got != tc.want {
				t.Errorf("throttled for %s, want %s", got, tc.want)
			}
		})
	}
}

func TestWhatTheMachineLoses(t *testing.T) {
	for name, tc := range map[string]struct {
		read    func(string) time.Duration
		content string
		want    time.Duration
	}{
		"steal in hundredths of a second": {
			measure.StealTime, "cpu  98437 1396 28197 25865 579 0 180 157 0 0\ncpu0 48684 693 13936 13954 74 0 25 68 0 0\n",
			1570 * time.Millisecond,
		},
		"no steal from an old kernel": {measure.StealTime, "cpu  1 2 3 4\n", 0},
		"pressure in microseconds": {
			measure.PressureTime, "some avg10=27.28 avg60=28.35 avg300=44.93 total=402305\nfull avg10=0 total=7\n",
			402305 * time.Microsecond,
		},
		"no pressure from a kernel that has it off": {measure.PressureTime, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(file, []byte(tc.content), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := tc.read(file); got != tc.want {
				t.Errorf("%s were lost, want %s", got, tc.want)
			}
			if got := tc.read(filepath.Join(t.TempDir(), "missing")); got != 0 {
				t.Errorf("a file that is missing says %s", got)
			}
		})
	}
}

func BenchmarkRecord(b *testing.B) {
	for name, open := range map[string]bool{"closed loop": false, "open loop": true} {
		b.Run(name, func(b *testing.B) {
			recorder := measure.NewRecording(make([]reportv1.Operation, 1), open, time.Minute).Recorder()
			b.ReportAllocs()
			for i := range b.N {
				latency := time.Duration(i%100_000) * time.Microsecond
				recorder.Success(0, measure.Sample{
					At: time.Duration(i) * 10 * time.Microsecond, Service: latency, Response: latency * 2,
				})
			}
		})
	}
}

func TestWhatIsWithinLimitsIsCountedToTheNanosecond(t *testing.T) {
	mix := []reportv1.Operation{
		{Name: "a", Kind: "Find", Within: []reportv1.Within{{LimitMicros: 1000}, {LimitMicros: 2000}}},
		{Name: "b", Kind: "Find"},
	}
	for name, open := range map[string]bool{"closed loop": false, "open loop": true} {
		t.Run(name, func(t *testing.T) {
			recording := measure.NewRecording(mix, open, time.Minute)
			recording.Publish()
			recordAroundLimits(recording, open)
			got, err := recording.Operations()
			if err != nil {
				t.Fatal(err)
			}
			want := []reportv1.Within{{LimitMicros: 1000, Count: 3}, {LimitMicros: 2000, Count: 9}}
			if diff := cmp.Diff(want, got[0].Within); diff != "" || got[0].Skipped != 3 || got[1].Within != nil {
				t.Errorf("%d skipped, want 3; of another operation within %v; within (-want +got):\n%s", got[0].Skipped,
					got[1].Within, diff)
			}
		})
	}
	if mix[0].Within[0].Count != 0 {
		t.Error("the mix that was given is changed")
	}
}

// recordAroundLimits records, in each of three seconds, times on both sides of 1 and 2 ms, a failure, an operation
// without a time, and one that is skipped.
func recordAroundLimits(recording *measure.Recording, open bool) {
	const limit = time.Millisecond
	recorder, other := recording.Recorder(), recording.Recorder()
	for second := range 3 {
		at := time.Duration(second) * time.Second
		for _, took := range []time.Duration{limit, limit + 1, 2 * limit, 2*limit + 1} {
			sample := measure.Sample{At: at, Service: took, Response: took}
			if open {
				sample.Service = 1
			}
			recorder.Success(0, sample)
			other.Success(1, sample)
		}
		recorder.Failure(0, measure.Sample{At: at, Service: 1, Response: 1}, "network", errors.New("broken"))
		recorder.Success(0, measure.Sample{At: at, Unacknowledged: true})
		recorder.Skipped(0)
	}
}
