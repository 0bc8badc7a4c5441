package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/verify"
)

const skipped = "the dataset lies there already, unmodified"

// marked is a plan whose dataset has a fingerprint, with the operations of these kinds.
func marked(pods int, fingerprint string, kinds ...string) planv1.Plan {
	plan := testPlan(pods, planv1.Step{Threads: pods, OperationCount: 10})
	plan.Dataset = fingerprint
	var operations []planv1.Operation
	for _, operation := range plan.Steps[3].Operations {
		for _, kind := range kinds {
			if string(operation.Kind) == kind {
				operations = append(operations, operation)
			}
		}
	}
	plan.Steps[3].Operations = operations
	return plan
}

func states(target *drivertest.Target) string {
	marks := target.Marks()
	written := make([]string, 0, len(marks))
	for _, mark := range marks {
		written = append(written, mark.Fingerprint+" "+string(mark.State))
	}
	return strings.Join(written, ", ")
}

func TestADatasetIsLoadedAgainOnlyWhenItHasTo(t *testing.T) {
	reads, writes := marked(1, "a", "FindOne"), marked(1, "a", "FindOne", "InsertOne")
	always := marked(1, "a", "FindOne")
	always.ReloadAlways = true
	tests := map[string]struct {
		first, second planv1.Plan
		// wantMarks are all that were written, and wantSkipped whether the second run loaded nothing.
		wantMarks   string
		wantSkipped bool
	}{
		"the same after reads":          {reads, reads, "a Loading, a Clean", true},
		"writes do so after reads":      {reads, writes, "a Loading, a Clean, a Dirty", true},
		"the same after writes":         {writes, reads, "a Loading, a Clean, a Dirty, a Loading, a Clean", false},
		"another dataset":               {reads, marked(1, "b", "FindOne"), "a Loading, a Clean, b Loading, b Clean", false},
		"the same that is never reused": {reads, always, "a Loading, a Clean, a Loading, a Clean", false},
		"by two pods":                   {marked(2, "a", "FindOne"), marked(2, "a", "FindOne"), "a Loading, a Clean", true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			target := &drivertest.Target{}
			merge(t, tc.first, target)
			second := merge(t, tc.second, target)
			if got := states(target); got != tc.wantMarks {
				t.Errorf("marks %q, want %q", got, tc.wantMarks)
			}
			if got := target.Collections()["things"].Documents; got != documents {
				t.Errorf("%d documents", got)
			}
			want := map[bool]string{true: skipped}[tc.wantSkipped]
			if diff := cmp.Diff([]string{want, want, ""}, skips(second.Steps[:3])); diff != "" {
				t.Errorf("what was skipped of prepare, load and verify (-want +got):\n%s", diff)
			}
			if got := second.Steps[2].Documents; got != documents {
				t.Errorf("%d documents were counted", got)
			}
		})
	}
}

// merge has all pods of a plan follow it.
func merge(t *testing.T, plan planv1.Plan, target loadgen.Target) reportv1.Report {
	t.Helper()
	reports, err := drivertest.Run(t.Context(), plan, target)
	if err != nil {
		t.Fatal(err)
	}
	merged, err := result.Merge(reports)
	if err != nil {
		t.Fatal(err)
	}
	return merged
}

func skips(steps []reportv1.Step) []string {
	reasons := make([]string, 0, len(steps))
	for _, step := range steps {
		reasons = append(reasons, step.Skipped)
	}
	return reasons
}

func TestIndexesOfADatasetThatLiesThereAreNotMadeAgain(t *testing.T) {
	plan := marked(1, "a", "FindOne")
	plan.Steps[0].WithoutIndexes = true
	plan.Steps = slices.Insert(plan.Steps, 2, planv1.Step{Name: "index", Kind: planv1.StepIndex})
	target := &drivertest.Target{}
	for range 2 {
		if _, err := newEngine(plan, target).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(target.Indexed()); got != 1 {
		t.Errorf("the indexes were made %d times", got)
	}
}

func TestAForeignDatabaseIsLeftAlone(t *testing.T) {
	foreign := func() *drivertest.Target {
		return &drivertest.Target{Foreign: []string{"orders", "people"}}
	}
	t.Run("when it is not allowed", func(t *testing.T) {
		target := foreign()
		_, err := newEngine(marked(1, "a", "FindOne"), target).Run(t.Context())
		for _, part := range []string{`database "test"`, "(orders, people)", "external.allowExisting", "--allow-existing"} {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("error %v, want %q in it", err, part)
			}
		}
		if states(target) != "" || len(target.Collections()) > 0 {
			t.Errorf("marks %q, collections %v", states(target), target.Collections())
		}
	})
	t.Run("unless it is allowed", func(t *testing.T) {
		target := foreign()
		e := newEngine(marked(1, "a", "FindOne"), target)
		e.AllowExisting = true
		if _, err := e.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("unless a run has marked it", func(t *testing.T) {
		target := foreign()
		mark := reportv1.DatasetMark{Fingerprint: "b", State: reportv1.DatasetDirty}
		if err := target.SetMark(t.Context(), "test", mark); err != nil {
			t.Fatal(err)
		}
		if _, err := newEngine(marked(1, "a", "FindOne"), target).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

func TestALoadIsGoneOnWithOnlyWhereItWasBegun(t *testing.T) {
	for name, tc := range map[string]struct {
		mark reportv1.DatasetMark
		want string
	}{
		"one that was begun":   {mark: reportv1.DatasetMark{Fingerprint: "a", State: reportv1.DatasetLoading}},
		"one that is complete": {mark: reportv1.DatasetMark{Fingerprint: "a", State: reportv1.DatasetClean}},
		"one of another dataset": {
			reportv1.DatasetMark{Fingerprint: "b", State: reportv1.DatasetLoading}, "without --resume",
		},
		"one that was written to": {
			reportv1.DatasetMark{Fingerprint: "a", State: reportv1.DatasetDirty}, "its mark is Dirty",
		},
	} {
		t.Run(name, func(t *testing.T) {
			plan, target := marked(1, "a", "FindOne"), &drivertest.Target{Keep: true}
			if _, err := newEngine(plan, target).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := target.SetMark(t.Context(), "test", tc.mark); err != nil {
				t.Fatal(err)
			}
			e := newEngine(plan, target)
			e.Resume = true
			_, err := e.Run(t.Context())
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

// fromLoad is a plan with a date that counts from the load, whatever the mark says of earlier ones.
func fromLoad(pods int) planv1.Plan {
	plan := marked(pods, "a", "FindOne")
	plan.ReloadAlways = true
	plan.Collections[0].Fields = append(plan.Collections[0].Fields, planv1.Field{
		Name: "at", Value: planv1.Value{Type: benchv1alpha1.GeneratorDate, Min: -1000, Max: -1000, FromLoad: true},
	})
	return plan
}

// load has all pods of a plan follow it, or its only one go on with a load.
func load(t *testing.T, plan planv1.Plan, target loadgen.Target, resume bool) {
	t.Helper()
	if !resume {
		merge(t, plan, target)
		return
	}
	e := newEngine(plan, target)
	e.Resume = true
	if _, err := e.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestDatesCountFromTheInstantThatTheMarkKeeps(t *testing.T) {
	const earlier = 1_700_000_000_000
	loading := reportv1.DatasetMark{Fingerprint: "a", State: reportv1.DatasetLoading, LoadBegan: earlier}
	for name, tc := range map[string]struct {
		pods           int
		resume, wanted bool
	}{
		"one pod": {pods: 1}, "two pods": {pods: 2}, "a load that is gone on with": {pods: 1, resume: true, wanted: true},
	} {
		t.Run(name, func(t *testing.T) {
			plan, target := fromLoad(tc.pods), &drivertest.Target{Keep: true}
			if err := target.SetMark(t.Context(), "test", loading); err != nil {
				t.Fatal(err)
			}
			load(t, plan, target, tc.resume)
			marks := target.Marks()[1:]
			began := marks[0].LoadBegan
			if (began == earlier) != tc.wanted {
				t.Errorf("the load began at %d, and an earlier one at %d", began, int64(earlier))
			}
			if slices.ContainsFunc(marks, func(m reportv1.DatasetMark) bool { return m.LoadBegan != began }) {
				t.Errorf("marks differ in when the load began: %v", marks)
			}
			differing, err := verify.Verify(t.Context(), target, plan.Dated(time.UnixMilli(began)),
				verify.Options{Check: benchv1alpha1.VerifyAll})
			if err := errors.Join(err, verify.Differences(differing)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestADatasetThatWasChangedBehindItsMarkIsLoadedByTheNextRun(t *testing.T) {
	target := &drivertest.Target{}
	plan := marked(1, "a", "FindOne")
	if _, err := newEngine(plan, target).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	target.Lose = 3
	_, err := newEngine(plan, target).Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "not loaded again") {
		t.Errorf("error %v", err)
	}
	target.Lose = 0
	if _, err := newEngine(plan, target).Run(t.Context()); err != nil {
		t.Error(err)
	}
	if got, want := states(target), "a Loading, a Clean, a Dirty, a Loading, a Clean"; got != want {
		t.Errorf("marks %q, want %q", got, want)
	}
}

func TestALoadThatWasBrokenOffLeavesNoCleanMark(t *testing.T) {
	target := &drivertest.Target{Lose: 1}
	if _, err := newEngine(marked(1, "a", "FindOne"), target).Run(t.Context()); err == nil {
		t.Fatal("no error")
	}
	if got := states(target); got != "a Loading" {
		t.Errorf("marks %q", got)
	}
}

func TestTheMarkIsTold(t *testing.T) {
	target := &drivertest.Target{}
	run := func() []reportv1.Progress {
		e := newEngine(marked(1, "a", "FindOne", "InsertOne"), target)
		reporter := &drivertest.Reporter{}
		e.Reporter = reporter
		if _, err := e.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		var waiting []reportv1.Progress
		for _, progress := range reporter.Seen() {
			if progress.State != reportv1.ProgressRunning {
				waiting = append(waiting, progress)
			}
		}
		return waiting
	}
	is := func(state reportv1.DatasetState) *reportv1.DatasetMark {
		return &reportv1.DatasetMark{Fingerprint: "a", State: state}
	}
	loading, clean, dirty := is(reportv1.DatasetLoading), is(reportv1.DatasetClean), is(reportv1.DatasetDirty)
	want := []reportv1.Progress{
		{Step: 0, State: reportv1.ProgressWaiting},
		{Step: 1, State: reportv1.ProgressWaiting, Dataset: loading},
		{Step: 2, State: reportv1.ProgressWaiting, Dataset: loading},
		{Step: 3, State: reportv1.ProgressWaiting, Dataset: dirty},
		{Step: 3, State: reportv1.ProgressDone, Percent: 100, Dataset: dirty},
	}
	if diff := cmp.Diff(want, run()); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	if err := target.SetMark(t.Context(), "test", *clean); err != nil {
		t.Fatal(err)
	}
	last := run()
	if got := last[2]; !got.Reused || cmp.Diff(clean, got.Dataset) != "" {
		t.Errorf("of a dataset that lay there was told %+v", got)
	}
}

// silent is a target that knows nothing but the methods of one.
type silent struct{ loadgen.Target }

func (s silent) Read(context.Context, string, string, []bson.RawValue) ([]bson.Raw, error) {
	return nil, nil
}

func TestATargetThatCannotTellWhoseADatabaseIsIsNotWrittenTo(t *testing.T) {
	_, err := newEngine(marked(1, "a", "FindOne"), silent{&drivertest.Target{}}).Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "does not support ownership markers; refusing to drop") {
		t.Errorf("error %v", err)
	}
}
