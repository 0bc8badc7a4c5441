package honesty

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
)

// cutRun follows a plan of an hour that ends early, and tells what is left of it. In the first ten seconds 100
// operations a second succeed.
func cutRun(t *testing.T, target *drivertest.Target, stopAfter time.Duration, thresholds ...planv1.Threshold) Told {
	t.Helper()
	var told Told
	synctest.Test(t, func(t *testing.T) {
		plan := lateCase{threads: 1, seconds: 3600}.plan()
		plan.Steps[len(plan.Steps)-1].WarmupSeconds = 0
		plan.Steps[len(plan.Steps)-1].AbortOn = thresholds
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		if stopAfter > 0 {
			time.AfterFunc(stopAfter, func() { cancel(errors.New("stopped by signal 15")) })
		}
		report, err := (&engine.Engine{
			Plan: plan, PlanHash: "hash", Target: target, Reporter: &drivertest.Reporter{}, Log: slog.New(slog.DiscardHandler),
			NewAlarm: func() alarm.Alarm { return alarm.Timer{} },
		}).Run(ctx)
		if err == nil {
			t.Fatal("the run went on to its end")
		}
		told = toldOfCut(t, report)
	})
	return told
}

// toldOfCut reads a partial report. It is wrong in that it is not what was to be measured.
func toldOfCut(t *testing.T, report reportv1.Report) Told {
	t.Helper()
	summary, err := result.Summarise(report)
	if err != nil {
		t.Fatal(err)
	}
	if len(summary.Steps) != 1 {
		t.Fatalf("%d measured steps are left, want one", len(summary.Steps))
	}
	overall := summary.Steps[0].Overall
	if overall.Count < 900 {
		t.Errorf("%d operations are left of about 1,000 that had succeeded", overall.Count)
	}
	doubts, err := result.Doubts(report)
	if err != nil {
		t.Fatal(err)
	}
	return Told{
		Reported: fmt.Sprintf("%d operations, %d/s, %s", overall.Count, overall.OperationsPerSecond, report.Partial.Cause),
		Wrong:    true, Doubts: doubts,
	}
}

func TestNothingMeasuredIsLost(t *testing.T) {
	steady := func() *drivertest.Target { return &drivertest.Target{Latency: 10 * time.Millisecond} }
	Check(t, Scenario{
		Item: "A13", Name: "a signal after ten seconds of an hour", Doubt: benchv1alpha1.ReasonPartial,
		Truth: "1,000 operations had succeeded",
		Run: func(t *testing.T) Told {
			t.Helper()
			return cutRun(t, steady(), 10*time.Second)
		},
	})
	Check(t, Scenario{
		Item: "A13", Name: "an outage without an end after ten seconds", Doubt: benchv1alpha1.ReasonPartial,
		Truth: "1,000 operations had succeeded before it",
		Run: func(t *testing.T) Told {
			t.Helper()
			target := steady()
			target.FailAfter = 1000
			return cutRun(t, target, 0)
		},
	})
	Check(t, Scenario{
		Item: "A13", Name: "a threshold of errors that is missed", Doubt: benchv1alpha1.ReasonPartial,
		Truth: "1,000 operations had succeeded before it",
		Run: func(t *testing.T) Told {
			t.Helper()
			target := steady()
			target.FailAfter = 1000
			return cutRun(t, target, 0, planv1.Threshold{ErrorPercent: 50, ForSeconds: 10})
		},
	})
}
