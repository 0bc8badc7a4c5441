package show_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/show"
	"github.com/mongobench/mongobench-operator/internal/present/screen"
)

func conditions(all ...[3]string) []metav1.Condition {
	made := make([]metav1.Condition, 0, len(all))
	for _, words := range all {
		made = append(made, metav1.Condition{
			Type: words[0], Status: metav1.ConditionStatus(words[1]), Reason: words[2], Message: "why", ObservedGeneration: 2,
		})
	}
	return made
}

func TestEndingOfARun(t *testing.T) {
	cases := map[string]struct {
		conditions []metav1.Condition
		want       show.Ending
		message    string
	}{
		"not looked at":   {nil, show.Open, ""},
		"it is under way": {conditions([3]string{"Succeeded", "Unknown", "NotEnded"}), show.Open, ""},
		"it missed an objective": {
			conditions([3]string{"Succeeded", "True", "Completed"}, [3]string{"ObjectivesKept", "False", "Missed"}),
			show.Regressed, "missed an objective: why; it succeeded",
		},
		"it succeeded": {conditions([3]string{"Succeeded", "True", "Completed"}), show.Succeeded, "succeeded"},
		"it failed": {
			conditions([3]string{"Succeeded", "False", "OOMKilled"}), show.Failed, "failed: OOMKilled: why",
		},
		"it succeeded and may be believed": {
			conditions([3]string{"Succeeded", "True", "Completed"}, [3]string{"Trusted", "True", "NoConcern"}),
			show.Succeeded, "succeeded",
		},
		"it is in doubt": {
			conditions([3]string{"Succeeded", "True", "Completed"}, [3]string{"Trusted", "False", "StartSkew"}),
			show.Succeeded, "succeeded, and is not to be trusted: why",
		},
		"it was refused": {
			conditions([3]string{"Accepted", "False", "Invalid"}, [3]string{"Succeeded", "False", "Invalid"}),
			show.Refused, "refused: why",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			run := &benchv1alpha1.BenchmarkRun{Status: benchv1alpha1.BenchmarkRunStatus{Conditions: tc.conditions}}
			if got := show.StateOfRun(run); got.Ending != tc.want || got.Message != tc.message {
				t.Errorf("got %d, %q, want %d, %q", got.Ending, got.Message, tc.want, tc.message)
			}
		})
	}
}

func TestEndingOfASuite(t *testing.T) {
	complete := [3]string{"Complete", "True", "AllSucceeded"}
	cases := map[string]struct {
		conditions []metav1.Condition
		generation int64
		want       show.Ending
		message    string
	}{
		"not looked at":      {},
		"runs are missing":   {conditions: conditions([3]string{"Complete", "False", "RunsPending"})},
		"it is not compared": {conditions: conditions(complete, [3]string{"Regressed", "Unknown", "NotCompared"})},
		"all is of the content before": {
			conditions: conditions(complete, [3]string{"Regressed", "True", "MetricRegressed"}), generation: 3,
		},
		"nothing regressed": {
			conditions: conditions(complete, [3]string{"Regressed", "False", "NoRegression"}),
			want:       show.Succeeded, message: "succeeded, not regressed: why",
		},
		"something regressed": {
			conditions: conditions(complete, [3]string{"Regressed", "True", "MetricRegressed"}),
			want:       show.Regressed, message: "regressed: why",
		},
		"inconclusive": {
			conditions: conditions(complete, [3]string{"Regressed", "Unknown", "NoBaseline"}),
			want:       show.Succeeded, message: "succeeded, without a verdict on regressions: NoBaseline: why",
		},
		"it is not known, and the gate is shut": {
			conditions: conditions(complete, [3]string{"Regressed", "Unknown", "NotDetected"},
				[3]string{"Passed", "False", "NotDetected"}),
			want: show.Regressed, message: "not passed: NotDetected: why",
		},
		"it is not known, and the gate is open": {
			conditions: conditions(complete, [3]string{"Regressed", "Unknown", "NotDetected"},
				[3]string{"Passed", "True", "NotDetected"}),
			want: show.Succeeded, message: "succeeded, without a verdict on regressions: NotDetected: why",
		},
		"something regressed where that is no failure": {
			conditions: conditions(complete, [3]string{"Regressed", "True", "MetricRegressed"},
				[3]string{"Passed", "True", "MetricRegressed"}),
			want: show.Succeeded, message: "succeeded, and regressed: why",
		},
		"runs failed": {
			conditions: conditions([3]string{"Complete", "True", "SomeFailed"},
				[3]string{"Regressed", "True", "MetricRegressed"}),
			want: show.Failed, message: "failed: SomeFailed: why",
		},
		"it was refused": {
			conditions: conditions([3]string{"Accepted", "False", "Invalid"}), want: show.Refused, message: "refused: why",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			suite := &benchv1alpha1.BenchmarkSuite{}
			suite.Generation = max(2, tc.generation)
			suite.Status.Conditions = tc.conditions
			if got := show.StateOfSuite(suite, nil); got.Ending != tc.want || got.Message != tc.message {
				t.Errorf("got %d, %q, want %d, %q", got.Ending, got.Message, tc.want, tc.message)
			}
		})
	}
}

func TestASuiteShowsWhichRunIsUnderWay(t *testing.T) {
	suite := &benchv1alpha1.BenchmarkSuite{}
	suite.Status.Runs = &benchv1alpha1.RunCounts{Planned: new(int32(10)), Succeeded: new(int32(3)), Failed: new(int32(1))}
	ended, under := benchv1alpha1.BenchmarkRun{}, benchv1alpha1.BenchmarkRun{}
	ended.Status.Conditions = conditions([3]string{"Succeeded", "True", "Completed"})
	under.Name = "index-with-3"
	under.Status.Conditions = conditions([3]string{"Progressing", "True", "Measuring"})
	under.Status.Progress = &benchv1alpha1.Progress{
		Step: "read", Percent: new(int32(5)), OperationsPerSecond: new(int64(700)),
	}
	got := show.StateOfSuite(suite, []benchv1alpha1.BenchmarkRun{ended, under})
	want := show.State{
		Stage: "4/10 runs, 1 failed", Detail: "for the operator", Step: "index-with-3 read", Percent: 5, Rate: 700,
		Unit: "ops/s",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// states of a run, a second apart.
func states() []show.State {
	all := make([]show.State, 0, 12)
	all = append(all,
		show.State{Stage: "Waiting", Detail: "for the operator", Percent: -1},
		show.State{Stage: "Provisioning", Detail: "0 of 1 members\nare ready", Percent: -1},
		show.State{Stage: "Provisioning", Detail: "0 of 1 members\nare ready", Percent: -1},
		show.State{Stage: "Loading", Step: "load", Percent: 50, Rate: 94000, Unit: "documents/s"},
	)
	for second := range 8 {
		all = append(all, show.State{
			Stage: "Measuring", Step: "mixed", Percent: 12 * second, Rate: int64(700 * second), Unit: "ops/s",
		})
	}
	return all
}

func shown(width int) string {
	var written strings.Builder
	shown := &show.Screen{Line: screen.Of(&written, func() int { return width })}
	for second, state := range states() {
		shown.Show(state, time.Duration(second)*time.Second)
	}
	shown.Clear()
	return written.String()
}

func TestPlainLinesSayWhatChanged(t *testing.T) {
	want := `    0.0 s  Waiting       for the operator
    1.0 s  Provisioning  0 of 1 members are ready
    3.0 s  Loading       load   50 %  94,000 documents/s
    4.0 s  Measuring     mixed    0 %
    9.0 s  Measuring     mixed   60 %  3,500 ops/s
`
	if diff := cmp.Diff(want, shown(0)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestATerminalHasOneLineWithASparkline(t *testing.T) {
	written := shown(120)
	lines := strings.Split(written, "\r\x1b[K")
	if strings.Contains(written, "\n") {
		t.Errorf("there is more than one line:\n%q", written)
	}
	want := "   11.0 s  Measuring     mixed  [################....]   84 %  4,900 ops/s  ▂▃▄▅▆▇█"
	if got := lines[len(lines)-2]; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if last := lines[len(lines)-1]; last != "" {
		t.Errorf("%q is left on the line", last)
	}
}

func TestALineOfATerminalNeverWraps(t *testing.T) {
	const width = 40
	written := shown(width)
	for line := range strings.SplitSeq(written, "\r\x1b[K") {
		if utf8.RuneCountInString(line) >= width {
			t.Errorf("%q is too long for %d columns", line, width)
		}
	}
}
