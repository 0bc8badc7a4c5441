package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/results"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/collect"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen/metrics"
)

// oneRun is a cache that holds one run.
type oneRun benchv1alpha1.BenchmarkRun

func (o *oneRun) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	if runs, ok := list.(*benchv1alpha1.BenchmarkRunList); ok {
		runs.Items = append(runs.Items, benchv1alpha1.BenchmarkRun(*o))
	}
	return nil
}

// shownByManager is what the manager shows of a run with this report, by way of the run's status.
func shownByManager(t *testing.T, report reportv1.Report) figuresByName {
	t.Helper()
	told, err := result.Collected(report, reportv1.Stored{})
	if err != nil {
		t.Fatal(err)
	}
	run := oneRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: "perf", Name: "figures"},
		Status:     benchv1alpha1.BenchmarkRunStatus{Result: collect.Result(told)},
	}
	return gathered(t, &results.Collector{Objects: &run, Most: 1})
}

// managerAgrees holds what the manager shows of an operation against the summary, to the microsecond.
func managerAgrees(t *testing.T, shown figuresByName, step string, o reportv1.OperationSummary) {
	t.Helper()
	labels := []string{`namespace="perf"`, `operation="` + o.Name + `"`, `run="figures"`, `step="` + step + `"`}
	for name, want := range map[string]int64{
		"operations": o.Count, "errors": o.Errors, "operations_per_second": o.OperationsPerSecond,
	} {
		metric := shown.of("mongobench_run_"+name, labels...)
		if metric == nil || metric.GetGauge().GetValue() != float64(want) {
			t.Errorf("%s: the manager shows %v, and the report has %d", name, metric, want)
		}
	}
	times := shown.of("mongobench_run_latency_seconds", labels...).GetSummary()
	if times.GetSampleCount() != uint64(o.Timed) {
		t.Errorf("the manager shows %d times, and the report has %d", times.GetSampleCount(), o.Timed)
	}
	want := map[float64]int64{}
	for _, percentile := range figure.Percentiles {
		if shown := percentile.Shown(&o.TimesSummary); shown != nil {
			want[percentile.Quantile] = *shown
		}
	}
	if len(times.GetQuantile()) != len(want) {
		t.Fatalf("the manager shows the quantiles %v", times.GetQuantile())
	}
	for _, quantile := range times.GetQuantile() {
		if micros := want[quantile.GetQuantile()]; quantile.GetValue() != float64(micros)/1e6 {
			t.Errorf("the manager shows %v, and the report has %d µs", quantile, micros)
		}
	}
}

// freeAddress is an unused address of the loopback interface.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

// secretFile is a file with a secret.
func secretFile(t *testing.T, secret string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// scrapedFrom is what is served at an address, or nothing.
func scrapedFrom(t *testing.T, address string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+metrics.Path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return ""
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return ""
	}
	return string(body)
}
