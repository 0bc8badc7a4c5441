package measure_test

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// mixOfTwo is a mix.
var mixOfTwo = []reportv1.Operation{{Name: "read", Kind: "FindOne"}, {Name: "write", Kind: "UpdateOne"}}

// work has workers record operations for that many seconds, from a microsecond to some seconds long, with failures of
// two classes. It is the same each time.
func work(recording *measure.Recording, workers, seconds int) {
	recorders := recordersOf(recording, workers)
	var group sync.WaitGroup
	for worker, recorder := range recorders {
		group.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(worker)))
			for i := range 100 * seconds {
				at := time.Duration(i) * 10 * time.Millisecond
				service := time.Duration(random.Int64N(1<<random.IntN(32))) * time.Microsecond
				recorder.Sent(at, service/2, i%3 == 0)
				sample := measure.Sample{
					At: at, Service: service, Response: 2 * service, First: service / 2, Documents: 2, Retries: i % 3,
					Unacknowledged: i%50 == 1,
				}
				if i%20 == 7 {
					recorder.Failure(i%2, sample, []string{"timeout", "network"}[i/20%2], errors.New("no"))
				} else {
					recorder.Success(i%2, sample)
				}
			}
		})
	}
	group.Wait()
}

func TestWhatIsPublishedIsLostNowhere(t *testing.T) {
	for name, open := range map[string]bool{"closed loop": false, "open loop": true} {
		t.Run(name, func(t *testing.T) {
			plain := measure.NewRecording(mixOfTwo, open, 20*time.Second)
			published := measure.NewRecording(mixOfTwo, open, 20*time.Second)
			published.Publish()
			work(plain, 3, 20)
			work(published, 3, 20)
			want, wantArrivals, wantP99 := outcome(t, plain)
			got, gotArrivals, gotP99 := outcome(t, published)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("operations (-kept +published):\n%s", diff)
			}
			if diff := cmp.Diff(wantArrivals, gotArrivals); diff != "" || wantP99 != gotP99 {
				t.Errorf("p99 is %d and %d; arrivals (-kept +published):\n%s", wantP99, gotP99, diff)
			}
			live := published.Live()
			for i, operation := range got {
				checkLive(t, operation, live.Operations[i], open)
			}
			if live.Sent != gotArrivals.Due || !sameBuckets(t, gotArrivals.Lag, live.Lag) {
				t.Errorf("%d are told to have been sent, want %d with their lag", live.Sent, gotArrivals.Due)
			}
		})
	}
}

func outcome(t *testing.T, recording *measure.Recording) ([]reportv1.Operation, *reportv1.Arrivals, int64) {
	t.Helper()
	operations, err := recording.Operations()
	if err != nil {
		t.Fatal(err)
	}
	arrivals, err := recording.Arrivals()
	if err != nil {
		t.Fatal(err)
	}
	return operations, arrivals, recording.Percentile(99_000)
}

// checkLive compares what is told of an operation after the end with what is reported.
func checkLive(t *testing.T, reported reportv1.Operation, live measure.LiveOperation, open bool) {
	t.Helper()
	want := measure.LiveOperation{
		Name: reported.Name, Kind: reported.Kind, Count: reported.Count, Errors: reported.Errors,
		Documents: reported.Documents, Retries: reported.Retries, Unacknowledged: reported.Unacknowledged,
		Classes: map[string]int64{},
	}
	for _, class := range reported.ErrorClasses {
		want.Classes[class.Class] = class.Count
	}
	if diff := cmp.Diff(want, live, cmpopts.IgnoreFields(measure.LiveOperation{}, "Latency", "Failed")); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	encoded, failed := reported.ServiceTime, reported.FailedServiceTime
	if open {
		encoded, failed = reported.ResponseTime, reported.FailedResponseTime
	}
	if !sameBuckets(t, encoded, live.Latency) || !sameBuckets(t, failed, live.Failed) {
		t.Errorf("the latencies of %s that are told are not those of the report", live.Name)
	}
}

// sameBuckets says whether buckets are those of an encoded histogram, each with its bounds.
func sameBuckets(t *testing.T, encoded string, buckets []measure.Bucket) bool {
	t.Helper()
	if encoded == "" {
		return len(buckets) == 0
	}
	histogram, err := reportv1.DecodeHistogram(encoded)
	if err != nil {
		t.Fatal(err)
	}
	var want []measure.Bucket
	for _, bar := range histogram.Distribution() {
		if bar.Count > 0 {
			want = append(want, measure.Bucket{Lowest: bar.From, Highest: bar.To, Count: bar.Count})
		}
	}
	return slices.Equal(want, buckets)
}

func TestNothingThatIsToldGoesBackwards(t *testing.T) {
	recording := measure.NewRecording(mixOfTwo, true, 40*time.Second)
	recording.Publish()
	// The recorders are made before anybody looks, as the engine does.
	worked := make(chan struct{})
	before := recording.Live()
	go func() {
		defer close(worked)
		work(recording, 4, 40)
	}()
	for looking := true; looking; {
		select {
		case <-worked:
			looking = false
			if _, err := recording.Operations(); err != nil {
				t.Error(err)
			}
		default:
		}
		now := recording.Live()
		for i := range now.Operations {
			forwards(t, before.Operations[i], now.Operations[i])
		}
		if now.Sent < before.Sent || total(now.Lag) < total(before.Lag) || total(now.Lag) != now.Sent {
			t.Fatalf("%d sent with %d lags became %d with %d", before.Sent, total(before.Lag), now.Sent, total(now.Lag))
		}
		before = now
	}
	if sum := before.Operations[0].Count + before.Operations[1].Count; sum != 4*100*40*19/20 {
		t.Errorf("in the end %d operations are told of, want all", sum)
	}
}

func forwards(t *testing.T, before, now measure.LiveOperation) {
	t.Helper()
	if now.Count < before.Count || now.Errors < before.Errors || total(now.Latency) < total(before.Latency) {
		t.Fatalf("%+v became %+v", before, now)
	}
	var failed int64
	for class, count := range now.Classes {
		failed += count
		if count < before.Classes[class] {
			t.Fatalf("class %s: %d errors became %d", class, before.Classes[class], count)
		}
	}
	if failed != now.Errors || total(now.Latency) != now.Count-now.Unacknowledged {
		t.Fatalf("%d errors in classes %v, %d times: %+v", now.Errors, now.Classes, total(now.Latency), now)
	}
	counts := map[int64]int64{}
	for _, bucket := range now.Latency {
		counts[bucket.Lowest] = bucket.Count
	}
	for _, bucket := range before.Latency {
		if counts[bucket.Lowest] < bucket.Count {
			t.Fatalf("the bucket of %d µs went from %d to %d", bucket.Lowest, bucket.Count, counts[bucket.Lowest])
		}
	}
}

func total(buckets []measure.Bucket) int64 {
	var sum int64
	for _, bucket := range buckets {
		sum += bucket.Count
	}
	return sum
}

func TestARecordingThatIsNotPublishedTellsNothing(t *testing.T) {
	recording := measure.NewRecording(mixOfTwo, false, time.Second)
	work(recording, 1, 3)
	for _, operation := range recording.Live().Operations {
		if operation.Count != 0 || operation.Latency != nil || operation.Name == "" {
			t.Errorf("it tells %+v, want a name only", operation)
		}
	}
}

// TestTrialsAddUp adds what three recordings come to.
func TestTrialsAddUp(t *testing.T) {
	var sum measure.Live
	lives := make([]measure.Live, 3)
	for i := range lives {
		recording := measure.NewRecording(mixOfTwo, true, 20*time.Second)
		recording.Publish()
		work(recording, 1, 5*(i+1))
		if _, err := recording.Operations(); err != nil {
			t.Fatal(err)
		}
		lives[i] = recording.Live()
		sum.Add(lives[i])
	}
	for i := range sum.Operations {
		isSum(t, sum.Operations[i], lives[0].Operations[i], lives[1].Operations[i], lives[2].Operations[i])
	}
	if sum.Sent != 30*100 || total(sum.Lag) != sum.Sent {
		t.Errorf("%d were sent with %d lags, want 3000", sum.Sent, total(sum.Lag))
	}
}

// isSum compares what was added up with its parts, and looks for buckets that overlap.
func isSum(t *testing.T, sum measure.LiveOperation, parts ...measure.LiveOperation) {
	t.Helper()
	var count, failed, timed, timeouts int64
	for _, part := range parts {
		count += part.Count
		failed += part.Errors
		timed += total(part.Latency)
		timeouts += part.Classes["timeout"]
	}
	if sum.Count != count || sum.Errors != failed || total(sum.Latency) != timed || sum.Classes["timeout"] != timeouts {
		t.Errorf("the sum is %+v, want %d operations, %d errors and %d times", sum, count, failed, timed)
	}
	for i := 1; i < len(sum.Latency); i++ {
		if sum.Latency[i].Lowest <= sum.Latency[i-1].Highest {
			t.Errorf("the buckets %+v and %+v of the sum overlap", sum.Latency[i-1], sum.Latency[i])
		}
	}
}

func TestAddingUpLeavesTheParts(t *testing.T) {
	recording := measure.NewRecording(mixOfTwo, true, 20*time.Second)
	recording.Publish()
	work(recording, 1, 5)
	part := recording.Live()
	count, classes := part.Operations[0].Count, maps.Clone(part.Operations[0].Classes)
	sum := part
	sum.Add(recording.Live())
	if part.Operations[0].Count != count || !maps.Equal(classes, part.Operations[0].Classes) || count == 0 {
		t.Errorf("adding to a copy made %d operations %d, and errors %v %v", count, part.Operations[0].Count, classes,
			part.Operations[0].Classes)
	}
}

func TestPublishedRecordingAllocatesNothingOnceTheLatenciesWereSeen(t *testing.T) {
	recording := measure.NewRecording(mixOfTwo, true, time.Minute)
	recording.Publish()
	recorder := recording.Recorder()
	second := 0
	record := func() {
		// Every one hands in what the one before recorded.
		second = (second + 1) % 60
		at := time.Duration(second) * time.Second
		recorder.Sent(at, time.Microsecond, true)
		recorder.Success(0, measure.Sample{At: at, Service: time.Millisecond, Response: 2 * time.Second})
		recorder.Failure(1, measure.Sample{At: at}, "timeout", errNo)
	}
	for range 120 {
		record()
	}
	if allocations := testing.AllocsPerRun(1000, record); allocations != 0 {
		t.Errorf("%v allocations an interval, want 0", allocations)
	}
}

var errNo = errors.New("no")

// BenchmarkHandIn is what a worker spends every second so that others can look: the latencies of a mix of two
// operations lie in as many octaves.
func BenchmarkHandIn(b *testing.B) {
	for name, octaves := range map[string]int{"3 octaves": 3, "12 octaves": 12} {
		b.Run(name, func(b *testing.B) {
			recording := measure.NewRecording(mixOfTwo, true, 0)
			recording.Publish()
			recorder := recording.Recorder()
			for i := range b.N {
				at := time.Duration(i) * measure.Interval
				for octave := range octaves {
					response := time.Duration(1<<(8+octave)) * time.Microsecond
					recorder.Success(octave%2, measure.Sample{At: at, Service: response, Response: response})
				}
			}
		})
	}
}
