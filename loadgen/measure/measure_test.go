package measure_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
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
	if err := recorded.AddTo(got); err != nil {
		t.Fatal(err)
	}
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
	if err := recorded.AddTo(got); err != nil {
		t.Fatal(err)
	}
	if got.Min() != 0 || got.TotalCount() != 2 || !got.ValuesAreEquivalent(got.Max(), reportv1.HistogramHighestMicros) {
		t.Errorf("%d values from %d to %d, want 2 from 0 to an hour", got.TotalCount(), got.Min(), got.Max())
	}
}

func TestMergeAddsUpWhatTheWorkersSaw(t *testing.T) {
	one, other := measure.NewRecorder(2, time.Minute), measure.NewRecorder(2, 0)
	one.Success(0, 100*time.Millisecond, 1500*time.Microsecond, 3)
	one.Success(0, 2500*time.Millisecond, 1500*time.Microsecond, 3)
	one.Failure(0, "network", errors.New("reading from mongodb://name:se@cret@host/db: broken"))
	other.Success(0, 2999*time.Millisecond, 900*time.Microsecond, 1)
	other.Success(1, -time.Millisecond, time.Second, 0)
	other.Failure(0, "timeout", errors.New(strings.Repeat("x", 1000)))
	other.Failure(0, "timeout", errors.New("second"))

	merged, err := measure.Merge([]reportv1.Operation{{Name: "a", Kind: "Find"}, {Name: "b", Kind: "FindOne"}},
		[]*measure.Recorder{one, other})
	if err != nil {
		t.Fatal(err)
	}
	histogram, err := reportv1.DecodeHistogram(merged[0].ServiceTime)
	if err != nil {
		t.Fatal(err)
	}
	if histogram.TotalCount() != 3 || histogram.Max() != 1500 || histogram.Min() != 900 {
		t.Errorf("%d latencies from %d to %d, want 3 from 900 to 1500",
			histogram.TotalCount(), histogram.Min(), histogram.Max())
	}
	for i := range merged {
		merged[i].ServiceTime = ""
	}
	want := []reportv1.Operation{
		{
			Name: "a", Kind: "Find", Count: 3, Errors: 3, Documents: 7, Intervals: []int64{1, 0, 2},
			ErrorClasses: []reportv1.ErrorClass{
				{Class: "timeout", Count: 2, FirstMessage: strings.Repeat("x", 500) + "..."},
				{Class: "network", Count: 1, FirstMessage: "reading from mongodb://***@host/db: broken"},
			},
		},
		{Name: "b", Kind: "FindOne", Count: 1, Intervals: []int64{1}},
	}
	if diff := cmp.Diff(want, merged); diff != "" {
		t.Errorf("merged operations (-want +got):\n%s", diff)
	}
}

func TestRecordingAllocatesNothingOnceTheLatenciesWereSeen(t *testing.T) {
	recorder := measure.NewRecorder(1, time.Minute)
	record := func() { recorder.Success(0, 30*time.Second, 1234*time.Microsecond, 1) }
	record()
	if allocations := testing.AllocsPerRun(1000, record); allocations != 0 {
		t.Errorf("%v allocations a record, want 0", allocations)
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

func BenchmarkRecord(b *testing.B) {
	recorder := measure.NewRecorder(1, time.Minute)
	b.ReportAllocs()
	for i := range b.N {
		recorder.Success(0, 30*time.Second, time.Duration(i%100_000)*time.Microsecond, 1)
	}
}
