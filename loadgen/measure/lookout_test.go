package measure_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// lateAlarm goes off late every so many times.
type lateAlarm struct {
	alarm.Timer

	every int
	by    time.Duration
	rung  int
}

func (a *lateAlarm) Until(ctx context.Context, at time.Time) error {
	if a.rung++; a.rung%a.every == 0 {
		at = at.Add(a.by)
	}
	return a.Timer.Until(ctx, at)
}

func TestTheLookoutSeesHowLateTheGeneratorIs(t *testing.T) {
	const length = 10 * time.Second
	synctest.Test(t, func(t *testing.T) {
		lookout := measure.NewLookout(&lateAlarm{every: 100, by: 5 * time.Millisecond}, length)
		end := time.Now().Add(length)
		lookout.Watch(t.Context(), end)
		if late := time.Since(end); late < 0 || late > 5*time.Millisecond {
			t.Errorf("the watch ended %s after the window", late)
		}
		seen, err := lookout.Close()
		if err != nil {
			t.Fatal(err)
		}
		delay, err := reportv1.DecodeHistogram(seen.Delay)
		if err != nil {
			t.Fatal(err)
		}
		// The waits are random, of a millisecond on average.
		if count := delay.TotalCount(); count < 8000 || count > 12_000 || seen.ProbeMicros != 1000 {
			t.Errorf("%d probes, %d µs from one another, in ten seconds; want about 10,000", count, seen.ProbeMicros)
		}
		on, late := delay.ValueAtQuantile(98.5), delay.ValueAtQuantile(99.5)
		if on != 0 || !delay.ValuesAreEquivalent(late, 5000) {
			t.Errorf("98.5 %% of the probes were late by up to %d µs and 99.5 %% by %d, want 0 and 5000", on, late)
		}
	})
}

func TestTheLookoutEndsWithItsContext(t *testing.T) {
	for name, clock := range map[string]alarm.Alarm{"with a precise alarm": alarm.Timer{}, "without one": nil} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
				defer cancel()
				begun := time.Now()
				lookout := measure.NewLookout(clock, 0)
				lookout.Watch(ctx, time.Time{})
				seen, err := lookout.Close()
				if err != nil {
					t.Fatal(err)
				}
				if took := time.Since(begun); took != 3*time.Second {
					t.Errorf("the watch ended after %s, want 3s", took)
				}
				if known := seen.Delay != ""; known != (clock != nil) {
					t.Errorf("the delay is %q", seen.Delay)
				}
			})
		})
	}
}

func TestTheBusiestSecondIsThatOfOneSecond(t *testing.T) {
	lookout := measure.NewLookout(nil, 0)
	done := time.Now().Add(1200 * time.Millisecond)
	ctx, cancel := context.WithCancel(t.Context())
	var worked int
	go func() {
		defer cancel()
		for time.Now().Before(done) {
			worked++
		}
	}()
	lookout.Watch(ctx, time.Time{})
	seen, err := lookout.Close()
	if err != nil {
		t.Fatal(err)
	}
	if seen.BusiestSecondPercent == 0 || seen.CPUMicros == 0 {
		t.Errorf("after a second of work the busiest one has %d %% of the CPU, and %d µs were used",
			seen.BusiestSecondPercent, seen.CPUMicros)
	}
}
