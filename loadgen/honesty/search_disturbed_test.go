package honesty

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/search"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
)

// TestASearchThatIsCut runs on fake time.
func TestASearchThatIsCut(t *testing.T) {
	Check(t, Scenario{
		Item: "A13", Name: "a signal in the middle of a search", Doubt: benchv1alpha1.ReasonPartial,
		Truth: "four places serve an operation in 8 ms each: 500/s; several trials had ended",
		Run: func(t *testing.T) (told Told) {
			t.Helper()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				time.AfterFunc(40*time.Second, func() { cancel(errors.New("stopped by signal 15")) })
				report, err := (&engine.Engine{
					Plan: searching(64), Target: &drivertest.Target{Latency: 8 * time.Millisecond, Places: 4, Forget: true},
					Reporter: &drivertest.Reporter{}, Log: slog.New(slog.DiscardHandler),
					NewAlarm: func() alarm.Alarm { return alarm.Timer{} },
				}).Run(ctx)
				if err == nil || len(report.Steps) != 1 || report.Steps[0].Search == nil {
					t.Fatalf("error %v, and nothing is left of the search: %+v", err, report.Steps)
				}
				found := report.Steps[0].Search
				if len(found.Trials) < 3 || found.Found > 550 {
					t.Errorf("%d trials are left, found %d/s", len(found.Trials), found.Found)
				}
				doubts, err := result.Doubts(report)
				if err != nil {
					t.Fatal(err)
				}
				told = Told{
					Reported: fmt.Sprintf("%d/s by %d trials, %s", found.Found, len(found.Trials), report.Partial.Cause),
					Wrong:    true, Doubts: doubts,
				}
			})
			return told
		},
	})
}

// TestTrialsThatTheGeneratorFails: a server that carries 3,000/s, and a load generator that fails trials at any rate.
func TestTrialsThatTheGeneratorFails(t *testing.T) {
	const limit = 3000
	for _, percent := range []int{33, 100} {
		Check(t, Scenario{
			Item: "A8", Name: fmt.Sprintf("a search whose generator fails %d %% of the trials", percent),
			Truth: "the server keeps the objective up to 3,000/s",
			Run: func(t *testing.T) Told {
				t.Helper()
				found := failedBy(t, limit, percent)
				doubts, err := result.Doubts(reportv1.Report{Steps: []reportv1.Step{{
					Name: "search", Kind: reportv1.KindMeasure, Threads: 1, Search: &found,
				}}})
				if err != nil {
					t.Fatal(err)
				}
				doubts = slices.DeleteFunc(doubts, func(d result.Doubt) bool {
					return d.Reason != benchv1alpha1.ReasonSearchLimited
				})
				known := found.LimitedBy == reportv1.LimitedByTarget || found.Below > 0
				return Told{
					Reported: fmt.Sprintf("%d/s, below %d/s, limited by %s", found.Found, found.Below, found.LimitedBy),
					Wrong: found.Found > limit || known && float64(found.Found) < limit/1.1 ||
						found.Below > 0 && found.Below <= limit || known && percent == 100 || !known && len(doubts) == 0,
					Doubts: doubts,
				}
			},
		})
	}
}

// failedBy is a search of a server with a limit, of whose trials the load generator fails some percent.
func failedBy(t *testing.T, limit int64, percent int) reportv1.Search {
	t.Helper()
	s, err := search.New(planv1.Search{
		PercentileMillis: 99_000, LimitMicros: 10_000, Lowest: 100, Highest: 100_000, TrialSeconds: 5, TolerancePercent: 5,
		MaxSeconds: 600,
	}, 20*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, uint64(percent)))
	for {
		attempt, more := s.Next()
		if !more {
			return s.Result()
		}
		trial, shown := reportv1.Trial{Rate: attempt.Rate, Confirmation: attempt.Confirmation, OddsToOne: 9}, search.Decided
		switch {
		case random.IntN(100) < percent:
			trial.LimitedBy, shown = reportv1.LimitedByGenerator, -search.Decided
		case attempt.Rate > limit:
			trial.LimitedBy, shown = reportv1.LimitedByTarget, -search.Decided
		}
		trial.Kept = shown > 0
		s.Add(trial, shown, 7*time.Second)
	}
}
