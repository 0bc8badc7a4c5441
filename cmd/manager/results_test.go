package main

import (
	"os"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers"
)

// measuredSeries is what the metrics show of the run that haveMeasured leaves.
const measuredSeries = `mongobench_run_operations_per_second{namespace="default",operation="read",run="measured",` +
	`step="mixed",suite="",variant=""} 2352`

// haveMeasured leaves a run that has ended.
func haveMeasured(t *testing.T, config *rest.Config) {
	t.Helper()
	scheme, err := controllers.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	cluster, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	sample, err := os.ReadFile("../../config/samples/standalone.yaml")
	if err != nil {
		t.Fatal(err)
	}
	run := &benchv1alpha1.BenchmarkRun{}
	if err := yaml.UnmarshalStrict(sample, run); err != nil {
		t.Fatal(err)
	}
	run.Namespace, run.Name = "default", "measured"
	if err := cluster.Create(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	figure := func(value int64) *int64 { return &value }
	ended := metav1.Now()
	run.Status = benchv1alpha1.BenchmarkRunStatus{
		Conditions: []metav1.Condition{
			{
				Type: benchv1alpha1.RunProgressing, Status: metav1.ConditionFalse, Reason: benchv1alpha1.ReasonFinished,
				LastTransitionTime: ended,
			},
			{
				Type: benchv1alpha1.RunSucceeded, Status: metav1.ConditionTrue, Reason: benchv1alpha1.ReasonCompleted,
				LastTransitionTime: ended,
			},
		},
		Summary: &benchv1alpha1.RunSummary{
			Steps: new(int32(1)), Operations: figure(35295), Errors: figure(0), Step: "mixed",
			OperationsPerSecond: figure(2352), P99Micros: figure(37400), P99: "37.4 ms",
		},
		Result: &benchv1alpha1.Result{
			Report: benchv1alpha1.ReportReference{ConfigMapName: "measured-report", SHA256: strings.Repeat("0", 64)},
			Steps: []benchv1alpha1.StepResult{{
				Name: "mixed", DurationMillis: figure(15000),
				Operations: []benchv1alpha1.OperationResult{{
					Name: "read", Count: figure(35295), Errors: figure(0), OperationsPerSecond: figure(2352),
					MeanMicros: figure(2710), P50Micros: figure(955), P95Micros: figure(6090), P99Micros: figure(37400),
					P999Micros: figure(66200), MaxMicros: figure(73800),
				}},
			}},
		},
	}
	if err := cluster.Status().Update(t.Context(), run); err != nil {
		t.Fatal(err)
	}
}
