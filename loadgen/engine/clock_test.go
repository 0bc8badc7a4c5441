package engine_test

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/testing/clocktest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
)

// setter sets the clock of a machine as soon as steps have begun.
type setter struct {
	clocktest.Machine
	by map[string]time.Duration
}

func (s *setter) Begin(step planv1.Step)     { s.Set(s.by[step.Name]) }
func (s *setter) Record(...measure.Recorded) {}
func (s *setter) End()                       {}

// TestAClockThatIsSetChangesNoFigure: back by an hour in the middle of a step, after it was set forward while loading.
func TestAClockThatIsSetChangesNoFigure(t *testing.T) {
	const forward, back = time.Minute, -time.Hour
	machine := &setter{by: map[string]time.Duration{"load": forward, "mixed": back}}
	engine := engine.Engine{
		Plan: testPlan(1, planv1.Step{Threads: 2, OperationCount: 501}), PlanHash: "hash", Target: &drivertest.Target{},
		Reporter: &drivertest.Reporter{}, Log: slog.New(slog.DiscardHandler), Clock: machine.Now, Watcher: machine,
	}
	measured, err := engine.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := result.Encode(measured)
	if err != nil {
		t.Fatal(err)
	}
	// What is stored has the wall clock alone.
	stored, err := reportv1.Decode(encoded)
	if err != nil {
		t.Fatal(err)
	}
	checkInOrder(t, measured, stored)
	load, mixed := stored.Steps[1], stored.Steps[3]
	for what, micros := range map[string][2]int64{
		"load was set by":                {load.ClockStepMicros, forward.Microseconds()},
		"load was set by before":         {load.ClockSetMicros, 0},
		"the measured step was set by":   {mixed.ClockStepMicros, back.Microseconds()},
		"it had been set before by":      {mixed.ClockSetMicros, forward.Microseconds()},
		"the verification was set by":    {stored.Steps[2].ClockStepMicros, 0},
		"that had been set before it by": {stored.Steps[2].ClockSetMicros, forward.Microseconds()},
	} {
		if off := (time.Duration(micros[0]-micros[1]) * time.Microsecond).Abs(); off > time.Second {
			t.Errorf("%s %d µs, want about %d", what, micros[0], micros[1])
		}
	}
	doubts, err := result.Doubts(stored)
	stepped := func(doubt result.Doubt) bool { return doubt.Reason == benchv1alpha1.ReasonClockStepped }
	if err != nil || !slices.ContainsFunc(doubts, stepped) {
		t.Errorf("doubts %+v, error %v; want the clock", doubts, err)
	}
}

// checkInOrder wants steps of a stored report to have taken as long as they were measured to, and none to go back.
func checkInOrder(t *testing.T, measured, stored reportv1.Report) {
	t.Helper()
	for i, step := range stored.Steps {
		if got, want := step.Duration(), measured.Steps[i].Duration(); got != want || got < 0 {
			t.Errorf("step %s took %s by the stored report, want %s", step.Name, got, want)
		}
		if step.End.Before(step.Start) || step.MeasureStart.Before(step.Start) {
			t.Errorf("step %s began at %s, and ended at %s", step.Name, step.Start, step.End)
		}
	}
}
