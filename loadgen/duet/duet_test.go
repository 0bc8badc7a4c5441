package duet_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	internalduet "github.com/mongobench/mongobench-operator/internal/duet"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/duet"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// machine is what both sides are on: it is slower at times, and knows how many operations of each side are under way.
type machine struct {
	began  time.Time
	busy   [2]atomic.Int64
	mixed  atomic.Int64
	served atomic.Int64
}

// slower is by how much the machine is slower at an instant: by up to a half, in waves of different lengths.
func (m *machine) slower(at time.Time) float64 {
	seconds := at.Sub(m.began).Seconds()
	return 1.25 + 0.125*math.Sin(seconds/7) + 0.125*math.Sin(seconds/31+1)
}

// target is a scripted database on the machine.
type target struct {
	drivertest.Target

	machine *machine
	side    int
	takes   time.Duration
}

func (t *target) Session(ctx context.Context, use loadgen.Use) (loadgen.Session, error) {
	opened, err := t.Target.Session(ctx, use)
	if err != nil {
		return nil, err
	}
	return &session{Session: opened, target: t}, nil
}

type session struct {
	loadgen.Session

	target *target
}

func (s *session) Execute(ctx context.Context, request *workload.Request, reply *loadgen.Reply) error {
	m := s.target.machine
	m.busy[s.target.side].Add(1)
	defer m.busy[s.target.side].Add(-1)
	if m.busy[1-s.target.side].Load() > 0 {
		m.mixed.Add(1)
	}
	// From one operation to the next it varies by a fifth, in an order that repeats after long.
	jitter := 0.9 + 0.2*math.Mod(float64(m.served.Add(1))*math.Phi, 1)
	takes := time.Duration(float64(s.target.takes) * m.slower(time.Now()) * jitter)
	if err := (alarm.Timer{}).Until(ctx, time.Now().Add(takes)); err != nil {
		return err
	}
	return s.Session.Execute(ctx, request, reply)
}

// plan loads some documents and measures one step of reads and inserts, in windows of a second.
func plan(seconds int) planv1.Plan {
	key := planv1.Parameter{Name: "id", Value: planv1.Value{Type: planv1.TypeKey, KeyField: "_id", KeyRangePercent: 100}}
	one := planv1.Plan{
		Version: planv1.Version, Seed: 42, Pods: 1, Database: "test",
		Collections: []planv1.Collection{{
			Name: "things", DocumentCount: 100,
			Fields: []planv1.Field{{Name: "_id", Value: planv1.Value{Type: benchv1alpha1.GeneratorObjectID}}},
		}},
		Steps: []planv1.Step{
			{Name: "prepare", Kind: planv1.StepPrepare},
			{Name: "load", Kind: planv1.StepLoad, Threads: 1, BatchDocuments: 25},
			{Name: "verify", Kind: planv1.StepVerify},
			{
				Name: "mixed", Kind: planv1.StepMeasure, Threads: 4, WarmupSeconds: 3, DurationSeconds: seconds,
				Operations: []planv1.Operation{
					{
						Name: "read", Weight: 3, Parameters: []planv1.Parameter{key},
						Request: planv1.Request{Kind: "FindOne", Collection: "things", Filter: `{"_id": {"$param": "id"}}`},
					},
					{Name: "insert", Weight: 1, Request: planv1.Request{Kind: "InsertOne", Collection: "things"}},
				},
			},
		},
	}
	whole := one
	whole.Steps = append([]planv1.Step{}, one.Steps...)
	whole.Steps[3].Compare = []planv1.Line{
		{Metric: benchv1alpha1.MetricOperationsPerSecond, MinEffectPercent: 5, ConfidencePercent: 95},
		{
			Metric: benchv1alpha1.MetricP50Micros, Operation: "read", LowerIsBetter: true, MinEffectPercent: 5,
			ConfidencePercent: 95,
		},
	}
	whole.Duet = &planv1.Duet{Baseline: one, Form: benchv1alpha1.DuetAlternating, WindowMillis: 1000, Lines: 2}
	return whole
}

// usual is what an operation of the baseline takes.
const usual = 10 * time.Millisecond

// sides are two targets on one machine.
func sides(candidate time.Duration) (*target, *target) {
	both := &machine{began: time.Now()}
	return &target{machine: both, side: 0, takes: candidate}, &target{machine: both, side: 1, takes: usual}
}

// measure has both sides measured, and returns what became of them.
func measure(
	ctx context.Context, plan planv1.Plan, candidate, baseline loadgen.Target,
) (reportv1.Report, *drivertest.Reporter, error) {
	reporter := &drivertest.Reporter{}
	one := &duet.Duet{
		Candidate: &engine.Engine{
			Plan: plan, PlanHash: "hash", Target: candidate, Reporter: reporter, Version: "test",
			Log: slog.New(slog.DiscardHandler), NewAlarm: func() alarm.Alarm { return alarm.Timer{} },
		},
		Baseline: &engine.Engine{Target: baseline},
	}
	report, err := one.Run(ctx)
	return report, reporter, err
}

func TestALossIsFoundAndTheStepEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		candidate, baseline := sides(12 * time.Millisecond)
		report, reporter, err := measure(t.Context(), plan(600), candidate, baseline)
		if err != nil {
			t.Fatal(err)
		}
		step := report.Duet.Steps[0]
		checkLoss(t, step)
		if mixed := candidate.machine.mixed.Load(); mixed > 0 {
			t.Errorf("%d operations were sent while the other side had some under way", mixed)
		}
		checkOrder(t, step.Windows)
		for name, side := range map[string]reportv1.Report{"candidate": report, "baseline": report.Duet.Baseline} {
			checkStep(t, name, side.Steps[3], step)
		}
		if handed := reporter.Reports(); len(handed) != 1 || handed[0].Duet == nil {
			t.Errorf("%d reports were handed in, want one with both sides", len(handed))
		}
		checkNumbers(t, candidate, baseline)
	})
}

// checkLoss wants the loss of a sixth of the throughput to be found, and a fifth more latency.
func checkLoss(t *testing.T, step reportv1.DuetStep) {
	t.Helper()
	for i, want := range []int64{-1667, 2000} {
		line := step.Lines[i]
		if line.Verdict != benchv1alpha1.VerdictRegressed || math.Abs(float64(*line.EffectBasisPoints-want)) > 100 ||
			*line.LowBasisPoints > want || *line.HighBasisPoints < want || line.DecidedMillis == 0 {
			t.Errorf("%s is %+v, want a regression of %d", line.Metric, line, want)
		}
	}
	if len(step.Windows) >= 400 || step.ElapsedMillis > 300_000 {
		t.Errorf("%d windows in %d ms, want an end long before the 20 minutes of the plan", len(step.Windows),
			step.ElapsedMillis)
	}
}

// checkNumbers wants each operation to have a number of its own.
func checkNumbers(t *testing.T, sides ...*target) {
	t.Helper()
	for _, side := range sides {
		if sent, different := inserted(side); sent != different || sent < 100 {
			t.Errorf("%d inserts of %d different documents: windows have the same numbers", sent, different)
		}
	}
}

// inserted is how many inserts were sent, and how many different ones.
func inserted(target *target) (sent, different int) {
	for request, count := range target.Requests() {
		if strings.Contains(request, "InsertOne") {
			sent += count
			different++
		}
	}
	return sent, different
}

// checkOrder wants A B A, B A B.
func checkOrder(t *testing.T, windows []reportv1.DuetWindow) {
	t.Helper()
	var order strings.Builder
	for i, window := range windows {
		order.WriteString(strings.ToUpper(window.Side[:1]))
		if i > 0 && window.AtMillis < windows[i-1].AtMillis+1000 {
			t.Errorf("window %d began %d ms after the one before, which took a second", i, window.AtMillis-windows[i-1].AtMillis)
		}
	}
	if got, want := order.String(), "CBBCBCCB"; !strings.HasPrefix(got, want) || len(got)%4 != 0 {
		t.Errorf("the order is %s, want whole groups that begin as %s", got, want)
	}
}

// checkStep wants the step of a side to be all of its windows together.
func checkStep(t *testing.T, name string, step reportv1.Step, of reportv1.DuetStep) {
	t.Helper()
	var windows, replies int64
	for _, window := range of.Windows {
		if window.Side == name {
			windows++
			replies += window.Replies
		}
	}
	var counted, inIntervals int64
	for _, operation := range step.Operations {
		counted += operation.Replies()
		for _, count := range operation.Intervals {
			inIntervals += count
		}
		if int64(len(operation.Intervals)) != windows {
			t.Errorf("%s: %d intervals of %s, want the %d of the windows", name, len(operation.Intervals), operation.Name,
				windows)
		}
	}
	if counted != replies || inIntervals != replies || step.WindowMillis != 1000*windows {
		t.Errorf("%s: %d operations (%d in intervals) in %d ms, want %d in %d windows of a second", name, counted,
			inIntervals, step.WindowMillis, replies, windows)
	}
	if span := step.WindowEnd().Sub(step.MeasureStart); span < 2*time.Duration(windows)*time.Second-time.Second {
		t.Errorf("%s: the windows span %s, and there are %d of them beside those of the other side", name, span, windows)
	}
}

func TestEqualSidesAreUnchangedBeforeTheTimeIsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		candidate, baseline := sides(usual)
		report, _, err := measure(t.Context(), plan(600), candidate, baseline)
		if err != nil {
			t.Fatal(err)
		}
		step := report.Duet.Steps[0]
		for _, line := range step.Lines {
			if line.Verdict != benchv1alpha1.VerdictUnchanged {
				t.Errorf("%s is %+v, want Unchanged", line.Metric, line)
			}
		}
		if len(step.Windows) >= 400 {
			t.Errorf("it took %d windows", len(step.Windows))
		}
	})
}

func TestProgressTellsOfTheDatasetsOfBothSides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		candidate, baseline := sides(usual)
		plan := plan(30)
		plan.Dataset, plan.Duet.Baseline.Dataset = "one", "other"
		_, reporter, err := measure(t.Context(), plan, candidate, baseline)
		if err != nil {
			t.Fatal(err)
		}
		seen := reporter.Seen()
		last := seen[len(seen)-1]
		want := reportv1.Progress{
			Dataset:         &reportv1.DatasetMark{Fingerprint: "one", State: reportv1.DatasetDirty},
			BaselineDataset: &reportv1.DatasetMark{Fingerprint: "other", State: reportv1.DatasetDirty},
		}
		got := reportv1.Progress{Dataset: last.Dataset, BaselineDataset: last.BaselineDataset}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("datasets (-want +got):\n%s", diff)
		}
	})
}

func TestTheTimeEndsAStepThatIsNotDecided(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		candidate, baseline := sides(usual)
		report, _, err := measure(t.Context(), plan(6), candidate, baseline)
		if err != nil {
			t.Fatal(err)
		}
		step := report.Duet.Steps[0]
		if len(step.Windows) != 12 || step.Lines[0].Verdict != benchv1alpha1.VerdictInconclusive {
			t.Errorf("%d windows, %+v; want 12 that decide nothing", len(step.Windows), step.Lines[0])
		}
	})
}

// ending is how a duet comes to an end before its time, and what it is to say then.
type ending struct {
	candidate, baseline func(*target)
	cancel              time.Duration
	want                string
	// partial says that what was measured is handed in. Open is that this depends on how far the candidate was, of which
	// the load may have ended when that of the baseline failed.
	partial, open bool
}

func (e ending) check(t *testing.T) {
	t.Helper()
	candidate, baseline := sides(usual)
	if e.candidate != nil {
		e.candidate(candidate)
	}
	if e.baseline != nil {
		e.baseline(baseline)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	if e.cancel > 0 {
		time.AfterFunc(e.cancel, func() { cancel(errors.New("it was told to")) })
	}
	report, reporter, err := measure(ctx, plan(6000), candidate, baseline)
	if err == nil || !strings.Contains(fmt.Sprint(err), e.want) {
		t.Errorf("it ended with %v, want %q", err, e.want)
	}
	if handed := len(reporter.Reports()) == 1; handed != e.partial && !e.open || e.partial && report.Duet == nil {
		t.Errorf("handed in: %t, want %t; both sides: %t", handed, e.partial, report.Duet != nil)
	}
}

func TestWhatEndsOneSideEndsTheOther(t *testing.T) {
	for name, tc := range map[string]ending{
		"the baseline fails for good while it is measured": {
			baseline: func(b *target) { b.FailAfter = 2000 }, want: "the baseline", partial: true,
		},
		"the candidate does": {
			candidate: func(c *target) { c.FailAfter = 2000 }, want: "the script says no", partial: true,
		},
		"the baseline cannot be loaded": {
			baseline: func(b *target) { b.FailSession = 1 }, want: "the baseline", open: true,
		},
		"the candidate cannot": {
			candidate: func(c *target) { c.FailSession = 1 }, want: "the script says no",
		},
		"the run is to end": {cancel: 20 * time.Second, want: "told to", partial: true},
	} {
		t.Run(name, func(t *testing.T) { synctest.Test(t, tc.check) })
	}
}

// TestARecordingIsAsLongAsTheStep: a difference that is plain does not end a step that is recorded, and all that was
// measured is handed out.
func TestARecordingIsAsLongAsTheStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		candidate, baseline := sides(20 * time.Millisecond)
		groups := 0
		one := &duet.Duet{
			Candidate: &engine.Engine{
				Plan: plan(300), PlanHash: "hash", Target: candidate, Reporter: &drivertest.Reporter{}, Version: "test",
				Log: slog.New(slog.DiscardHandler), NewAlarm: func() alarm.Alarm { return alarm.Timer{} },
			},
			Baseline: &engine.Engine{Target: baseline},
			Record: func(step string, group internalduet.Group) {
				if windows := group.Windows; step != "mixed" || len(windows[0]) != 2 || len(windows[1]) != 2 {
					t.Errorf("step %s has a group of %d and %d windows, want two of each side", step, len(windows[0]), len(windows[1]))
				}
				groups++
			},
		}
		report, err := one.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		step := report.Duet.Steps[0]
		if verdict := step.Lines[0].Verdict; verdict != benchv1alpha1.VerdictRegressed {
			t.Errorf("half the throughput is %s", verdict)
		}
		if groups != 150 || len(step.Windows) != 4*groups {
			t.Errorf("%d groups were recorded of %d windows, want the 150 of 300 s a side", groups, len(step.Windows))
		}
	})
}
