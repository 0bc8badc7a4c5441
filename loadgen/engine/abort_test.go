package engine_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
)

func TestAThresholdEndsTheRun(t *testing.T) {
	for name, tc := range map[string]struct {
		threshold planv1.Threshold
		target    *drivertest.Target
		want      string
	}{
		"errors": {
			planv1.Threshold{ErrorPercent: 5, ForSeconds: 10},
			&drivertest.Target{Latency: 100 * time.Millisecond, FailEvery: 10}, "operations failed, more than 5 %",
		},
		"latency": {
			planv1.Threshold{PercentileMillis: 50_000, LimitMicros: 50_000, ForSeconds: 10, Operation: "read"},
			&drivertest.Target{Latency: 100 * time.Millisecond}, "operation read: over 10s, p50 is ",
		},
		"rate": {
			planv1.Threshold{LowestRate: 100, ForSeconds: 10},
			&drivertest.Target{Latency: 100 * time.Millisecond}, "operations/s succeeded, less than 100/s",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				step := planv1.Step{
					Threads: 4, WarmupSeconds: 20, DurationSeconds: 3600, AbortOn: []planv1.Threshold{tc.threshold},
				}
				report, err := cutShort(t, testPlan(1, step), tc.target, 0, nil)
				if err == nil || !strings.Contains(err.Error(), tc.want) {
					t.Fatalf("error %v, want one with %q", err, tc.want)
				}
				partial := report.Partial
				if partial == nil || partial.Cause != reportv1.PartialAborted ||
					partial.MeasuredMillis < 10_000 || partial.MeasuredMillis > 15_000 {
					t.Errorf("partial is %+v, want an abort soon after ten seconds of the window", partial)
				}
			})
		})
	}
}

func TestAThresholdThatIsKeptEndsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		step := planv1.Step{Threads: 4, DurationSeconds: 60, AbortOn: []planv1.Threshold{
			{ErrorPercent: 15, ForSeconds: 10},
			{LowestRate: 20, ForSeconds: 10},
			{PercentileMillis: 99_000, LimitMicros: 150_000, ForSeconds: 10},
		}}
		target := &drivertest.Target{Latency: 100 * time.Millisecond, FailEvery: 10}
		report, err := cutShort(t, testPlan(1, step), target, 0, nil)
		if err != nil || report.Partial != nil {
			t.Errorf("it ended with %v and %+v, want the whole step", err, report.Partial)
		}
	})
}
