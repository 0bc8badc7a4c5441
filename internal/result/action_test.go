package result_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// through is a step whose throughput is given for each of its seconds.
func through(counts ...int64) reportv1alpha1.Step {
	return reportv1alpha1.Step{
		Name: "faulty", Kind: "Measure", IntervalMillis: 1000,
		MeasureStart: time.Unix(0, 0), End: time.Unix(int64(len(counts)), 0),
		Operations: []reportv1alpha1.Operation{{Name: "find", Intervals: counts}},
	}
}

// at is an action after that many milliseconds that is looked at until another time.
func at(millis, until int64) reportv1alpha1.Action {
	return reportv1alpha1.Action{Name: "fault", AtMillis: millis, UntilMillis: until}
}

func TestFindRecovery(t *testing.T) {
	never := new(int64(reportv1alpha1.NeverRecovered))
	for name, tc := range map[string]struct {
		counts  []int64
		actions []reportv1alpha1.Action
		want    *int64
	}{
		"it takes until the end of the last interval with less": {
			[]int64{100, 100, 100, 40, 0, 60, 95, 100}, []reportv1alpha1.Action{at(3500, 8000)}, new(int64(2500)),
		},
		"nine tenths are enough": {
			[]int64{100, 100, 100, 10, 90, 91, 90}, []reportv1alpha1.Action{at(3000, 7000)}, new(int64(1000)),
		},
		"one that is not noticed takes no time": {
			[]int64{100, 100, 100, 99, 100}, []reportv1alpha1.Action{at(3000, 5000)}, new(int64(0)),
		},
		"what comes back for a while only has not recovered": {
			[]int64{100, 100, 0, 100, 100, 20, 100, 100}, []reportv1alpha1.Action{at(2000, 8000)}, new(int64(4000)),
		},
		"one that lasts to the end is never over": {
			[]int64{100, 100, 0, 50, 50}, []reportv1alpha1.Action{at(2000, 5000)}, never,
		},
		"what varied before may vary afterwards": {
			[]int64{100, 70, 110, 105, 0, 100, 72, 100}, []reportv1alpha1.Action{at(4000, 8000)}, new(int64(1000)),
		},
		"but not by more than half": {
			[]int64{100, 0, 110, 105, 0, 30, 100, 100}, []reportv1alpha1.Action{at(4000, 8000)}, new(int64(2000)),
		},
		"the next action ends it": {
			[]int64{100, 100, 0, 100, 0, 0}, []reportv1alpha1.Action{at(2000, 4000), at(4000, 6000)}, new(int64(1000)),
		},
		"nothing before it tells nothing": {[]int64{0, 100}, []reportv1alpha1.Action{at(500, 2000)}, nil},
		"nothing after it tells nothing":  {[]int64{100, 100}, []reportv1alpha1.Action{at(1500, 1900)}, nil},
		"a target that did nothing tells nothing": {
			[]int64{0, 0, 0, 100}, []reportv1alpha1.Action{at(2000, 4000)}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			step := through(tc.counts...)
			step.Actions = tc.actions
			if diff := cmp.Diff(tc.want, result.FindRecovery(step, 0)); diff != "" {
				t.Errorf("recovery (-want +got):\n%s", diff)
			}
		})
	}
}

func TestASecondActionIsComparedWithWhatCameAfterTheFirst(t *testing.T) {
	step := through(100, 100, 50, 50, 50, 10, 50, 50)
	step.Actions = []reportv1alpha1.Action{at(2000, 5000), at(2000, 5000), at(5000, 8000)}
	for i, want := range []int64{reportv1alpha1.NeverRecovered, reportv1alpha1.NeverRecovered, 1000} {
		if got := result.FindRecovery(step, i); got == nil || *got != want {
			t.Errorf("action %d recovered after %v ms, want %d", i, got, want)
		}
	}
}

func TestMergedActionsAreThoseOfPod0WithTheLongestOutage(t *testing.T) {
	one, other := podReport(t, 1), podReport(t, 1)
	for i, report := range []*reportv1alpha1.Report{&one, &other} {
		step := through(100, 100, 0, 0, 100, 100)
		if i == 1 {
			step = through(300, 300, 0, 300, 300, 300)
		}
		step.Name, step.Actions = report.Steps[1].Name, []reportv1alpha1.Action{at(2000, 6000)}
		step.Actions[0].OutageMicros = int64(1_000_000 + 500_000*i)
		step.Actions[0].RecoveryMillis = result.FindRecovery(step, 0)
		report.Steps[1] = step
	}
	one.Steps[1].Actions[0].Member, one.Steps[1].Actions[0].AtMillis = "host:1", 2003
	for name, reports := range map[string][]reportv1alpha1.Report{
		"in their order": {one, other}, "in another order": {other, one},
	} {
		t.Run(name, func(t *testing.T) {
			merged, err := result.Merge(reports)
			if err != nil {
				t.Fatal(err)
			}
			want := []reportv1alpha1.Action{{
				Name: "fault", Member: "host:1", AtMillis: 2003, UntilMillis: 6000, OutageMicros: 1_500_000,
				RecoveryMillis: new(int64(1997)),
			}}
			if diff := cmp.Diff(want, merged.Steps[1].Actions); diff != "" {
				t.Errorf("actions (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatAnActionDoesIsNoReasonForDoubt(t *testing.T) {
	for name, tc := range map[string]struct {
		errors []int64
		failed string
		want   string
	}{
		"errors after it":           {errors: []int64{0, 0, 50, 10}},
		"errors before it":          {errors: []int64{0, 9, 50, 10}, want: `of operation "read" 9 of 11 failed`},
		"one that was not done":     {failed: "no primary", want: `"fault" was not carried out: no primary`},
		"one that was, and no more": {},
	} {
		t.Run(name, func(t *testing.T) {
			report := podReport(t, 1, 2, 3, 4)
			step := &report.Steps[1]
			step.IntervalMillis, step.Steady = 1000, &reportv1alpha1.Steady{VariationPercent: 90}
			step.Operations[0].Intervals, step.Operations[0].IntervalErrors = []int64{1, 1, 1, 1}, tc.errors
			for _, count := range tc.errors {
				step.Operations[0].Errors += count
			}
			step.Actions = []reportv1alpha1.Action{at(2500, 4000)}
			result.Fail(&report, step.Name, "fault", tc.failed)
			doubts, err := result.Doubts(report)
			if err != nil {
				t.Fatal(err)
			}
			said := ""
			if len(doubts) > 0 {
				said = doubts[0].Message
			}
			if (said == "") != (tc.want == "") || !strings.Contains(said, tc.want) || len(doubts) > 1 {
				t.Errorf("got %+v, want one with %q, or none", doubts, tc.want)
			}
		})
	}
}
