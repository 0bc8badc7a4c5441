package main

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

func runIn(stage, message string) *benchv1alpha1.BenchmarkRun {
	run := &benchv1alpha1.BenchmarkRun{}
	run.Name = "first"
	run.Status.Conditions = []metav1.Condition{{
		Type: benchv1alpha1.RunProgressing, Status: metav1.ConditionTrue, Reason: stage, Message: message,
	}}
	return run
}

func measuring50(step string) *benchv1alpha1.BenchmarkRun {
	run := runIn(benchv1alpha1.StageMeasuring, "")
	run.Status.Progress = &benchv1alpha1.Progress{
		Step: step, Percent: new(int32(50)), OperationsPerSecond: new(int64(1234)),
	}
	return run
}

func TestLine(t *testing.T) {
	cases := map[string]struct {
		run  *benchv1alpha1.BenchmarkRun
		bar  bool
		want string
	}{
		"before the operator has seen the run": {
			run: &benchv1alpha1.BenchmarkRun{}, want: "   3.0 s  waiting for the operator",
		},
		"a stage without a step says what is waited for": {
			run: runIn("Provisioning", "pods are\nstarting"), want: "   3.0 s  Provisioning  pods are starting",
		},
		"a long message is cut on a terminal": {
			run: runIn("Provisioning", strings.Repeat("a", 99)), bar: true,
			want: "   3.0 s  Provisioning  " + strings.Repeat("a", 87) + "...",
		},
		"a long message is whole in a pipe": {
			run:  runIn("Provisioning", strings.Repeat("a", 99)),
			want: "   3.0 s  Provisioning  " + strings.Repeat("a", 99),
		},
		"a measurement on a terminal": {
			run: measuring50("reads"), bar: true,
			want: "   3.0 s  Measuring     reads  [##########..........]   50 %  1234 ops/s",
		},
		"a measurement in a pipe": {
			run: measuring50("reads"), want: "   3.0 s  Measuring     reads   50 %  1234 ops/s",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := line(tc.run, 3*time.Second, tc.bar); got != tc.want {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
}

func TestScreenWritesALineAtEachChangeAndEveryFiveSeconds(t *testing.T) {
	var written strings.Builder
	s := &screen{to: &written}
	began := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	shows := []struct {
		after time.Duration
		run   *benchv1alpha1.BenchmarkRun
		lines int
	}{
		{0, runIn("Provisioning", "a"), 1},
		{time.Second, runIn("Provisioning", "a"), 1},
		{2 * time.Second, measuring50("reads"), 2},
		{3 * time.Second, measuring50("writes"), 3},
		{7 * time.Second, measuring50("writes"), 3},
		{8 * time.Second, measuring50("writes"), 4},
	}
	for _, show := range shows {
		s.show(show.run, began.Add(show.after), began)
		if got := strings.Count(written.String(), "\n"); got != show.lines {
			t.Fatalf("after %s there are %d lines, want %d:\n%s", show.after, got, show.lines, written.String())
		}
	}
}

func TestScreenOverwritesOneLineOnATerminal(t *testing.T) {
	var written strings.Builder
	s := &screen{to: &written, terminal: true}
	s.show(measuring50("reads"), time.Now(), time.Now())
	s.show(measuring50("reads"), time.Now(), time.Now())
	s.clear()
	if strings.Contains(written.String(), "\n") || strings.Count(written.String(), overwrite) != 3 {
		t.Errorf("got %q, want one line that is overwritten", written.String())
	}
}

func TestPatienceIsTheSumOfAllDeadlines(t *testing.T) {
	step := benchv1alpha1.Step{Name: "a", DurationSeconds: new(int32(60)), WarmupSeconds: new(int32(5))}
	counted := benchv1alpha1.Step{Name: "b", OperationCount: new(int64(10))}
	cases := map[string]struct {
		spec benchv1alpha1.BenchmarkRunSpec
		want time.Duration
	}{
		"nothing is said": {
			spec: benchv1alpha1.BenchmarkRunSpec{Workload: benchv1alpha1.Workload{Steps: []benchv1alpha1.Step{step}}},
			want: (600+300+3600+300+65)*time.Second + slack,
		},
		"a number of operations has an hour": {
			spec: benchv1alpha1.BenchmarkRunSpec{Workload: benchv1alpha1.Workload{Steps: []benchv1alpha1.Step{counted}}},
			want: (600+300+3600+300+3600)*time.Second + slack,
		},
		"everything is said": {
			spec: benchv1alpha1.BenchmarkRunSpec{
				Target:   &benchv1alpha1.BenchmarkTargetSpec{ProvisioningSeconds: new(int32(10))},
				Workload: benchv1alpha1.Workload{Steps: []benchv1alpha1.Step{step}},
				Deadlines: &benchv1alpha1.Deadlines{
					SchedulingSeconds: new(int32(20)), LoadingSeconds: new(int32(30)), MeasuringSeconds: new(int32(40)),
				},
			},
			want: 100*time.Second + slack,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := patience(tc.spec); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}
