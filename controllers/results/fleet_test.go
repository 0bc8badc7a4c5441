package results_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/results"
)

// seriesOfARun is how many series a run of one step with two operations has. What a run shows is paid for at every
// scrape, by as many runs as are shown.
const seriesOfARun = 45

func TestARunHasFewSeries(t *testing.T) {
	few := len(scrape(t, &results.Collector{Objects: fleet(100), Most: 10}))
	more := len(scrape(t, &results.Collector{Objects: fleet(100), Most: 20}))
	if got := (more - few) / 10; got != seriesOfARun {
		t.Errorf("a run has %d series, want %d", got, seriesOfARun)
	}
	const most = 100*seriesOfARun + 3
	if got := len(scrape(t, &results.Collector{Objects: fleet(1000), Most: 100})); got != most {
		t.Errorf("100 of 1,000 runs have %d series, want %d", got, most)
	}
}

// TestAScrapeIsWhatTheStatusSays reads the text that Prometheus reads.
func TestAScrapeIsWhatTheStatusSays(t *testing.T) {
	all := fleet(1)
	text := string(page(t, all, 10))
	for _, want := range []string{
		`# TYPE mongobench_run_latency_seconds summary`,
		`mongobench_run_latency_seconds{namespace="perf",operation="read",run="run-0000",step="mixed",suite="",` +
			`variant="",quantile="0.99"} 0.0374` + "\n",
		`mongobench_run_operations_per_second{namespace="perf",operation="read",run="run-0000",step="mixed",suite="",` +
			`variant=""} 2352` + "\n",
		`mongobench_run_result_latency_p99_seconds{namespace="perf",run="run-0000",step="mixed",suite="",` +
			`variant=""} 0.037696` + "\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	all.runs = nil
	if text := string(page(t, all, 10)); strings.Contains(text, "run-0000") {
		t.Error("a run that is gone is still there")
	}
}

// BenchmarkScrape is a scrape of runs of one step with two operations, without the network.
func BenchmarkScrape(b *testing.B) {
	for _, most := range []int{200, 1000} {
		b.Run(fmt.Sprintf("%d of 1000 runs", most), func(b *testing.B) {
			all := fleet(1000)
			b.ReportAllocs()
			var bytes int
			before := processorTime(b)
			for b.Loop() {
				bytes = len(page(b, all, most))
			}
			b.ReportMetric(float64(bytes), "B/page")
			b.ReportMetric((processorTime(b)-before).Seconds()*1e3/float64(b.N), "cpu-ms/op")
		})
	}
}

// processorTime is what this process has used so far: unlike the time of day it is not that of others on the machine.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// page is what an endpoint with these objects answers with.
func page(tb testing.TB, all objects, most int) []byte {
	tb.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(&results.Collector{Objects: all, Most: most})
	answer := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{ErrorHandling: promhttp.HTTPErrorOnError}).
		ServeHTTP(answer, httptest.NewRequestWithContext(tb.Context(), http.MethodGet, "/metrics", nil))
	if answer.Code != http.StatusOK {
		tb.Fatalf("status %d: %s", answer.Code, answer.Body)
	}
	return answer.Body.Bytes()
}

// fleet are runs as the README's first one ends.
func fleet(count int) objects {
	var all objects
	for i := range count {
		run := runNamed(fmt.Sprintf("run-%04d", i), i,
			is(benchv1alpha1.RunProgressing, metav1.ConditionFalse, benchv1alpha1.ReasonFinished),
			is(benchv1alpha1.RunSucceeded, metav1.ConditionTrue, benchv1alpha1.ReasonCompleted),
			is(benchv1alpha1.RunTrusted, metav1.ConditionTrue, benchv1alpha1.ReasonNoConcern))
		for _, name := range []string{
			benchv1alpha1.StageQueued, benchv1alpha1.StageProvisioning, benchv1alpha1.StageLoading,
			benchv1alpha1.StageWarmingUp, benchv1alpha1.StageMeasuring, benchv1alpha1.StageCollecting,
			benchv1alpha1.StageCleaningUp,
		} {
			run.Status.Stages = append(run.Status.Stages, stage(name, 0, 4500*time.Millisecond))
		}
		run.Status.Summary = &benchv1alpha1.RunSummary{
			Steps: new(int32(1)), Operations: new(int64(44085)), Errors: new(int64(0)), Step: "mixed",
			OperationsPerSecond: new(int64(2938)), P99Micros: new(int64(37696)), P99: "37.7 ms",
			HighestP99Step: "mixed", HighestP99Micros: new(int64(37696)),
		}
		run.Status.Result = &benchv1alpha1.Result{
			Load: &benchv1alpha1.LoadResult{
				Documents: new(int64(100000)), DurationMillis: new(int64(1060)), DocumentsPerSecond: new(int64(94286)),
			},
			Steps: []benchv1alpha1.StepResult{{
				Name: "mixed", DurationMillis: new(int64(15000)), Threads: new(int32(8)),
				OperationsPerSecond: new(int64(2938)), P99Micros: new(int64(37696)),
				Steadiness: new(benchv1alpha1.SteadinessReached), SteadyAfterMillis: new(int64(0)),
				Operations: []benchv1alpha1.OperationResult{
					measured("read", 35295, 2352), measured("update", 8790, 586),
				},
			}},
		}
		all.runs = append(all.runs, run)
	}
	return all
}

func measured(name string, count, rate int64) benchv1alpha1.OperationResult {
	return benchv1alpha1.OperationResult{
		Name: name, Count: &count, Errors: new(int64(0)), OperationsPerSecond: &rate,
		MeanMicros: new(int64(2710)), P50Micros: new(int64(955)), P95Micros: new(int64(6090)),
		P99Micros: new(int64(37400)), P999Micros: new(int64(66200)), MaxMicros: new(int64(73800)),
	}
}

// everything is a run and a suite with every field set.
func everything(t *testing.T) objects {
	t.Helper()
	one := func(string) int64 { return 1 }
	run := underWay("a", 0, benchv1alpha1.StageLoading)
	run.Status.Conditions = append(run.Status.Conditions,
		is(benchv1alpha1.RunTrusted, metav1.ConditionTrue, benchv1alpha1.ReasonNoConcern),
		is(benchv1alpha1.RunObjectivesKept, metav1.ConditionTrue, benchv1alpha1.ReasonKept))
	run.Status.Conditions[1].Status = metav1.ConditionTrue
	run.Status.Result = &benchv1alpha1.Result{}
	fill(t, reflect.ValueOf(&run.Status.Summary).Elem(), "Summary", one)
	fill(t, reflect.ValueOf(run.Status.Result).Elem(), "", one)
	run.Status.Duet = &benchv1alpha1.DuetResult{Baseline: "old"}
	fill(t, reflect.ValueOf(&run.Status.Duet.Comparison).Elem(), "Duet", one)
	var suite benchv1alpha1.BenchmarkSuite
	for _, list := range []any{
		&suite.Status.Runs, &suite.Status.Variants, &suite.Status.Comparison, &suite.Status.OmittedLines,
	} {
		fill(t, reflect.ValueOf(list).Elem(), "Status", one)
	}
	suite.Status.Search = &benchv1alpha1.SuiteSearchStatus{Outcome: benchv1alpha1.SearchFound, Variant: "small"}
	suite.Status.CompletionTime = new(metav1.NewTime(begin))
	suite.Status.Conditions = []metav1.Condition{
		is(benchv1alpha1.SuiteComplete, metav1.ConditionTrue, benchv1alpha1.ReasonAllSucceeded),
		is(benchv1alpha1.SuiteRegressed, metav1.ConditionFalse, benchv1alpha1.ReasonNoRegression),
	}
	return objects{
		runs: []benchv1alpha1.BenchmarkRun{run}, suites: []benchv1alpha1.BenchmarkSuite{suite},
	}
}
