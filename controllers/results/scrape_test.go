package results_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/results"
)

var begin = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// objects are what a cache would answer with, or the error that it would.
type objects struct {
	runs   []benchv1alpha1.BenchmarkRun
	suites []benchv1alpha1.BenchmarkSuite
	err    error
}

func (o objects) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	switch into := list.(type) {
	case *benchv1alpha1.BenchmarkRunList:
		into.Items = append(into.Items, o.runs...)
	case *benchv1alpha1.BenchmarkSuiteList:
		into.Items = append(into.Items, o.suites...)
	default:
		return fmt.Errorf("%T is not a kind that results are in", list)
	}
	return o.err
}

func showing(o objects) *results.Collector { return &results.Collector{Objects: o, Most: 100} }

// scrape is what a collector shows, by series as Prometheus writes them. A registry that checks everything is between.
func scrape(t *testing.T, collector prometheus.Collector) map[string]float64 {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(collector); err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	series := map[string]float64{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			name := namer(family.GetName(), metric.GetLabel())
			if summary := metric.GetSummary(); summary != nil {
				series[name("_sum")], series[name("_count")] = summary.GetSampleSum(), float64(summary.GetSampleCount())
				for _, quantile := range summary.GetQuantile() {
					series[name("", fmt.Sprintf("quantile=%q", fmt.Sprint(quantile.GetQuantile())))] = quantile.GetValue()
				}
				continue
			}
			series[name("")] = metric.GetGauge().GetValue()
		}
	}
	return series
}

// pair is a label with its value.
type pair interface {
	GetName() string
	GetValue() string
}

// namer writes the names of a metric's series. A label without a value is left out: to Prometheus it is none.
func namer[P pair](metric string, labels []P) func(suffix string, more ...string) string {
	var written []string
	for _, label := range labels {
		if label.GetValue() != "" {
			written = append(written, fmt.Sprintf("%s=%q", label.GetName(), label.GetValue()))
		}
	}
	return func(suffix string, more ...string) string {
		all := strings.Join(slices.Concat(written, more), ",")
		if all == "" {
			return metric + suffix
		}
		return metric + suffix + "{" + all + "}"
	}
}

// without are the series without those of the collector itself.
func without(series map[string]float64, prefix string) map[string]float64 {
	for name := range series {
		if strings.HasPrefix(name, prefix) {
			delete(series, name)
		}
	}
	return series
}

func is(conditionType string, status metav1.ConditionStatus, reason string) metav1.Condition {
	return metav1.Condition{
		Type: conditionType, Status: status, Reason: reason,
		LastTransitionTime: metav1.NewTime(begin.Add(time.Minute)),
	}
}

func stage(name string, from, to time.Duration) benchv1alpha1.StageStatus {
	status := benchv1alpha1.StageStatus{Name: name, StartTime: metav1.NewMicroTime(begin.Add(from))}
	if to > 0 {
		status.CompletionTime = new(metav1.NewMicroTime(begin.Add(to)))
	}
	return status
}

// runNamed is a run that was created some minutes after the start.
func runNamed(name string, minutes int, conditions ...metav1.Condition) benchv1alpha1.BenchmarkRun {
	return benchv1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "perf", Name: name,
			CreationTimestamp: metav1.NewTime(begin.Add(time.Duration(minutes) * time.Minute)),
		},
		Status: benchv1alpha1.BenchmarkRunStatus{Conditions: conditions},
	}
}
