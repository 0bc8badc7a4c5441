package engine_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
)

// TestASearchThatIsCutKeepsItsTrials cuts one at many instants: between two trials, before one is counted, within it,
// and while the target recovers.
func TestASearchThatIsCutKeepsItsTrials(t *testing.T) {
	// Ten workers get 333 of these done in a second: few, since the test makes thirty searches.
	target := func() *drivertest.Target { return &drivertest.Target{Latency: 30 * time.Millisecond, Forget: true} }
	step := searchStep()
	step.Search.Lowest, step.Search.Highest, step.Search.LimitMicros = 50, 3000, 100_000
	// A trial takes five seconds or more, so that each is cut at several instants.
	whole := measured(t, 1, step, target()).Search.Trials
	last := 0
	for after := 20 * time.Second; after <= 60*time.Second; after += 1300 * time.Millisecond {
		synctest.Test(t, func(t *testing.T) {
			report, err := cutShort(t, testPlan(1, step), target(), after, errors.New("stop"))
			if err == nil || report.Partial == nil {
				t.Fatalf("cut after %s: error %v, partial %v", after, err, report.Partial)
			}
			found := report.Steps[len(report.Steps)-1].Search
			if found == nil || len(found.Trials) < max(last, 1) || found.Found > 336 {
				t.Fatalf("cut after %s: the search is %+v, want %d trials at least, and 333/s at most", after, found, max(last, 1))
			}
			last = len(found.Trials)
			sameTrials(t, found.Trials, whole)
			_, summarised := result.Summarise(report)
			_, doubted := result.Doubts(report)
			if err := errors.Join(summarised, doubted); err != nil {
				t.Errorf("cut after %s: %v", after, err)
			}
		})
	}
	if last < 3 {
		t.Errorf("after a minute there are %d trials", last)
	}
}

// sameTrials says that trials are those with which a whole search begins.
func sameTrials(t *testing.T, found, whole []reportv1.Trial) {
	t.Helper()
	for i, trial := range found {
		if trial.Rate != whole[i].Rate || trial.Kept != whole[i].Kept {
			t.Errorf("trial %d is %+v, want %+v", i, trial, whole[i])
		}
	}
}
