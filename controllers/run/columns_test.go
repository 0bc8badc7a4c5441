package run_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

// TestColumnsOfARun asks the API server for the table that kubectl get shows, and -o wide.
func TestColumnsOfARun(t *testing.T) {
	made := runtest.Run(environment.Namespace(t), "columns")
	if err := environment.Client.Create(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	said := func(name string, status metav1.ConditionStatus, reason string) metav1.Condition {
		return metav1.Condition{Type: name, Status: status, Reason: reason, LastTransitionTime: metav1.Now()}
	}
	made.Status = benchv1alpha1.BenchmarkRunStatus{
		TargetName: "db",
		Conditions: []metav1.Condition{
			said(benchv1alpha1.RunProgressing, metav1.ConditionFalse, benchv1alpha1.ReasonFinished),
			said(benchv1alpha1.RunSucceeded, metav1.ConditionTrue, benchv1alpha1.ReasonCompleted),
			said(benchv1alpha1.RunComplete, metav1.ConditionTrue, benchv1alpha1.ReasonCompleted),
			said(benchv1alpha1.RunTrusted, metav1.ConditionFalse, benchv1alpha1.ReasonNotSteady),
		},
		Summary: &benchv1alpha1.RunSummary{
			Steps: new(int32(3)), Operations: new(int64(90_000)), Errors: new(int64(7)), Step: "threads-16",
			OperationsPerSecond: new(int64(4500)), P99Micros: new(int64(1840)), P99: "1.84 ms",
			HighestP99Step: "threads-64", HighestP99Micros: new(int64(9000)),
			LimitedBy: new(benchv1alpha1.LimitServerCPU),
		},
	}
	if err := environment.Client.Status().Update(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(columns{
		"Name": "columns", "Target": "db", "Stage": "Finished", "Succeeded": "True", "Trusted": "False",
		"Step": "threads-16", "Ops/s": 4500.0, "p99": "1.84 ms",
	}, table(t, made, 0)); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(columns{
		"Steps": 3.0, "Operations": 90_000.0, "Errors": 7.0, "Reason": "Completed", "Limited by": "ServerCPU",
	}, table(t, made, 1)); diff != "" {
		t.Errorf("columns of -o wide (-want +got):\n%s", diff)
	}
}

// columns are the cells of a row by the names of their columns.
type columns map[string]any

// table asks for the row of a run, and returns its columns of a priority, without the age.
func table(t *testing.T, of *benchv1alpha1.BenchmarkRun, priority int32) columns {
	t.Helper()
	web, err := rest.HTTPClientFor(environment.Config)
	if err != nil {
		t.Fatal(err)
	}
	url := fmt.Sprintf("%s/apis/mongobench.dev/v1alpha1/namespaces/%s/benchmarkruns/%s",
		strings.TrimSuffix(environment.Config.Host, "/"), of.Namespace, of.Name)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
	answer, err := web.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	var shown metav1.Table
	if err := json.Unmarshal(body, &shown); err != nil || len(shown.Rows) != 1 {
		t.Fatalf("%d rows, %v: %s", len(shown.Rows), err, body)
	}
	cells := columns{}
	for i, column := range shown.ColumnDefinitions {
		if column.Priority == priority && column.Name != "Age" {
			cells[column.Name] = shown.Rows[0].Cells[i]
		}
	}
	return cells
}
