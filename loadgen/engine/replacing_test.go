package engine_test

import (
	"context"
	"errors"
	"testing"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
)

// lost is a load pod that was told to end in the middle of a load, and what it said last.
func lost(t *testing.T, plan planv1.Plan, target *mongo.Target) *reportv1.Progress {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	go func() {
		awaitCheckpoint(ctx, t, target)
		cancel(stop)
	}()
	pod, reporter := newEngine(plan, target), &drivertest.Reporter{}
	pod.Reporter = reporter
	if _, err := pod.Run(ctx); !errors.Is(err, stop) {
		t.Fatalf("the load ended with %v before it was stopped", err)
	}
	seen := reporter.Seen()
	return &seen[len(seen)-1]
}

// TestAPodInThePlaceOfALostOneLoadsWhatIsMissing: also the third, and also when all of it was there already.
func TestAPodInThePlaceOfALostOneLoadsWhatIsMissing(t *testing.T) {
	_, target := opened(t)
	plan := longLoad()
	plan.ReloadAlways = true
	whole := plan.Collections[0].DocumentCount
	pod, reporter := newEngine(plan, target), &drivertest.Reporter{}
	pod.Replaces, pod.Reporter = lost(t, plan, target), reporter
	report, err := pod.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	load := report.Steps[1]
	if load.ResumedDocuments == 0 || load.Documents+load.ResumedDocuments != whole {
		t.Errorf("%d documents were written and %d left out, want some of each and %d in all", load.Documents,
			load.ResumedDocuments, whole)
	}

	for state, said := range map[reportv1.DatasetState]*reportv1.Progress{
		reportv1.DatasetClean: {Step: 2, State: reportv1.ProgressRunning},
		reportv1.DatasetDirty: {Step: 2, State: reportv1.ProgressRunning},
	} {
		mark := reportv1.DatasetMark{Fingerprint: plan.Dataset, State: state}
		if err := target.SetMark(t.Context(), plan.Database, mark); err != nil {
			t.Fatal(err)
		}
		said.Dataset = &mark
		pod := newEngine(plan, target)
		pod.Replaces = said
		report, err := pod.Run(t.Context())
		if err != nil {
			t.Fatalf("with a dataset that is %s: %v", state, err)
		}
		load := report.Steps[1]
		if load.Documents != 0 || load.ResumedDocuments != whole || load.Skipped != "" {
			t.Errorf("of a dataset that is %s %d documents were sent again, %d left out, and it says %q", state,
				load.Documents, load.ResumedDocuments, load.Skipped)
		}
	}
}

// TestAPodLostBeforeItClaimedTheDatabaseBegins: what lies there is of another run.
func TestAPodLostBeforeItClaimedTheDatabaseBegins(t *testing.T) {
	_, target := opened(t)
	plan := longLoad()
	plan.Collections[0].DocumentCount = 1000
	other := reportv1.DatasetMark{Fingerprint: "another", State: reportv1.DatasetDirty}
	if err := target.SetMark(t.Context(), plan.Database, other); err != nil {
		t.Fatal(err)
	}
	pod := newEngine(plan, target)
	pod.Replaces = &reportv1.Progress{State: reportv1.ProgressRunning}
	report, err := pod.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := report.Steps[1].Documents; got != 1000 {
		t.Errorf("%d documents were loaded, want 1000", got)
	}
}

// opens is a gate that is open up to a step.
type opens int

func (o opens) Wait(context.Context, int) (time.Time, error) { return time.Now(), nil }

func (o opens) Open(_ context.Context, step int) (bool, error) { return step <= int(o), nil }

func TestAPodInThePlaceOfALostOneDoesNotGoOnMeasuring(t *testing.T) {
	const measure = 3
	for name, tc := range map[string]struct {
		pods int
		open opens
		last reportv1.Progress
		late bool
	}{
		"one pod, while it verified": {
			pods: 1, last: reportv1.Progress{Step: measure - 1, State: reportv1.ProgressRunning},
		},
		"one pod, which does not wait at a gate": {
			pods: 1, last: reportv1.Progress{Step: measure, State: reportv1.ProgressWaiting}, late: true,
		},
		"one of two, at a gate that is closed": {
			pods: 2, open: measure - 1, last: reportv1.Progress{Step: measure, State: reportv1.ProgressWaiting},
		},
		"one of two, at a gate that has opened": {
			pods: 2, open: measure, last: reportv1.Progress{Step: measure, State: reportv1.ProgressWaiting},
			late: true,
		},
		"one of two, which was behind the others": {
			pods: 2, open: measure, last: reportv1.Progress{Step: 1, State: reportv1.ProgressRunning},
			late: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			pod := newEngine(testPlan(tc.pods, planv1.Step{Threads: 2, OperationCount: 10}), &drivertest.Target{})
			pod.Gate, pod.Replaces = tc.open, &tc.last
			if _, err := pod.Run(t.Context()); errors.Is(err, engine.ErrTooLate) != tc.late {
				t.Errorf("it ends with %v, want that it is too late: %t", err, tc.late)
			}
		})
	}
}
