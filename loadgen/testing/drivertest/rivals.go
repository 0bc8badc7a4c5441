package drivertest

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
)

// CheckRivals starts two runs of a plan at once, which load and verify into one database of a real server, each over a
// target of its own: one does it all, and the other one's error says why it does nothing.
func CheckRivals(t *testing.T, plan planv1.Plan, targets [2]loadgen.Target) {
	t.Helper()
	plan.Steps = plan.Steps[:3]
	type end struct {
		name   string
		report reportv1.Report
		err    error
	}
	ended, ends := make(chan struct{}), make(chan end, len(targets))
	for i, target := range targets {
		name := fmt.Sprintf("bench/rival-%d", i)
		one := &engine.Engine{
			Plan: plan, PlanHash: "hash", Target: target, Version: "test", Log: slog.New(slog.DiscardHandler), RunName: name,
			Reporter: &patient{step: len(plan.Steps) - 1, until: ended},
		}
		go func() {
			report, err := one.Run(t.Context())
			ends <- end{name, report, err}
		}()
	}
	loser := <-ends
	close(ended)
	winner := <-ends
	if winner.err != nil {
		t.Fatalf("neither run has loaded: %v; %v", loser.err, winner.err)
	}
	for _, part := range []string{"is in use", winner.name, "nothing was dropped or written"} {
		if loser.err == nil || !strings.Contains(loser.err.Error(), part) {
			t.Errorf("the other run ended with %v, want %q in it", loser.err, part)
		}
	}
	want := plan.Collections[0].DocumentCount
	load, verified := winner.report.Steps[1], winner.report.Steps[2]
	if load.Documents != want || verified.Documents != want {
		t.Errorf("%d documents were loaded and %d found, want %d", load.Documents, verified.Documents, want)
	}
	keeper, is := targets[0].(loadgen.Keeper)
	if !is {
		t.Fatalf("%T keeps no claims", targets[0])
	}
	if held, err := keeper.Claim(t.Context(), plan.Database); err != nil || held != nil {
		t.Errorf("afterwards the database is held by %+v, %v", held, err)
	}
}

// patient is a Reporter that does not say that a step may begin before something else has happened.
type patient struct {
	Reporter
	step  int
	until <-chan struct{}
}

// Progress waits where it has to.
func (p *patient) Progress(ctx context.Context, progress reportv1.Progress) error {
	if progress.Step == p.step && progress.State == reportv1.ProgressWaiting {
		select {
		case <-p.until:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return p.Reporter.Progress(ctx, progress)
}
