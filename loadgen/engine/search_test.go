package engine_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
)

// searchStep looks for the highest rate at which p99 stays within 50 ms.
func searchStep() planv1.Step {
	return planv1.Step{
		Threads: 10, WarmupSeconds: 2, DurationSeconds: 20,
		Search: &planv1.Search{
			PercentileMillis: 99_000, LimitMicros: 50_000, Process: benchv1alpha1.ArrivalConstant, Lowest: 100, Highest: 10_000,
			TrialSeconds: 5, TolerancePercent: 3, MaxSeconds: 600,
		},
	}
}

// upTo is a search that looks no further than a rate.
func upTo(highest int64) planv1.Step {
	step := searchStep()
	step.Search.Highest = highest
	return step
}

// Ten workers with operations of 10 ms get 1000 of them done in a second. A little above that the queue grows by so
// much a second that p99 exceeds 50 ms before the trial ends; below it no operation ever waits.
func TestSearchFindsTheRateThatItsThreadsCanKeep(t *testing.T) {
	target := &drivertest.Target{Latency: 10 * time.Millisecond}
	step := measured(t, 1, searchStep(), target)
	found := step.Search
	if found.Found > 1010 || float64(found.Found)*1.03 < 1000 {
		t.Fatalf("found %d operations/s, want 1000 within 3 %%: %+v", found.Found, found.Trials)
	}
	if found.LimitedBy != reportv1.LimitedByThreads || found.Below != 0 {
		t.Errorf("limited by %s, below %d: the target would serve any number at a time", found.LimitedBy, found.Below)
	}
	last := found.Trials[len(found.Trials)-1]
	want := reportv1.Trial{
		Rate: found.Found, Achieved: found.Found, Millis: 20_000, Due: 20 * found.Found, Micros: 10_000, Kept: true,
		OddsToOne: 9, Confirmation: true,
	}
	if last.Micros, last.RecoveryMillis = last.Micros/100*100, 0; last != want {
		t.Errorf("the last trial is %+v, want %+v", last, want)
	}
	if got := times(t, step, response).TotalCount(); math.Abs(float64(got-20*found.Found)) > 1 {
		t.Errorf("the step has %d operations, want the %d of the confirmation", got, 20*found.Found)
	}
	if step.Duration() < 20*time.Second || step.Duration() > 21*time.Second || step.Arrivals.Due < 20*found.Found-1 {
		t.Errorf("a window of %s with %d due, want that of the confirmation", step.Duration(), step.Arrivals.Due)
	}
	if inserts, different := inserted(target); inserts != different {
		t.Errorf("%d inserts of %d different documents: trials have the same numbers", inserts, different)
	}
	grows(t, found.Trials)
}

// grows says that no rate is more than twice what was kept before.
func grows(t *testing.T, trials []reportv1.Trial) {
	t.Helper()
	highest := trials[0].Rate
	for _, trial := range trials {
		if trial.Rate > 2*highest {
			t.Errorf("%d operations/s were tried after %d were kept", trial.Rate, highest)
		}
		if trial.Kept {
			highest = max(highest, trial.Rate)
		}
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

// Four places with operations of 20 ms serve 200 a second, and Poisson arrivals nearly as many within 250 ms.
func TestSearchFindsTheRateThatATargetCanKeep(t *testing.T) {
	step := searchStep()
	step.Threads = 100
	step.Search.Process, step.Search.TolerancePercent = benchv1alpha1.ArrivalPoisson, 5
	step.Search.Lowest, step.Search.LimitMicros = 40, 250_000
	for _, seed := range []string{"one", "two", "three"} {
		step.Search.TrialSeconds++ // Other trials have other gaps.
		found := measured(t, 1, step, &drivertest.Target{Latency: 20 * time.Millisecond, Places: 4, Forget: true}).Search
		if found.Found > 200 || found.Found < 180 {
			t.Errorf("%s: found %d operations/s, want 200 within 10 %%: %+v", seed, found.Found, found.Trials)
		}
		if found.LimitedBy != reportv1.LimitedByTarget || found.Below <= found.Found || found.Below > 220 {
			t.Errorf("%s: limited by %s below %d, want the target below 220", seed, found.LimitedBy, found.Below)
		}
		for _, trial := range found.Trials {
			if !trial.Kept && trial.LimitedBy != reportv1.LimitedByTarget {
				t.Errorf("%s: %+v is not said to be the target's", seed, trial)
			}
		}
		grows(t, found.Trials)
	}
}

func TestSearchThatKeepsTheHighestRateKnowsNoLimit(t *testing.T) {
	found := measured(t, 1, upTo(700), &drivertest.Target{Latency: 10 * time.Millisecond}).Search
	if found.Found != 700 || found.LimitedBy != reportv1.LimitedByMaximum || found.Below != 0 {
		t.Errorf("found %d, limited by %s, below %d; want 700 by the maximum", found.Found, found.LimitedBy, found.Below)
	}
}

func TestSearchEndsWithItsTime(t *testing.T) {
	step := searchStep()
	step.Search.MaxSeconds = 60
	found := measured(t, 1, step, &drivertest.Target{Latency: 10 * time.Millisecond}).Search
	last := found.Trials[len(found.Trials)-1]
	if !last.Confirmation || found.Found != last.Rate || found.Found < 100 || found.LimitedBy != reportv1.LimitedByTime {
		t.Errorf("found %d by %s after %+v; want a lower rate that was confirmed", found.Found, found.LimitedBy, last)
	}
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
			func(trial reportv1.Trial) bool { return trial.Slow > 0 && trial.Errors > 0 },
		},
		"what is asked is not achieved": {
			&drivertest.Target{Latency: 3 * time.Second},
			func(trial reportv1.Trial) bool { return trial.Achieved < 10 && trial.Dropped > 0 },
		},
	} {
		t.Run(name, func(t *testing.T) {
			found := measured(t, 1, searchStep(), tc.target).Search
			if found.Found != 0 || found.LimitedBy != reportv1.LimitedByTarget || len(found.Trials) < 2 {
				t.Errorf("got %+v, want nothing found by more than one trial, because of the target", found)
			}
			unexplained := func(trial reportv1.Trial) bool { return trial.Rate != 100 || trial.Kept || !tc.wrong(trial) }
			if at := slices.IndexFunc(found.Trials, unexplained); at >= 0 {
				t.Errorf("%+v does not tell why", found.Trials[at])
			}
		})
	}
}

// A target that stands still for a while now and then fails some trials at any rate. These are tried again.
func TestSearchTriesAgainWhatFailedByBadLuck(t *testing.T) {
	target := &drivertest.Target{
		Latency: 10 * time.Millisecond, StallEvery: 97 * time.Second, StallFor: 300 * time.Millisecond, Forget: true,
	}
	step := searchStep()
	step.Search.TolerancePercent = 5
	found := measured(t, 1, step, target).Search
	failed, again := map[int64]bool{}, false
	for _, trial := range found.Trials {
		again = again || failed[trial.Rate]
		failed[trial.Rate] = failed[trial.Rate] || !trial.Kept
	}
	if found.Found < 900 || found.Found > 1010 {
		t.Errorf("found %d (a rate that failed was tried again: %t), want 1000 within 10 %%: %+v",
			found.Found, again, found.Trials)
	}
}
