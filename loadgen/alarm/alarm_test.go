package alarm_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/mongobench/mongobench-operator/loadgen/alarm"
)

// alarms are all there are.
func alarms() map[string]alarm.Alarm {
	return map[string]alarm.Alarm{"the most precise": alarm.Precise(), "a timer": alarm.Timer{}}
}

func TestAlarmsAreNeverEarly(t *testing.T) {
	for name, clock := range alarms() {
		t.Run(name, func(t *testing.T) {
			defer clock.Close()
			for _, wait := range []time.Duration{-time.Second, 0, 1, 300 * time.Microsecond, 3 * time.Millisecond} {
				at := time.Now().Add(wait)
				if err := clock.Until(t.Context(), at); err != nil {
					t.Fatal(err)
				}
				if early := time.Until(at); early > 0 {
					t.Errorf("an alarm in %s came %s early", wait, early)
				}
			}
		})
	}
}

func TestAnAlarmServesOneContextAfterAnother(t *testing.T) {
	for name, clock := range alarms() {
		t.Run(name, func(t *testing.T) {
			defer clock.Close()
			for range 3 {
				ctx, cancel := context.WithCancel(t.Context())
				at := time.Now().Add(2 * time.Millisecond)
				if err := clock.Until(ctx, at); err != nil || time.Now().Before(at) {
					t.Errorf("the wait ended with %v, %s early", err, time.Until(at))
				}
				cancel()
			}
		})
	}
}

func TestTheEndOfTheContextEndsTheWaitWithItsCause(t *testing.T) {
	cause := errors.New("enough")
	for name, clock := range alarms() {
		t.Run(name, func(t *testing.T) {
			defer clock.Close()
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(5*time.Millisecond, func() { cancel(cause) })
			if err := clock.Until(ctx, time.Now().Add(time.Hour)); !errors.Is(err, cause) {
				t.Errorf("the wait ended with %v, want %v", err, cause)
			}
			if err := clock.Until(ctx, time.Now().Add(time.Hour)); !errors.Is(err, cause) {
				t.Errorf("the next wait ended with %v, want %v", err, cause)
			}
		})
	}
}

func BenchmarkUntil(b *testing.B) {
	clock := alarm.Precise()
	defer clock.Close()
	b.ReportAllocs()
	for b.Loop() {
		_ = clock.Until(b.Context(), time.Now().Add(20*time.Microsecond))
	}
}
