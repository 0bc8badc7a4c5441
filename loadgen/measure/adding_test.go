package measure_test

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// placed is a sample of an operation, of a worker, in a window of a whole.
type placed struct {
	window, worker, index int
	sample                measure.Sample
	class                 string
}

const (
	addedWindows = 3
	addedWindow  = 2 * time.Second
	addedWorkers = 2
)

// drawn are samples that end within their windows, and take less than the time since these began.
func drawn(count int) []placed {
	random := rand.New(rand.NewPCG(11, 12))
	all := make([]placed, 0, count)
	for range count {
		at := time.Duration(random.Int64N(int64(addedWindow)-1000) + 1000).Truncate(time.Microsecond)
		took := time.Duration(random.Int64N(int64(at))).Truncate(time.Microsecond)
		one := placed{
			window: random.IntN(addedWindows), worker: random.IntN(addedWorkers), index: random.IntN(2),
			sample: measure.Sample{
				At: at, Service: took, Response: took + time.Millisecond, First: took / 2, Documents: random.Int64N(5),
				Inserted: 1, Matched: 2, Modified: 3, Deleted: 4, Empty: random.IntN(2) == 0, Unexpected: random.IntN(3) == 0,
				Retries: random.IntN(3), Unacknowledged: random.IntN(5) == 0,
			},
		}
		if random.IntN(10) == 0 {
			one.class = []string{"network", reportv1.ClassTimeout}[random.IntN(2)]
		}
		all = append(all, one)
	}
	return all
}

// recordPlaced records a sample at so much later than it says, and that it was sent.
func recordPlaced(by *measure.Recorder, one placed, later time.Duration) {
	one.sample.At += later
	by.Sent(one.sample.At-one.sample.Service, one.sample.Response-one.sample.Service, one.index == 0)
	if one.class != "" {
		by.Failure(one.index, one.sample, one.class, errors.New("broken"))
		return
	}
	by.Success(one.index, one.sample)
	by.CarriedOver(1-one.index, one.sample.At)
}

func recorders(recording *measure.Recording) []*measure.Recorder {
	made := make([]*measure.Recorder, addedWorkers)
	for i := range made {
		made[i] = recording.Recorder()
	}
	return made
}

// recordWindow records the samples of a window, in the recorders of its own and in those of the whole.
func recordWindow(samples []placed, window int, each, once []*measure.Recorder) {
	for _, one := range samples {
		if one.window == window {
			recordPlaced(each[one.worker], one, 0)
			recordPlaced(once[one.worker], one, time.Duration(window)*addedWindow)
		}
	}
}

func TestWindowsThatAreAddedUpAreAsOneRecording(t *testing.T) {
	mix := []reportv1.Operation{{Name: "a", Kind: "Find"}, {Name: "b", Kind: "FindOne"}}
	for name, open := range map[string]bool{"a closed loop": false, "an open loop": true} {
		t.Run(name, func(t *testing.T) {
			samples := drawn(4000)
			whole := measure.NewRecording(mix, open, addedWindows*addedWindow)
			once := recorders(whole)
			sum := measure.NewSum(mix, open)
			for window := range addedWindows {
				part := measure.NewRecording(mix, open, addedWindow)
				recordWindow(samples, window, recorders(part), once)
				if _, err := part.Operations(); err != nil {
					t.Fatal(err)
				}
				sum.Append(part)
			}
			if sum.Window() != whole.Window() || sum.IntervalMillis() != whole.IntervalMillis() {
				t.Errorf("the sum is of %s in intervals of %d ms, want %s and %d", sum.Window(), sum.IntervalMillis(),
					whole.Window(), whole.IntervalMillis())
			}
			compareRecordings(t, whole, sum)
		})
	}
}

func compareRecordings(t *testing.T, whole, sum *measure.Recording) {
	t.Helper()
	want, err := whole.Operations()
	if err != nil {
		t.Fatal(err)
	}
	got, err := sum.Operations()
	if err != nil {
		t.Fatal(err)
	}
	if want[0].Count == 0 || want[0].Errors == 0 || want[0].CarriedOver == 0 || len(want[0].Intervals) != 6 {
		t.Fatalf("too little is compared: %+v", want[0])
	}
	// What an operation that was carried over occupied is counted from the start of its window: here that is not the same.
	for i := range want {
		want[i].BusyMicros, got[i].BusyMicros = 0, 0
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("operations (-one recording +windows):\n%s", diff)
	}
	wantSent, err := whole.Arrivals()
	if err != nil {
		t.Fatal(err)
	}
	gotSent, err := sum.Arrivals()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wantSent, gotSent); diff != "" {
		t.Errorf("arrivals (-one recording +windows):\n%s", diff)
	}
}

func TestWhatComesAfterAWindowIsInNoIntervalOfTheSum(t *testing.T) {
	mix := []reportv1.Operation{{Name: "a", Kind: "Find"}}
	sum := measure.NewSum(mix, false)
	for range 2 {
		window := measure.NewRecording(mix, false, time.Second)
		recorder := window.Recorder()
		recorder.Success(0, measure.Sample{At: 500 * time.Millisecond, Service: time.Millisecond})
		recorder.Success(0, measure.Sample{At: 1500 * time.Millisecond, Service: time.Second})
		if _, err := window.Operations(); err != nil {
			t.Fatal(err)
		}
		sum.Append(window)
	}
	got, err := sum.Operations()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int64{1, 1}, got[0].Intervals); diff != "" {
		t.Errorf("intervals (-want +got):\n%s", diff)
	}
	if got[0].Count != 4 || got[0].Stragglers != 2 {
		t.Errorf("there are %d operations and %d stragglers, want 4 and 2", got[0].Count, got[0].Stragglers)
	}
}
