package metrics_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/metrics"
)

const prefix = "mongobench_loadgen_"

// scrape is what is shown, by series without the prefix. A registry that checks everything is between.
func scrape(t *testing.T, m *metrics.Metrics) map[string]float64 {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(m)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	series := map[string]float64{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			labels := make([]string, 0, len(metric.GetLabel()))
			for _, label := range metric.GetLabel() {
				labels = append(labels, fmt.Sprintf("%s=%q", label.GetName(), label.GetValue()))
			}
			name, suffix := strings.TrimPrefix(family.GetName(), prefix), ""
			if len(labels) > 0 {
				suffix = "{" + strings.Join(labels, ",") + "}"
			}
			switch {
			case metric.GetHistogram() != nil:
				series[name+"_count"+suffix] = float64(metric.GetHistogram().GetSampleCount())
				series[name+"_sum"+suffix] = metric.GetHistogram().GetSampleSum()
			case metric.GetCounter() != nil:
				series[name+suffix] = metric.GetCounter().GetValue()
			default:
				series[name+suffix] = metric.GetGauge().GetValue()
			}
		}
	}
	return series
}

// of are the series of some steps, but for what depends on the machine and its clock.
func of(series map[string]float64, steps ...string) map[string]float64 {
	chosen := map[string]float64{}
	for name, value := range series {
		if strings.HasPrefix(name, "cpu_") || strings.HasPrefix(name, "step_start_") {
			continue
		}
		for _, step := range steps {
			if strings.Contains(name, `step="`+step+`"`) {
				chosen[name] = value
			}
		}
	}
	return chosen
}

// recording is one of a mix of two, with a worker that counted something in the first second, and another second in
// which it has handed that in.
func recording(open bool) *measure.Recording {
	made := measure.NewRecording([]reportv1.Operation{{Name: "read", Kind: "FindOne"}, {Name: "write"}}, open, time.Minute)
	made.Publish()
	recorder := made.Recorder()
	for i := range 4 {
		at, lag := time.Duration(i)*400*time.Millisecond, time.Millisecond
		recorder.Sent(at, lag, true)
		recorder.Success(0, measure.Sample{
			At: at, Service: 2 * lag, Response: 3 * lag, Documents: 5, Matched: 3, Modified: 2, Deleted: 1, Empty: true,
			Unexpected: true, Retries: 1,
		})
		recorder.Failure(1, measure.Sample{At: at}, "timeout", fmt.Errorf("to mongodb://name:secret@host: %d", i))
	}
	return made
}

func TestAClosedLoopIsShown(t *testing.T) {
	m := metrics.New()
	m.Begin(planv1.Step{Name: "mixed", Kind: planv1.StepMeasure})
	m.Record(measure.Recorded{Recording: recording(false), Threads: 7})
	want := map[string]float64{
		`step_info{kind="Measure",step="mixed"}`:                          1,
		`threads{step="mixed"}`:                                           7,
		`operations_total{operation="read",step="mixed"}`:                 3,
		`operations_total{operation="write",step="mixed"}`:                0,
		`errors_total{class="timeout",operation="write",step="mixed"}`:    3,
		`failed_latency_seconds_count{operation="write",step="mixed"}`:    3,
		`failed_latency_seconds_sum{operation="write",step="mixed"}`:      0,
		`documents_total{operation="read",step="mixed"}`:                  15,
		`documents_total{operation="write",step="mixed"}`:                 0,
		`matched_documents_total{operation="read",step="mixed"}`:          9,
		`modified_documents_total{operation="read",step="mixed"}`:         6,
		`deleted_documents_total{operation="read",step="mixed"}`:          3,
		`empty_operations_total{operation="read",step="mixed"}`:           3,
		`unexpected_operations_total{operation="read",step="mixed"}`:      3,
		`retries_total{operation="read",step="mixed"}`:                    3,
		`retries_total{operation="write",step="mixed"}`:                   0,
		`unacknowledged_operations_total{operation="read",step="mixed"}`:  0,
		`unacknowledged_operations_total{operation="write",step="mixed"}`: 0,
		`latency_seconds_count{operation="read",step="mixed"}`:            3,
		`latency_seconds_sum{operation="read",step="mixed"}`:              0.006,
		`latency_seconds_count{operation="write",step="mixed"}`:           0,
		`latency_seconds_sum{operation="write",step="mixed"}`:             0,
	}
	if diff := cmp.Diff(want, of(scrape(t, m), "mixed")); diff != "" {
		t.Errorf("series (-want +got):\n%s", diff)
	}
}

func TestAnOpenLoopShowsItsScheduleToo(t *testing.T) {
	m := metrics.New()
	m.Begin(planv1.Step{Name: "open", Kind: planv1.StepMeasure})
	m.Record(measure.Recorded{Recording: recording(true), Threads: 1, Dropped: func() int64 { return 10 }})
	got := scrape(t, m)
	for series, want := range map[string]float64{
		`due_operations_total{step="open"}`:                   14,
		`dropped_operations_total{step="open"}`:               10,
		`schedule_lag_seconds_count{step="open"}`:             4,
		`schedule_lag_seconds_sum{step="open"}`:               0.004,
		`latency_seconds_sum{operation="read",step="open"}`:   0.009,
		`operations_total{operation="read",step="open"}`:      3,
		`latency_seconds_count{operation="read",step="open"}`: 3,
	} {
		if value, there := got[series]; !there || value < want*0.9995 || value > want*1.0005 {
			t.Errorf("%s is %v (there: %t), want %v", series, value, there, want)
		}
	}
}

// TestAStepStaysUntilTheNextHasEnded: its last second is to be scraped too.
func TestAStepStaysUntilTheNextHasEnded(t *testing.T) {
	m := metrics.New()
	if got := scrape(t, m); got["cpu_limit_cores"] <= 0 || len(of(got, "")) != 0 {
		t.Errorf("before the first step: %v", got)
	}
	m.End()
	m.Record(measure.Recorded{Recording: recording(false), Threads: 1})
	for _, tc := range []struct {
		begin   planv1.Step
		counted bool
		shown   string
	}{
		{planv1.Step{Name: "prepare", Kind: planv1.StepPrepare}, false, ""},
		{planv1.Step{Name: "load", Kind: planv1.StepLoad}, true, "load4"},
		{planv1.Step{Name: "verify", Kind: planv1.StepVerify}, false, "load4"},
		{planv1.Step{Name: "first", Kind: planv1.StepMeasure}, true, "first4 load4"},
		{planv1.Step{Name: "second", Kind: planv1.StepMeasure}, true, "first4 second4"},
		{planv1.Step{Name: "second", Kind: planv1.StepMeasure}, true, "second4"},
	} {
		t.Run(tc.begin.Name, func(t *testing.T) {
			working, over := follow(t, m, tc.begin, tc.counted)
			info := fmt.Sprintf(`step_info{kind="%s",step="%s"}`, tc.begin.Kind, tc.begin.Name)
			if _, still := over[info]; working[info] != 1 || still {
				t.Errorf("%s is %v while it works, and still there afterwards: %t", info, working[info], still)
			}
			if got := readsIn(over); got != tc.shown {
				t.Errorf("once it is over %q are shown, want %q", got, tc.shown)
			}
		})
	}
}

// readsIn are the steps that are shown, with their reads.
func readsIn(series map[string]float64) string {
	var shown []string
	for _, name := range []string{"first", "load", "prepare", "second", "verify"} {
		if count, there := series[`operations_total{operation="read",step="`+name+`"}`]; there {
			shown = append(shown, fmt.Sprint(name, count))
		}
	}
	return strings.Join(shown, " ")
}

// follow goes through one step, and returns what is shown before its end and after it.
func follow(t *testing.T, m *metrics.Metrics, step planv1.Step, counted bool) (working, over map[string]float64) {
	t.Helper()
	m.Begin(step)
	if counted {
		recorded := recording(false)
		m.Record(measure.Recorded{Recording: recorded, Threads: 1})
		if _, err := recorded.Operations(); err != nil {
			t.Fatal(err)
		}
	}
	working = scrape(t, m)
	m.End()
	return working, scrape(t, m)
}

// TestTrialsOfASearchAddUp: within a step no count goes backwards.
func TestTrialsOfASearchAddUp(t *testing.T) {
	m := metrics.New()
	m.Begin(planv1.Step{Name: "search", Kind: planv1.StepMeasure})
	for trial := range 3 {
		tried := recording(true)
		m.Record(measure.Recorded{
			Recording: tried, Threads: 1, Dropped: func() int64 { return 2 }, Skipped: func() int64 { return 3 },
		})
		if _, err := tried.Operations(); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			got, times := scrape(t, m), float64(trial+1)
			if got[`operations_total{operation="read",step="search"}`] != 4*times ||
				got[`latency_seconds_count{operation="read",step="search"}`] != 4*times ||
				got[`dropped_operations_total{step="search"}`] != 2*times ||
				got[`skipped_operations_total{step="search"}`] != 3*times ||
				got[`due_operations_total{step="search"}`] != 9*times ||
				got[`errors_total{class="timeout",operation="write",step="search"}`] != 4*times {
				t.Errorf("after %d trials: %v", trial+1, of(got, "search"))
			}
		}
	}
}

// TestNamesFollowThePractice asks the rules of `promtool check metrics` about every metric there is, and the page about
// metrics whether it is there.
func TestNamesFollowThePractice(t *testing.T) {
	m := metrics.New()
	m.Observe(latest(t))
	m.Begin(planv1.Step{Name: "open", Kind: planv1.StepMeasure})
	one := func() int64 { return 1 }
	m.Record(measure.Recorded{Recording: recording(true), Threads: 1, Dropped: one, Skipped: one})
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(m)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	described := make(chan *prometheus.Desc, 200)
	m.Describe(described)
	if len(families) != len(described) {
		t.Errorf("%d of %d metrics are looked at", len(families), len(described))
	}
	documentation, err := os.ReadFile("../../docs/reference/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if name := strings.TrimPrefix(family.GetName(), prefix); !strings.Contains(string(documentation), "`"+name+"`") {
			t.Errorf("docs/reference/metrics.md says nothing of %s", name)
		}
	}
	problems, err := promlint.NewWithMetricFamilies(families).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("%v, error %v", problems, err)
	}
}

// BenchmarkScrape is what one scrape costs the load generator: a step of two operations, and a server.
func BenchmarkScrape(b *testing.B) {
	m := metrics.New()
	m.Begin(planv1.Step{Name: "mixed", Kind: planv1.StepMeasure})
	made := measure.NewRecording([]reportv1.Operation{{Name: "read"}, {Name: "write"}}, false, time.Minute)
	made.Publish()
	recorder := made.Recorder()
	for i := range 20_000 {
		recorder.Success(i%2, measure.Sample{Service: time.Duration(100+i) * time.Microsecond})
	}
	if _, err := made.Operations(); err != nil {
		b.Fatal(err)
	}
	m.Record(measure.Recorded{Recording: made, Threads: 16})
	registry := prometheus.NewRegistry()
	registry.MustRegister(m)
	for b.Loop() {
		if _, err := registry.Gather(); err != nil {
			b.Fatal(err)
		}
	}
}
