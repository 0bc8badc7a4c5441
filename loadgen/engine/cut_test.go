package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
)

// cutShort follows a plan until the cause ends it, and returns what was handed in.
func cutShort(
	t *testing.T, plan planv1.Plan, target *drivertest.Target, after time.Duration, cause error,
) (reportv1.Report, error) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	if cause != nil {
		time.AfterFunc(after, func() { cancel(cause) })
	}
	reporter := &drivertest.Reporter{}
	one := newEngine(plan, target)
	one.Reporter = reporter
	report, err := one.Run(ctx)
	handedIn := reporter.Reports()
	if report.Partial == nil {
		if err != nil && len(handedIn) != 0 {
			t.Errorf("%d reports were handed in of a plan of which nothing was measured", len(handedIn))
		}
		return report, err
	}
	cut, ok := errors.AsType[*engine.CutError](err)
	if !ok || cut.Partial.Message != report.Partial.Message {
		t.Errorf("the error is %v, want one that says what the report says", err)
	}
	if len(handedIn) != 1 || handedIn[0].Partial == nil {
		t.Errorf("%d reports were handed in, want the partial one", len(handedIn))
	}
	seen := reporter.Seen()
	if last := seen[len(seen)-1]; last.State != reportv1.ProgressStopped {
		t.Errorf("the last word was %+v, want that the pod stopped", last)
	}
	return report, err
}

func TestWhatWasMeasuredBeforeTheEndOfTheContextIsHandedIn(t *testing.T) {
	for name, step := range map[string]planv1.Step{
		"closed loop": {Threads: 4, WarmupSeconds: 1, DurationSeconds: 3600},
		"open loop": {
			Threads: 4, WarmupSeconds: 1, DurationSeconds: 3600, Arrival: constant(100, 10),
		},
		"number of operations": {Threads: 4, WarmupSeconds: 1, OperationCount: 1_000_000},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cause := errors.New("a key was pressed")
				target := &drivertest.Target{Latency: 10 * time.Millisecond}
				report, err := cutShort(t, testPlan(1, step), target, 11*time.Second, cause)
				if !errors.Is(err, cause) {
					t.Fatalf("error %v, want the cause", err)
				}
				partial := report.Partial
				if partial == nil || partial.Cause != reportv1.PartialInterrupted || partial.Step != "mixed" ||
					partial.MeasuredMillis < 9000 || partial.MeasuredMillis > 10000 ||
					partial.PlannedMillis != int64(step.DurationSeconds)*1000 {
					t.Fatalf("partial is %+v, want step mixed cut after about ten seconds of its window", partial)
				}
				checkCutStep(t, report)
			})
		})
	}
}

// checkCutStep sees that the rate of a step that was cut is over the time that it had, and that nothing of it is
// trusted.
func checkCutStep(t *testing.T, report reportv1.Report) {
	t.Helper()
	summary, err := result.Summarise(report)
	if err != nil {
		t.Fatal(err)
	}
	if len(summary.Steps) != 1 {
		t.Fatalf("%d measured steps, want the one that was cut", len(summary.Steps))
	}
	// An operation takes 10 ms: 100/s of the schedule, or of each of 4 threads.
	want := int64(400)
	if summary.Steps[0].Arrivals != nil {
		want = 100
	}
	if got := summary.Steps[0].Overall.OperationsPerSecond; got < want*9/10 || got > want*11/10 {
		t.Errorf("%d operations/s, want about %d", got, want)
	}
	if summary.Load == nil || summary.Load.Documents != documents {
		t.Errorf("the load is %+v, want it whole", summary.Load)
	}
	doubts, err := result.Doubts(report)
	if err != nil {
		t.Fatal(err)
	}
	if len(doubts) == 0 || doubts[0].Reason != "Partial" || !strings.Contains(doubts[0].Message, `step "mixed" was cut`) {
		t.Errorf("the doubts are %v, want Partial first", doubts)
	}
}

func TestAnOutageLeavesWhatWasMeasuredBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := &drivertest.Target{Latency: 100 * time.Millisecond, FailAfter: 600}
		report, err := cutShort(t, testPlan(1, planv1.Step{Threads: 2, DurationSeconds: 3600}), target, 0, nil)
		if err == nil || !strings.Contains(err.Error(), "had nothing but failures for 1m") {
			t.Fatalf("error %v, want one of the outage", err)
		}
		if report.Partial == nil || report.Partial.Cause != reportv1.PartialOutage {
			t.Fatalf("partial is %+v, want an outage", report.Partial)
		}
		var count int64
		for _, operation := range report.Steps[len(report.Steps)-1].Operations {
			count += operation.Count
		}
		if count != 600 {
			t.Errorf("%d operations succeeded in the report, want all 600 from before the outage", count)
		}
	})
}

func TestWhatWasCutBeforeAnythingWasCountedLeavesNoStep(t *testing.T) {
	for name, tc := range map[string]struct {
		after     time.Duration
		wantSteps int
	}{
		"in the warm-up": {after: 3 * time.Second, wantSteps: 3},
		"in the load":    {after: 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				target := &drivertest.Target{Latency: time.Millisecond}
				plan := testPlan(1, planv1.Step{Threads: 2, WarmupSeconds: 60, DurationSeconds: 60})
				report, err := cutShort(t, plan, target, tc.after, errors.New("stop"))
				if err == nil || len(report.Steps) != tc.wantSteps {
					t.Errorf("%d steps, error %v; want %d and an error", len(report.Steps), err, tc.wantSteps)
				}
				if tc.wantSteps > 0 && (report.Partial == nil || report.Partial.MeasuredMillis != 0) {
					t.Errorf("partial is %+v, want one of a step of which nothing was measured", report.Partial)
				}
			})
		})
	}
}
