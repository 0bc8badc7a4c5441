package exchange_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/exchange"
)

var begin = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// scripted are exchanges with a server whose clock is ahead of the pod's by so much, behind (less than 0) otherwise.
// Ways there and back differ, and the server tells its clock in milliseconds.
func scripted(random *rand.Rand, serverAhead time.Duration, there, back time.Duration) []exchange.Exchange {
	all := make([]exchange.Exchange, 0, exchange.Count)
	at := begin
	for range exchange.Count {
		out := there + time.Duration(random.ExpFloat64()*float64(there))
		home := back + time.Duration(random.ExpFloat64()*float64(back))
		read := at.Add(out).Add(serverAhead)
		all = append(all, exchange.Exchange{Sent: at, Received: at.Add(out + home), Told: read.Truncate(time.Millisecond)})
		at = at.Add(out + home + time.Duration(random.Int64N(int64(3*time.Millisecond))))
	}
	return all
}

func TestTheClockIsAheadByWhatItIsWithinWhatIsSaid(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, serverAhead := range []time.Duration{
		0, 300 * time.Microsecond, -400 * time.Microsecond, 3 * time.Second, -3 * time.Second, time.Hour,
	} {
		for _, way := range []struct{ there, back time.Duration }{
			{30 * time.Microsecond, 30 * time.Microsecond},
			{200 * time.Microsecond, 20 * time.Microsecond},
			{time.Millisecond, 4 * time.Millisecond},
		} {
			ahead, uncertainty, known := exchange.Ahead(time.Millisecond, scripted(random, serverAhead, way.there, way.back))
			if !known {
				t.Fatalf("server ahead by %s: nothing is known", serverAhead)
			}
			if off := (ahead + serverAhead).Abs(); off > uncertainty {
				t.Errorf("server ahead by %s: told %s, %s off and at most %s said", serverAhead, ahead, off, uncertainty)
			}
			// The shortest round trip, and what a hundred phases leave of the millisecond.
			if most := (way.there+way.back)/2 + 500*time.Microsecond; uncertainty > most {
				t.Errorf("there %s, back %s: it may be off by %s, want at most %s", way.there, way.back, uncertainty, most)
			}
		}
	}
}

func TestAClockThatWasSetMeanwhileOrIsNotToldIsNotKnown(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	way := 30 * time.Microsecond
	set := append(scripted(random, 0, way, way), scripted(random, time.Second, way, way)...)
	silent := scripted(random, 0, way, way)
	for i := range silent {
		silent[i].Told = time.Time{}
	}
	for name, all := range map[string][]exchange.Exchange{"set": set, "not told": silent} {
		if ahead, uncertainty, known := exchange.Ahead(time.Millisecond, all); known {
			t.Errorf("%s: the clock is ahead by %s within %s", name, ahead, uncertainty)
		}
		if ping := exchange.Summarise("a:1", time.Millisecond, all); ping.Clock != nil || ping.MedianMicros <= 0 {
			t.Errorf("%s: %+v", name, ping)
		}
	}
}

func TestRoundTripsAreSummarised(t *testing.T) {
	t.Parallel()
	all := make([]exchange.Exchange, 0, exchange.Count)
	for i := range exchange.Count {
		all = append(all, exchange.Exchange{Sent: begin, Received: begin.Add(time.Duration(i+1) * time.Microsecond)})
	}
	got := exchange.Summarise("a:1", time.Millisecond, all)
	want := reportv1.Ping{
		Member: "a:1", Pods: 1, Exchanges: 100, MinMicros: 1, NearestMicros: 50, MedianMicros: 50, P99Micros: 99,
	}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if few := exchange.Summarise("a:1", time.Millisecond, all[:99]); few.P99Micros != 0 {
		t.Errorf("99 exchanges have a p99 of %d", few.P99Micros)
	}
}

func TestAStartIsToldByTheServersClock(t *testing.T) {
	t.Parallel()
	pings := []reportv1.Ping{{Clock: &reportv1.Clock{LeastAheadMicros: 2_000_000}}, {}}
	exchange.Began(pings, begin)
	if got := pings[0].Clock.FirstStart; !got.Equal(begin.Add(-2*time.Second)) || pings[0].Clock.LastStart != got {
		t.Errorf("a clock that is two seconds ahead begins at %s", got)
	}
}

func TestAServerIsAskedUntilThereIsEnough(t *testing.T) {
	t.Parallel()
	asked := 0
	all, err := exchange.Repeat(t.Context(), func(context.Context) (time.Time, error) {
		asked++
		if asked%3 == 0 {
			return time.Time{}, errors.New("no answer")
		}
		return begin, nil
	})
	// A third of the answers is missing, and the first is left out.
	if want := exchange.Count + 1 - (exchange.Count+1)/3 - 1; err != nil || len(all) > want || len(all) == 0 {
		t.Errorf("got %d answers (%v), want %d or, on a slow machine, fewer", len(all), err, want)
	}
	silence := errors.New("silence")
	_, err = exchange.Repeat(t.Context(), func(context.Context) (time.Time, error) { return time.Time{}, silence })
	if !errors.Is(err, silence) {
		t.Errorf("got %v", err)
	}
}
