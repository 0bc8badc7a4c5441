package results_test

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/results"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// duetLine has the labels of what compared adds.
const duetLine = `{baseline="old",metric="OperationsPerSecond",namespace="perf",run="a",step="s",verdict="Regressed"}`

// compared is a run that was measured in turns with a baseline; its line is there twice.
func compared(run benchv1alpha1.BenchmarkRun) benchv1alpha1.BenchmarkRun {
	line := benchv1alpha1.ComparisonLine{
		Variant: "candidate", Metric: benchv1alpha1.MetricOperationsPerSecond, Step: "s",
		Verdict: benchv1alpha1.VerdictRegressed, EffectBasisPoints: new(int64(-481)), LowBasisPoints: new(int64(-612)),
		HighBasisPoints: new(int64(-340)),
	}
	unknown := benchv1alpha1.ComparisonLine{
		Variant: "candidate", Metric: benchv1alpha1.MetricP99Micros, Step: "s", Verdict: benchv1alpha1.VerdictInconclusive,
	}
	run.Status.Duet = &benchv1alpha1.DuetResult{
		Baseline: "old", Comparison: []benchv1alpha1.ComparisonLine{line, line, unknown},
	}
	return run
}

func TestRunsShowTheirCourse(t *testing.T) {
	for name, tc := range map[string]struct {
		run  benchv1alpha1.BenchmarkRun
		want map[string]float64
	}{
		"a run that was not looked at yet": {run: runNamed("a", 0)},
		"a run under way shows since when it is in its stage": {
			run: underWay("a", 0, benchv1alpha1.StageLoading),
			want: map[string]float64{
				`mongobench_run_duration_seconds{namespace="perf",run="a",stage="Provisioning"}`: 4.75,
				`mongobench_run_stage_start_timestamp_seconds{namespace="perf",run="a",stage="Loading"}`: float64(
					begin.Unix()) + 4.75,
			},
		},
		"a run that succeeded and is in doubt": {
			run: runNamed("a", 0,
				is(benchv1alpha1.RunProgressing, metav1.ConditionFalse, benchv1alpha1.ReasonFinished),
				is(benchv1alpha1.RunSucceeded, metav1.ConditionTrue, benchv1alpha1.ReasonCompleted),
				is(benchv1alpha1.RunTrusted, metav1.ConditionFalse, benchv1alpha1.ReasonStartSkew),
				is(benchv1alpha1.RunObjectivesKept, metav1.ConditionFalse, benchv1alpha1.ReasonMissed)),
			want: map[string]float64{
				`mongobench_run_objectives_kept{namespace="perf",reason="Missed",run="a"}`: 0,
				`mongobench_run_succeeded{namespace="perf",reason="Completed",run="a"}`:    1,
				`mongobench_run_trusted{namespace="perf",reason="StartSkew",run="a"}`:      0,
				`mongobench_run_completion_timestamp_seconds{namespace="perf",run="a"}`:    float64(begin.Unix() + 60),
			},
		},
		"a run that failed has no figures to be trusted": {
			run: runNamed("a", 0,
				is(benchv1alpha1.RunSucceeded, metav1.ConditionFalse, benchv1alpha1.ReasonOOMKilled),
				is(benchv1alpha1.RunTrusted, metav1.ConditionUnknown, benchv1alpha1.ReasonNotMeasured)),
			want: map[string]float64{
				`mongobench_run_succeeded{namespace="perf",reason="OOMKilled",run="a"}`: 0,
				`mongobench_run_completion_timestamp_seconds{namespace="perf",run="a"}`: float64(begin.Unix() + 60),
			},
		},
		"a duet shows how its lines compare, each once": {
			run: compared(runNamed("a", 0)),
			want: map[string]float64{
				`mongobench_run_change_ratio` + duetLine:      -0.0481,
				`mongobench_run_change_low_ratio` + duetLine:  -0.0612,
				`mongobench_run_change_high_ratio` + duetLine: -0.034,
			},
		},
		"steadiness, limits, actions and the suite that a run belongs to": {
			run: inSuite(runNamed("a", 0), benchv1alpha1.StepResult{
				Name: "s", Steadiness: new(benchv1alpha1.SteadinessNever),
				Actions: []benchv1alpha1.ActionResult{{Name: "kill"}, {Name: "cut", Error: "no such member"}},
			}, benchv1alpha1.StepResult{
				Name: "t", Steadiness: new(benchv1alpha1.SteadinessReached), LimitedBy: &benchv1alpha1.StepLimit{
					Cause: benchv1alpha1.LimitCache, Certainty: benchv1alpha1.LimitLikely, Because: "it is full",
				},
			}),
			want: map[string]float64{
				`mongobench_run_steady{namespace="perf",run="a",step="s",suite="nightly",variant="small"}`: 0,
				`mongobench_run_steady{namespace="perf",run="a",step="t",suite="nightly",variant="small"}`: 1,
				`mongobench_run_limited_by{cause="Cache",certainty="Likely",namespace="perf",run="a",step="t",` +
					`suite="nightly",variant="small"}`: 1,
				`mongobench_run_action_succeeded{action="kill",namespace="perf",run="a",step="s",` +
					`suite="nightly",variant="small"}`: 1,
				`mongobench_run_action_succeeded{action="cut",namespace="perf",run="a",step="s",` +
					`suite="nightly",variant="small"}`: 0,
			},
		},
		"objectives and the percentiles that a step asks for": {
			run: inSuite(runNamed("a", 0), benchv1alpha1.StepResult{
				Name: "s",
				Objectives: []benchv1alpha1.ObjectiveResult{
					{LimitMicros: 5000, Percent: "99.9", Outcome: benchv1alpha1.ObjectiveKept},
					{Operation: "o", LimitMicros: 9, Percent: "99", Outcome: benchv1alpha1.ObjectiveMissed},
				},
				Operations: []benchv1alpha1.OperationResult{{
					Name: "o", Count: new(int64(5)), MeanMicros: new(int64(2_000_000)),
					Percentiles: []benchv1alpha1.PercentileResult{
						{Percentile: "87.5", Micros: new(int64(3000))}, {Percentile: "99.999"},
					},
				}},
			}),
			want: map[string]float64{
				`mongobench_run_objective_kept{namespace="perf",objective="1",percent="99.9",run="a",step="s",` +
					`suite="nightly",variant="small"}`: 1,
				`mongobench_run_objective_limit_seconds{namespace="perf",objective="1",percent="99.9",run="a",step="s",` +
					`suite="nightly",variant="small"}`: 0.005,
				`mongobench_run_objective_kept{namespace="perf",objective="2",operation="o",percent="99",run="a",step="s",` +
					`suite="nightly",variant="small"}`: 0,
				`mongobench_run_objective_limit_seconds{namespace="perf",objective="2",operation="o",percent="99",` +
					`run="a",step="s",suite="nightly",variant="small"}`: 0.000009,
				`mongobench_run_operations{namespace="perf",operation="o",run="a",step="s",suite="nightly",` +
					`variant="small"}`: 5,
				`mongobench_run_latency_seconds{namespace="perf",operation="o",run="a",step="s",` +
					`suite="nightly",variant="small",quantile="0.875"}`: 0.003,
				`mongobench_run_latency_seconds_count{namespace="perf",operation="o",run="a",step="s",suite="nightly",` +
					`variant="small"}`: 5,
				`mongobench_run_latency_seconds_sum{namespace="perf",operation="o",run="a",step="s",suite="nightly",` +
					`variant="small"}`: 10,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := scrape(t, showing(objects{runs: []benchv1alpha1.BenchmarkRun{tc.run}}))
			if tc.want == nil {
				tc.want = map[string]float64{}
			}
			if diff := cmp.Diff(tc.want, without(got, "mongobench_results_")); diff != "" {
				t.Errorf("series (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSuitesShowTheirVerdict(t *testing.T) {
	for name, tc := range map[string]struct {
		status benchv1alpha1.BenchmarkSuiteStatus
		want   map[string]float64
	}{
		"a suite that was not looked at yet": {want: map[string]float64{}},
		"runs by their state": {
			status: benchv1alpha1.BenchmarkSuiteStatus{
				Conditions: []metav1.Condition{
					is(benchv1alpha1.SuiteComplete, metav1.ConditionFalse, benchv1alpha1.ReasonRunsPending),
					is(benchv1alpha1.SuiteRegressed, metav1.ConditionUnknown, benchv1alpha1.ReasonNotCompared),
				},
				Runs: &benchv1alpha1.RunCounts{
					Planned: new(int32(10)), Active: new(int32(1)), Succeeded: new(int32(5)), Failed: new(int32(2)),
					Untrusted: new(int32(3)),
				},
			},
			want: map[string]float64{
				`mongobench_suite_complete{namespace="perf",reason="RunsPending",suite="nightly"}`:  0,
				`mongobench_suite_regressed{namespace="perf",reason="NotCompared",suite="nightly"}`: -1,
				`mongobench_suite_planned_runs{namespace="perf",suite="nightly"}`:                   10,
				`mongobench_suite_untrusted_runs{namespace="perf",suite="nightly"}`:                 3,
				`mongobench_suite_runs{namespace="perf",state="active",suite="nightly"}`:            1,
				`mongobench_suite_runs{namespace="perf",state="succeeded",suite="nightly"}`:         5,
				`mongobench_suite_runs{namespace="perf",state="failed",suite="nightly"}`:            2,
			},
		},
		"a search": {
			status: benchv1alpha1.BenchmarkSuiteStatus{Search: &benchv1alpha1.SuiteSearchStatus{
				Outcome: benchv1alpha1.SearchFound, Variant: "small",
			}},
			want: map[string]float64{
				`mongobench_suite_search{namespace="perf",outcome="Found",suite="nightly",variant="small"}`: 1,
			},
		},
		"a regression, with a line that is there twice and one that has no figures": {
			status: benchv1alpha1.BenchmarkSuiteStatus{
				Conditions: []metav1.Condition{
					is(benchv1alpha1.SuiteComplete, metav1.ConditionTrue, benchv1alpha1.ReasonSomeFailed),
					is(benchv1alpha1.SuiteRegressed, metav1.ConditionTrue, benchv1alpha1.ReasonRegressed),
				},
				CompletionTime: new(metav1.NewTime(begin)),
				Variants: []benchv1alpha1.VariantStatus{{
					Name: "small", Succeeded: new(int32(5)), Failed: new(int32(1)),
					Step: "s", OperationsPerSecond: new(int64(1234)), P99Micros: new(int64(5678)),
				}},
				Comparison: []benchv1alpha1.ComparisonLine{
					slower(-1250), slower(-1), {Variant: "small", Metric: benchv1alpha1.MetricMeanMicros},
				},
				OmittedLines: new(int32(7)),
			},
			want: map[string]float64{
				`mongobench_suite_complete{namespace="perf",reason="SomeFailed",suite="nightly"}`:                   1,
				`mongobench_suite_regressed{namespace="perf",reason="MetricRegressed",suite="nightly"}`:             1,
				`mongobench_suite_completion_timestamp_seconds{namespace="perf",suite="nightly"}`:                   1795262400,
				`mongobench_suite_variant_runs{namespace="perf",state="succeeded",suite="nightly",variant="small"}`: 5,
				`mongobench_suite_variant_runs{namespace="perf",state="failed",suite="nightly",variant="small"}`:    1,
				`mongobench_suite_variant_operations_per_second{namespace="perf",step="s",suite="nightly",` +
					`variant="small"}`: 1234,
				`mongobench_suite_variant_latency_p99_seconds{namespace="perf",step="s",suite="nightly",` +
					`variant="small"}`: 0.005678,
				`mongobench_suite_change_ratio` + changed:                            -0.125,
				`mongobench_suite_change_low_ratio` + changed:                        -0.2,
				`mongobench_suite_change_high_ratio` + changed:                       -0.05,
				`mongobench_suite_omitted_changes{namespace="perf",suite="nightly"}`: 7,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			object := benchv1alpha1.BenchmarkSuite{
				ObjectMeta: metav1.ObjectMeta{Namespace: "perf", Name: "nightly"}, Status: tc.status,
			}
			got := scrape(t, showing(objects{suites: []benchv1alpha1.BenchmarkSuite{object}}))
			if diff := cmp.Diff(tc.want, without(got, "mongobench_results_")); diff != "" {
				t.Errorf("series (-want +got):\n%s", diff)
			}
		})
	}
}

// changed are the labels of slower.
const changed = `{metric="OperationsPerSecond",namespace="perf",operation="find",step="read",suite="nightly",` +
	`variant="small",verdict="Regressed"}`

func slower(effect int64) benchv1alpha1.ComparisonLine {
	return benchv1alpha1.ComparisonLine{
		Variant: "small", Metric: benchv1alpha1.MetricOperationsPerSecond, Step: "read", Operation: "find",
		Verdict:           benchv1alpha1.VerdictRegressed,
		EffectBasisPoints: new(effect), LowBasisPoints: new(int64(-2000)), HighBasisPoints: new(int64(-500)),
	}
}

// TestTheNewestAreShown: those under way first, then by their age, those that wait for their turn last.
func TestTheNewestAreShown(t *testing.T) {
	succeeded := is(benchv1alpha1.RunSucceeded, metav1.ConditionTrue, benchv1alpha1.ReasonCompleted)
	all := objects{
		runs: []benchv1alpha1.BenchmarkRun{
			runNamed("older", 1, succeeded), runNamed("newest", 9, succeeded), runNamed("newer", 5, succeeded),
			underWay("working", 0, benchv1alpha1.StageLoading), underWay("waiting", 10, benchv1alpha1.StageQueued),
		},
		suites: []benchv1alpha1.BenchmarkSuite{{ObjectMeta: metav1.ObjectMeta{Name: "a"}}},
	}
	for most, want := range map[int]string{
		1: "working", 3: "newer newest working", 9: "newer newest older waiting working",
	} {
		got := scrape(t, &results.Collector{Objects: all, Most: most})
		if names := runsIn(got); names != want {
			t.Errorf("of at most %d runs %q are shown, want %q", most, names, want)
		}
		if omitted := got["mongobench_results_omitted_runs"]; omitted != float64(max(0, 5-most)) {
			t.Errorf("of at most %d runs %v are said to be left out", most, omitted)
		}
		if omitted := got["mongobench_results_omitted_suites"]; omitted != 0 {
			t.Errorf("%v suites are said to be left out", omitted)
		}
	}
}

// runsIn are the names of the runs that series are of.
func runsIn(series map[string]float64) string {
	names := map[string]bool{}
	for name := range series {
		if _, rest, found := strings.Cut(name, `run="`); found {
			run, _, _ := strings.Cut(rest, `"`)
			names[run] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(names)), " ")
}

func TestWhatCannotBeReadIsSaid(t *testing.T) {
	got := scrape(t, showing(objects{err: errors.New("no cache"), runs: []benchv1alpha1.BenchmarkRun{runNamed("a", 0)}}))
	if diff := cmp.Diff(map[string]float64{"mongobench_results_scrape_success": 0}, got); diff != "" {
		t.Errorf("series (-want +got):\n%s", diff)
	}
}

func TestAManagerThatDoesNotLeadShowsNoResults(t *testing.T) {
	elected := make(chan struct{})
	collector := &results.Collector{Objects: objects{}, Most: 1, Ready: elected}
	if got := scrape(t, collector); len(got) != 0 {
		t.Errorf("before it leads: %v", got)
	}
	close(elected)
	if got := scrape(t, collector); got["mongobench_results_scrape_success"] != 1 {
		t.Errorf("when it leads: %v", got)
	}
}

// TestNamesFollowThePractice asks the rules of `promtool check metrics` about every metric there is, and the page about
// metrics whether it is there.
func TestNamesFollowThePractice(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	collector := showing(everything(t))
	registry.MustRegister(collector)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	described := make(chan *prometheus.Desc, 200)
	collector.Describe(described)
	if len(families) != len(described) {
		t.Errorf("%d of %d metrics are looked at", len(families), len(described))
	}
	documentation, err := os.ReadFile("../../docs/reference/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		name := family.GetName()
		for _, prefix := range []string{"mongobench_run_", "mongobench_suite_"} {
			name = strings.TrimPrefix(name, prefix)
		}
		if !strings.Contains(string(documentation), "`"+name+"`") {
			t.Errorf("docs/reference/metrics.md says nothing of %s", family.GetName())
		}
	}
	problems, err := promlint.NewWithMetricFamilies(families).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("%v, error %v", problems, err)
	}
}

func underWay(name string, minutes int, current string) benchv1alpha1.BenchmarkRun {
	run := runNamed(name, minutes,
		is(benchv1alpha1.RunProgressing, metav1.ConditionTrue, current),
		is(benchv1alpha1.RunSucceeded, metav1.ConditionUnknown, benchv1alpha1.ReasonNotEnded))
	const took = 4750 * time.Millisecond
	run.Status.Stages = []benchv1alpha1.StageStatus{
		stage(benchv1alpha1.StageProvisioning, 0, took), stage(current, took, 0),
	}
	return run
}

func inSuite(run benchv1alpha1.BenchmarkRun, steps ...benchv1alpha1.StepResult) benchv1alpha1.BenchmarkRun {
	run.Labels = map[string]string{suite.Label: "nightly", suite.VariantLabel: "small"}
	run.Status.Result = &benchv1alpha1.Result{Steps: steps}
	return run
}
