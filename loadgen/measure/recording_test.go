package measure_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// oneOperation is a mix.
var oneOperation = []reportv1.Operation{{Name: "read", Kind: "FindOne"}}

// recorded are a recording's operations.
func recorded(t *testing.T, recording *measure.Recording) reportv1.Operation {
	t.Helper()
	operations, err := recording.Operations()
	if err != nil {
		t.Fatal(err)
	}
	return operations[0]
}

// recordersOf makes the recorders of that many workers.
func recordersOf(recording *measure.Recording, workers int) []*measure.Recorder {
	recorders := make([]*measure.Recorder, workers)
	for worker := range recorders {
		recorders[worker] = recording.Recorder()
	}
	return recorders
}

// recordedBy is what that many workers record of samples, which they share out evenly.
func recordedBy(t *testing.T, workers int, samples []measure.Sample, window time.Duration) reportv1.Operation {
	t.Helper()
	recording := measure.NewRecording(oneOperation, true, window)
	recorders := recordersOf(recording, workers)
	var group sync.WaitGroup
	for worker, recorder := range recorders {
		group.Go(func() {
			for i := worker; i < len(samples); i += workers {
				recorder.Success(0, samples[i])
			}
		})
	}
	group.Wait()
	return recorded(t, recording)
}

func sumOf(counts []int64) int64 {
	var sum int64
	for _, count := range counts {
		sum += count
	}
	return sum
}

func TestHoweverManyWorkersRecordTheSumIsTheSame(t *testing.T) {
	const window = 20 * time.Second
	random := rand.New(rand.NewPCG(1, 2))
	samples := make([]measure.Sample, 20_000)
	for i := range samples {
		latency := time.Duration(random.ExpFloat64() * float64(3*time.Millisecond))
		samples[i] = measure.Sample{
			At: time.Duration(i) * window / time.Duration(len(samples)), Service: latency, Response: 2 * latency,
			First: latency / 2, Documents: 2, Retries: i % 7,
		}
	}
	one := recordedBy(t, 1, samples, window)
	if one.Count != int64(len(samples)) || len(one.Intervals) != 20 || one.Intervals[7] != 1000 {
		t.Errorf("%d operations in intervals %v, want a thousand in each of twenty", one.Count, one.Intervals)
	}
	for i, times := range one.IntervalTimes {
		if sum := sumOf(times); sum != one.Intervals[i] {
			t.Errorf("interval %d has %d operations and %d times", i, one.Intervals[i], sum)
		}
	}
	for _, workers := range []int{2, 64} {
		if diff := cmp.Diff(one, recordedBy(t, workers, samples, window)); diff != "" {
			t.Errorf("%d workers recorded something else than one (-one +%d):\n%s", workers, workers, diff)
		}
	}
}

func TestAVeryLongWindowHasLongerIntervals(t *testing.T) {
	recording := measure.NewRecording(oneOperation, false, 0)
	early, late := recording.Recorder(), recording.Recorder()
	for second := range 7200 {
		early.Success(0, measure.Sample{At: time.Duration(second) * time.Second, Service: time.Millisecond})
	}
	if got := recording.IntervalMillis(); got != 1000 {
		t.Errorf("two hours have intervals of %d ms, want 1000", got)
	}
	late.Success(0, measure.Sample{At: 4*time.Hour - time.Nanosecond, Service: time.Second})
	// One that comes late, out of order.
	late.Success(0, measure.Sample{At: 3 * time.Second, Service: time.Second})
	got := recorded(t, recording)
	if recording.IntervalMillis() != 2000 || len(got.Intervals) != 7200 || len(got.IntervalTimes) != 7200 {
		t.Fatalf("four hours have %d intervals of %d ms, want 7200 of 2000", len(got.Intervals), recording.IntervalMillis())
	}
	want := map[int]int64{0: 2, 1: 3, 3599: 2, 3600: 0, 7199: 1}
	for interval, count := range want {
		if got.Intervals[interval] != count {
			t.Errorf("interval %d has %d operations, want %d", interval, got.Intervals[interval], count)
		}
	}
	bucket := reportv1.IntervalBucket(time.Second.Microseconds())
	if got.IntervalTimes[1][bucket] != 1 || got.IntervalTimes[7199][bucket] != 1 {
		t.Error("the times of a second are not in the intervals that their operations are in")
	}
}

func TestArrivalsAreThoseThatWereSent(t *testing.T) {
	for name, tc := range map[string]struct {
		window               time.Duration
		wantLate, wantMillis int64
	}{
		"a window of ten seconds":                    {10 * time.Second, 2, 10_000},
		"a window that a number of operations ended": {0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			recording := measure.NewRecording(oneOperation, true, tc.window)
			one, other := recording.Recorder(), recording.Recorder()
			one.Sent(0, 20*time.Microsecond, true)
			one.Sent(10*time.Second, time.Second, false)
			other.Sent(11*time.Second, 2*time.Second, false)
			other.Sent(10*time.Second-1, 30*time.Microsecond, true)
			got, err := recording.Arrivals()
			if err != nil {
				t.Fatal(err)
			}
			if got.Due != 4 || got.Late != tc.wantLate || got.WindowMillis != tc.wantMillis {
				t.Errorf("%d due, %d late of %d ms, want 4, %d and %d", got.Due, got.Late, got.WindowMillis, tc.wantLate,
					tc.wantMillis)
			}
			checkTimes(t, "lag", got.Lag, 4, 2_000_000)
			checkTimes(t, "wake-up", got.WakeUp, 2, 30)
		})
	}
}

func checkTimes(t *testing.T, name, encoded string, count, highest int64) {
	t.Helper()
	got, err := reportv1.DecodeHistogram(encoded)
	if err != nil {
		t.Fatal(err)
	}
	if got.TotalCount() != count || !got.ValuesAreEquivalent(got.Max(), highest) {
		t.Errorf("%s: %d up to %d, want %d up to %d", name, got.TotalCount(), got.Max(), count, highest)
	}
}

func TestPercentileIsOfTheLatency(t *testing.T) {
	for name, tc := range map[string]struct {
		open bool
		want int64
	}{
		"service time in a closed loop": {false, 990},
		"response time in an open loop": {true, 1980},
	} {
		t.Run(name, func(t *testing.T) {
			recording := measure.NewRecording(oneOperation, tc.open, time.Second)
			if got := recording.Percentile(99_000); got != 0 {
				t.Errorf("p99 of nothing is %d", got)
			}
			for i, recorder := 1, recording.Recorder(); i <= 1000; i++ {
				service := time.Duration(i) * time.Microsecond
				recorder.Success(0, measure.Sample{Service: service, Response: 2 * service})
			}
			if got := recording.Percentile(99_000); got != tc.want {
				t.Errorf("p99 is %d, want %d", got, tc.want)
			}
		})
	}
}

func TestWorkersAreWithOperationsWithinTheWindowOnly(t *testing.T) {
	const window = 10 * time.Second
	second := func(n int64) time.Duration { return time.Duration(n) * time.Second }
	for name, tc := range map[string]struct {
		record func(*measure.Recorder)
		want   int64
	}{
		"within it": {func(r *measure.Recorder) { r.Success(0, measure.Sample{At: second(5), Service: second(2)}) }, 2},
		"failed": {func(r *measure.Recorder) {
			r.Failure(0, measure.Sample{At: second(5), Service: second(2)}, "server", errors.New("no"))
		}, 2},
		"until after it": {func(r *measure.Recorder) {
			r.Success(0, measure.Sample{At: second(13), Service: second(5)})
		}, 2},
		"begun in the warm-up":                     {func(r *measure.Recorder) { r.CarriedOver(0, second(4)) }, 4},
		"begun in the warm-up, and ended after it": {func(r *measure.Recorder) { r.CarriedOver(0, second(40)) }, 10},
		"waited for": {func(r *measure.Recorder) {
			r.Success(0, measure.Sample{At: second(5), Service: second(1), Occupied: second(3), Unacknowledged: true})
		}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			recording := measure.NewRecording(oneOperation, false, window)
			tc.record(recording.Recorder())
			if got := recorded(t, recording).BusyMicros; got != second(tc.want).Microseconds() {
				t.Errorf("%d µs, want %d s", got, tc.want)
			}
		})
	}
}
