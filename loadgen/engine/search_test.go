package engine_test

import (
	"math"
	"strings"
	"testing"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
)

// searchStep looks for the highest rate at which p99 stays within 50 ms.
func searchStep() planv1.Step {
	return planv1.Step{
		Threads: 10, WarmupSeconds: 2, DurationSeconds: 20,
		Search: &planv1.Search{
			PercentileMillis: 99_000, LimitMicros: 50_000, Lowest: 10, Highest: 10_000, TrialSeconds: 5, TolerancePercent: 3,
		},
	}
}

// Ten workers with operations of 10 ms get 1000 of them done in a second. A little above that the queue grows by so
// much a second that p99 exceeds 50 ms before the trial ends; below it no operation ever waits.
func TestSearchFindsTheRateThatADatabaseCanKeep(t *testing.T) {
	target := &drivertest.Target{Latency: 10 * time.Millisecond}
	step := measured(t, 1, searchStep(), target)
	result := step.Search
	if result.Found > 1010 || float64(result.Found)*1.03 < 1000 {
		t.Fatalf("found %d operations/s, want 1000 within 3 %%: %+v", result.Found, result.Trials)
	}
	last := result.Trials[len(result.Trials)-1]
	want := reportv1.Trial{
		Rate: result.Found, Achieved: result.Found, Micros: 10_000, Kept: true, Confirmation: true,
	}
	if last.Micros = last.Micros / 100 * 100; last != want {
		t.Errorf("the last trial is %+v, want %+v", last, want)
	}
	if got := times(t, step, response).TotalCount(); math.Abs(float64(got-20*result.Found)) > 1 {
		t.Errorf("the step has %d operations, want the %d of the confirmation", got, 20*result.Found)
	}
	if step.Duration() < 20*time.Second || step.Duration() > 21*time.Second || step.Arrivals.Due < 20*result.Found-1 {
		t.Errorf("a window of %s with %d due, want that of the confirmation", step.Duration(), step.Arrivals.Due)
	}
	if inserts, different := inserted(target); inserts != different {
		t.Errorf("%d inserts of %d different documents: trials have the same numbers", inserts, different)
	}
}

// inserted is how many inserts were sent, and how many different ones.
func inserted(target *drivertest.Target) (sent, different int) {
	for request, count := range target.Requests() {
		if strings.HasPrefix(request, "2 InsertOne") {
			sent += count
			different++
		}
	}
	return sent, different
}

func TestSearchThatFindsNothingSaysSo(t *testing.T) {
	for name, tc := range map[string]struct {
		target *drivertest.Target
		wrong  func(reportv1.Trial) bool
	}{
		"too slow": {
			&drivertest.Target{Latency: 60 * time.Millisecond},
			func(trial reportv1.Trial) bool { return trial.Micros > 50_000 && trial.Errors == 0 },
		},
		"too many errors": {
			&drivertest.Target{Latency: time.Millisecond, FailEvery: 20},
			func(trial reportv1.Trial) bool { return trial.Micros < 50_000 && trial.Errors > 0 },
		},
		"what is asked is not achieved": {
			&drivertest.Target{Latency: 3 * time.Second},
			func(trial reportv1.Trial) bool { return trial.Achieved < 10 && trial.Dropped > 0 },
		},
	} {
		t.Run(name, func(t *testing.T) {
			result := measured(t, 1, searchStep(), tc.target).Search
			if result.Found != 0 || len(result.Trials) != 1 || result.Trials[0].Kept || !tc.wrong(result.Trials[0]) {
				t.Errorf("got %+v, want nothing found with one trial that tells why", result)
			}
		})
	}
}
