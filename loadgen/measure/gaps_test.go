package measure_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

const window = 20 * time.Second

// longestGap is what a list of successes comes to, between two instants.
func longestGap(at []time.Duration, from, until time.Duration) time.Duration {
	inside := []time.Duration{from, until}
	for _, one := range at {
		if one > from && one < until {
			inside = append(inside, one)
		}
	}
	slices.Sort(inside)
	var longest time.Duration
	for i := range len(inside) - 1 {
		longest = max(longest, inside[i+1]-inside[i])
	}
	return longest
}

// successes are at random, up to a pause apart, but for an outage.
func successes(random *rand.Rand, pause, outage, until time.Duration) []time.Duration {
	var at []time.Duration
	for now := time.Duration(0); now < window; now += time.Duration(random.Int64N(int64(pause))) {
		if now < outage || now > until {
			at = append(at, now)
		}
	}
	return at
}

func TestTheLongestGapIsThatOfAllWorkersTogether(t *testing.T) {
	const workers = 8
	for name, tc := range map[string]struct{ pause, outage, until, from, end time.Duration }{
		"fast operations and an outage":    {time.Millisecond, 5 * time.Second, 9 * time.Second, time.Second, window},
		"slow operations and an outage":    {time.Second, 5 * time.Second, 9 * time.Second, time.Second, window},
		"slow operations without":          {time.Second, window, window, time.Second, window},
		"an outage that begins before":     {time.Millisecond, 2 * time.Second, 9 * time.Second, 5 * time.Second, window},
		"an outage that has not ended":     {time.Millisecond, 15 * time.Second, 30 * time.Second, time.Second, window},
		"only the time that was asked for": {time.Millisecond, 8 * time.Second, 12 * time.Second, 0, 6 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			recording := measure.NewRecording(make([]reportv1.Operation, 1), false, window)
			gaps := recording.Watch()
			recorders := recordersOf(recording, workers)
			var all []time.Duration
			var group sync.WaitGroup
			for number, recorder := range recorders {
				at := successes(rand.New(rand.NewPCG(uint64(number), 7)), tc.pause*workers, tc.outage, tc.until)
				all = append(all, at...)
				group.Go(func() {
					for _, one := range at {
						recorder.Success(0, measure.Sample{At: one})
					}
				})
			}
			group.Wait()
			recording.Settle()
			got, want := gaps.Longest(tc.from, tc.end), longestGap(all, tc.from, tc.end)
			if got != want && max(got, want) >= time.Millisecond {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestTheLongestOfMoreGapsThanAreKept(t *testing.T) {
	recording := measure.NewRecording(make([]reportv1.Operation, 1), false, window)
	recorder, gaps := recording.Recorder(), recording.Watch()
	for at := 3 * time.Millisecond; at < window; at += 2 * time.Millisecond {
		recorder.Success(0, measure.Sample{At: at})
	}
	recording.Settle()
	if got := gaps.Longest(0, window); got != 3*time.Millisecond {
		t.Errorf("got %s, want 3 ms", got)
	}
}

func TestAWatchEndsWhereTheNextBegins(t *testing.T) {
	recording := measure.NewRecording(make([]reportv1.Operation, 1), false, window)
	recorder := recording.Recorder()
	recorder.Success(0, measure.Sample{At: time.Second})
	first := recording.Watch()
	recorder.Success(0, measure.Sample{At: 2 * time.Second})
	second := recording.Watch()
	recorder.Success(0, measure.Sample{At: 5 * time.Second})
	recording.Settle()
	if got := first.Longest(time.Second, 4*time.Second); got != 2*time.Second {
		t.Errorf("the first watch saw %s, want 2 s", got)
	}
	if got := second.Longest(4*time.Second, 6*time.Second); got != time.Second {
		t.Errorf("the second watch saw %s, want 1 s", got)
	}
}

func BenchmarkSuccess(b *testing.B) {
	for name, watched := range map[string]bool{"not watched": false, "watched": true} {
		b.Run(name, func(b *testing.B) {
			recording := measure.NewRecording(make([]reportv1.Operation, 1), false, time.Hour)
			if watched {
				recording.Watch()
			}
			recorder := recording.Recorder()
			sample := measure.Sample{Service: 150 * time.Microsecond}
			for b.Loop() {
				sample.At += 10 * time.Microsecond
				recorder.Success(0, sample)
			}
		})
	}
}
