package result_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// busy is an operation that this many threads' milliseconds went into.
func busy(t *testing.T, name string, count, millis int64) reportv1alpha1.Operation {
	t.Helper()
	times := make([]int64, count)
	for i := range times {
		times[i] = max(1, millis*1000/count)
	}
	return reportv1alpha1.Operation{
		Name: name, Kind: "FindOne", Count: count, BusyMicros: millis * 1000, ServiceTime: histogram(t, times...),
	}
}

// says fails unless a text has what is wanted in it; an empty want is an empty text.
func says(t *testing.T, what, got, want string) {
	t.Helper()
	if (got == "") != (want == "") || !strings.Contains(got, want) {
		t.Errorf("the %s is %q, want %q", what, got, want)
	}
}

func TestAMixThatIsPacedByFewOperationsIsTold(t *testing.T) {
	type mix []reportv1alpha1.Operation
	for name, tc := range map[string]struct {
		mix    mix
		change func(*reportv1alpha1.Step)
		// doubt and note are parts of what is said; empty: nothing.
		doubt, note string
	}{
		"one operation":             {mix: mix{busy(t, "read", 10, 1000)}},
		"operations that are alike": {mix: mix{busy(t, "read", 800, 800), busy(t, "update", 200, 400)}},
		"a slow operation that is often sent": {
			mix: mix{busy(t, "read", 500, 100), busy(t, "scan", 100, 10_000)},
		},
		"a rare operation that takes less than half of the time": {
			mix: mix{busy(t, "read", 999, 1000), busy(t, "report", 1, 999)},
		},
		"a rare operation that takes half of the time": {
			mix: mix{busy(t, "read", 999, 1000), busy(t, "report", 1, 1000)},
			doubt: `step "mixed": report takes 50 % of the threads' time with 0.1 % of the operations, so that the others, ` +
				`100/s, are paced by it; give it a group or a step apart`,
		},
		"an operation in ten that takes half of the time": {
			mix:  mix{busy(t, "read", 900, 1000), busy(t, "report", 100, 1000)},
			note: "report takes 50 % of the threads' time with 10 % of the operations",
		},
		"one in a hundred is rare": {
			mix: mix{busy(t, "read", 990, 1000), busy(t, "report", 10, 1000)}, doubt: "with 1 % of the operations",
		},
		"two slow operations, neither of which takes half of the time": {
			mix:   mix{busy(t, "read", 998, 1000), busy(t, "a", 1, 4000), busy(t, "b", 1, 4500)},
			doubt: "b, a take 89 % of the threads' time",
		},
		"an operation that never ended": {
			mix:   mix{busy(t, "read", 998, 1000), {Name: "report", Kind: "Aggregate", BusyMicros: 8_000_000}},
			doubt: "report takes 88 % of the threads' time with 0 % of the operations",
		},
		"an open loop keeps its own pace": {
			mix: mix{busy(t, "read", 999, 1000), busy(t, "report", 1, 1000)},
			change: func(s *reportv1alpha1.Step) {
				s.Arrivals = &reportv1alpha1.Arrivals{Process: "Poisson", Due: 1000}
				for i := range s.Operations {
					s.Operations[i].ResponseTime = s.Operations[i].ServiceTime
				}
			},
		},
		"an action keeps threads waiting": {
			mix:    mix{busy(t, "read", 999, 1000), busy(t, "report", 1, 1000)},
			change: func(s *reportv1alpha1.Step) { s.Actions = []reportv1alpha1.Action{{Name: "stop"}} },
		},
		"a report of an older load generator": {
			mix: mix{
				{Name: "a", ServiceTime: histogram(t, 1), Count: 1}, {Name: "b", ServiceTime: histogram(t, 1), Count: 1},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			report := podReport(t, 500)
			report.Steps[1].Operations = tc.mix
			report.Steps[1].Steady = &reportv1alpha1.Steady{Reached: true}
			if tc.change != nil {
				tc.change(&report.Steps[1])
			}
			says(t, "doubt", doubtOf(t, report, benchv1alpha1.ReasonPacedMix), tc.doubt)
			says(t, "note", strings.Join(result.Notes(report), "; "), tc.note)
			if pace := result.Pace(report.Steps[1]); (pace == "") != (tc.doubt == "" && tc.note == "") {
				t.Errorf("the line of the step is %q", pace)
			}
		})
	}
}

func TestStepsWhoseSteadinessWasNotCheckedAreNamed(t *testing.T) {
	short := func(name string, seconds int) reportv1alpha1.Step {
		step := series(seconds, func(int) float64 { return high })
		step.Name, step.Kind, step.WindowMillis = name, reportv1alpha1.KindMeasure, int64(seconds)*1000
		return step
	}
	few := short("few", 60)
	few.Operations = []reportv1alpha1.Operation{{Intervals: []int64{3}}}
	checked := short("checked", 30)
	checked.Steady = result.FindSteady(checked)
	ramp := short("ramp", 60)
	for name, tc := range map[string]struct {
		steps []reportv1alpha1.Step
		want  []string
	}{
		"long enough": {steps: []reportv1alpha1.Step{checked}},
		"too short": {
			steps: []reportv1alpha1.Step{short("a", 15), checked},
			want: []string{
				`whether the throughput was steady was not checked of step "a": 15.0 s were measured, and it takes 30.0 s`,
			},
		},
		"several": {
			steps: []reportv1alpha1.Step{short("a", 5), few, short("b", 5), short("c", 5), short("d", 5)},
			want: []string{`whether the throughput was steady was not checked of steps "a", "few", "b", and 2 more: ` +
				"5.00 s were measured, and it takes 30.0 s"},
		},
		"too few operations": {
			steps: []reportv1alpha1.Step{few},
			want: []string{`whether the throughput was steady was not checked of step "few": 3 operations succeeded in ` +
				"60.0 s, and it takes one in 5.00 s"},
		},
		"a rate that is to change": {steps: []reportv1alpha1.Step{ramp}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, result.Notes(reportv1alpha1.Report{Steps: tc.steps})); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
	if got := result.NotChecked(ramp); got != "its load is not the same all the time" {
		t.Errorf("of a rate that is to change it says %q", got)
	}
	if got := result.NotChecked(checked); got != "" {
		t.Errorf("of a step that was checked it says %q", got)
	}
}
