package gateway

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// counting opens scripted sessions, and counts those that are open.
type counting struct {
	open, most, opened atomic.Int64
	fail               error
}

func (c *counting) session(ctx context.Context, part string) (loadgen.Session, error) {
	if c.fail != nil {
		return nil, c.fail
	}
	session, err := (&drivertest.Target{}).Session(ctx, loadgen.Use{})
	c.opened.Add(1)
	now := c.open.Add(1)
	for most := c.most.Load(); now > most && !c.most.CompareAndSwap(most, now); most = c.most.Load() {
	}
	return &closing{Session: session, by: c, part: part}, err
}

// closing is a session that is counted, and knows its part.
type closing struct {
	loadgen.Session

	by   *counting
	part string
}

func (c *closing) Close() { c.by.open.Add(-1) }

func TestAPoolNeverHasMoreSessionsThanItsSize(t *testing.T) {
	const size, rounds = 3, 200
	made := &counting{}
	p := newPool(size, made.session)
	var working sync.WaitGroup
	for worker := range 8 {
		working.Go(func() {
			for round := range rounds {
				part := []string{"first", "second"}[(worker+round)%2]
				h, _, err := p.take(t.Context(), part, time.Hour)
				if err != nil {
					t.Error(err)
					return
				}
				if got := h.session.(*closing).part; got != part { //nolint:forcetypeassert // All are.
					t.Errorf("a session of %q for %q", got, part)
				}
				p.give(part, h)
			}
		})
	}
	working.Wait()
	if most := made.most.Load(); most > size {
		t.Errorf("%d sessions were open at a time, want %d at most", most, size)
	}
	p.close()
	if open := made.open.Load(); open != 0 {
		t.Errorf("%d sessions are open after the end", open)
	}
	if _, _, err := p.take(t.Context(), "first", time.Hour); !errors.Is(err, errClosed) {
		t.Errorf("a closed pool says %v", err)
	}
}

func TestAPoolIsFilledBeforeItIsNeeded(t *testing.T) {
	made := &counting{}
	p := newPool(4, made.session)
	for range 2 {
		if err := p.fill(t.Context(), "first", 4, time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	if opened := made.opened.Load(); opened != 4 {
		t.Errorf("%d sessions were opened, want each once", opened)
	}
	made.fail = errors.New("no server")
	if err := p.fill(t.Context(), "second", 1, time.Hour); !errors.Is(err, made.fail) {
		t.Errorf("a session that cannot be opened is %v", err)
	}
	made.fail = nil
	if err := p.fill(t.Context(), "second", 4, time.Hour); err != nil {
		t.Errorf("after a failure there is no place left: %v", err)
	}
}

func TestWhoGetsNoSessionWaitsForSoLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(1, (&counting{}).session)
		h, waited, err := p.take(t.Context(), "first", time.Minute)
		if err != nil || waited != 0 {
			t.Fatalf("waited %s, %v", waited, err)
		}
		go func() {
			<-time.After(2 * time.Second)
			p.give("first", h)
		}()
		h, waited, err = p.take(t.Context(), "first", time.Minute)
		if err != nil || waited != 2*time.Second {
			t.Errorf("waited %s, %v, want as long as the session was in use", waited, err)
		}
		_, waited, err = p.take(t.Context(), "first", time.Minute)
		if !errors.Is(err, errBusy) || waited != time.Minute {
			t.Errorf("waited %s, %v, want a minute in vain", waited, err)
		}
		p.give("first", h)
	})
}

func TestUsageIsThatOfTheWindow(t *testing.T) {
	before := &usage{
		Process: "a", PoolSize: 8, MilliCores: 500, UptimeMicros: 1_000_000, CPUMicros: 10, Requests: 5, RequestMicros: 50,
		PoolWaitMicros: 1, DatabaseMicros: 20, ThrottledMicros: 3,
	}
	after := &usage{
		Process: "a", PoolSize: 8, MilliCores: 500, UptimeMicros: 11_000_000, CPUMicros: 4_500_010, Requests: 105,
		RequestMicros: 1050, PoolWaitMicros: 201, DatabaseMicros: 520, ThrottledMicros: 7,
	}
	other := &usage{Process: "b"}
	lost := reportv1.Gateway{Name: "g:1", OperationsPerRequest: 2, Lost: true}
	for name, tc := range map[string]struct {
		before, after *usage
		want          reportv1.Gateway
	}{
		"nine tenths of half a core": {before, after, reportv1.Gateway{
			Name: "g:1", OperationsPerRequest: 2, PoolSize: 8, Requests: 100, RequestMicros: 1000, PoolWaitMicros: 200,
			DatabaseMicros: 500, CPUPercent: 90, ThrottledMicros: 4,
		}},
		"not there at the begin": {nil, after, lost},
		"not there at the end":   {before, nil, lost},
		"another process":        {before, other, lost},
	} {
		if diff := cmp.Diff(tc.want, since("g:1", 2, tc.before, tc.after)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// No two requests draw the same operation, and those of a warm-up stay there.
func TestOperationsOfRequestsAreDrawnByNumbersOfTheirOwn(t *testing.T) {
	const each = 3
	for _, first := range []int64{0, workload.FirstWarmupNumber} {
		next := first
		for number := first; number < first+100; number++ {
			for place := range each {
				if got := (execution{Number: number, Operations: each}).drawn(place); got != next {
					t.Fatalf("operation %d of request %d is drawn by %d, want %d", place, number, got, next)
				}
				next++
			}
		}
	}
	for name, tc := range map[string]struct {
		asked execution
		fits  bool
	}{
		"the last of one":           {execution{Number: workload.FirstWarmupNumber - 1, Operations: 1}, true},
		"the last of a warm-up":     {execution{Number: 2*workload.FirstWarmupNumber - 1, Operations: 1}, true},
		"the last of two":           {execution{Number: workload.FirstWarmupNumber/2 - 1, Operations: 2}, true},
		"one more":                  {execution{Number: workload.FirstWarmupNumber / 2, Operations: 2}, false},
		"one more of a warm-up":     {execution{Number: workload.FirstWarmupNumber * 3 / 2, Operations: 2}, false},
		"beyond those of a warm-up": {execution{Number: 2 * workload.FirstWarmupNumber, Operations: 1}, false},
	} {
		if err := tc.asked.check(); (err == nil) != tc.fits {
			t.Errorf("%s: %v", name, err)
		}
	}
}
