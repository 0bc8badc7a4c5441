package suitetest

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// Suite has two variants, few and many, of two repetitions each.
func Suite(namespace, name string) *benchv1alpha1.BenchmarkSuite {
	return &benchv1alpha1.BenchmarkSuite{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: "suite-uid", Generation: 1},
		Spec: benchv1alpha1.BenchmarkSuiteSpec{
			Repetitions: new(int32(2)),
			Template: benchv1alpha1.RunTemplate{Spec: benchv1alpha1.BenchmarkRunSpec{
				Target: new(targettest.MongoDB("6.0.5")),
				Dataset: benchv1alpha1.Dataset{Collections: []benchv1alpha1.Collection{
					{Name: "people", DocumentCount: new(int64(1000))},
				}},
				Workload: benchv1alpha1.Workload{Steps: []benchv1alpha1.Step{{
					Name: "read", DurationSeconds: new(int32(10)), Threads: new(int32(1)),
					Operations: []benchv1alpha1.Operation{
						{Name: "find", Request: benchv1alpha1.Request{Kind: benchv1alpha1.OperationFindOne}},
					},
				}}},
			}},
			Matrix: &benchv1alpha1.Matrix{Dimensions: []benchv1alpha1.Dimension{{
				Name: "threads", Choices: []benchv1alpha1.Choice{Threads("few", 1), Threads("many", 8)},
			}}},
		},
	}
}

// Threads is a choice of a number of threads.
func Threads(name string, threads int) benchv1alpha1.Choice {
	return Choice(name, fmt.Sprintf(`{"workload":{"steps":[{"name":"read","threads":%d}]}}`, threads))
}

// Choice is a choice with a strategic merge patch.
func Choice(name, patch string) benchv1alpha1.Choice {
	return benchv1alpha1.Choice{Name: name, Patch: &runtime.RawExtension{Raw: []byte(patch)}}
}

// Succeeded is the status of a run that is finished, with a throughput and the latency that goes with it.
func Succeeded(run string, at time.Time, operationsPerSecond int64) benchv1alpha1.BenchmarkRunStatus {
	micros := 1_000_000 / operationsPerSecond
	operation := benchv1alpha1.OperationResult{
		Name: "find", Count: new(10 * operationsPerSecond), Errors: new(int64(0)), OperationsPerSecond: &operationsPerSecond,
	}
	for _, time := range figure.Times {
		time.In().Set(&operation, &micros)
	}
	status := ended(at, metav1.ConditionTrue, benchv1alpha1.ReasonCompleted)
	status.Conditions = append(status.Conditions, condition(at, benchv1alpha1.RunTrusted, metav1.ConditionTrue,
		benchv1alpha1.ReasonNoConcern))
	status.Server = &benchv1alpha1.ServerFingerprint{Version: "6.0.5", StorageEngine: "wiredTiger", Members: new(int32(1))}
	status.Summary = &benchv1alpha1.RunSummary{
		Steps: new(int32(1)), Operations: operation.Count, Errors: operation.Errors, Step: "read",
		OperationsPerSecond: &operationsPerSecond, P99Micros: &micros, P99: fmt.Sprintf("%d µs", micros),
		HighestP99Step: "read", HighestP99Micros: &micros,
	}
	status.Result = &benchv1alpha1.Result{
		Steps: []benchv1alpha1.StepResult{{
			Name: "read", OperationsPerSecond: &operationsPerSecond, P99Micros: &micros,
			DurationMillis: new(int64(10000)), Threads: new(int32(1)),
			Operations: []benchv1alpha1.OperationResult{operation},
		}},
		Report: benchv1alpha1.ReportReference{ConfigMapName: run + "-report", SHA256: strings.Repeat("0", 64)},
	}
	return status
}

// Failed is the status of a run that ended without a result.
func Failed(at time.Time, reason string) benchv1alpha1.BenchmarkRunStatus {
	return ended(at, metav1.ConditionFalse, reason)
}

// Measuring is the status of a run that goes on.
func Measuring(at time.Time) benchv1alpha1.BenchmarkRunStatus {
	return benchv1alpha1.BenchmarkRunStatus{Conditions: []metav1.Condition{
		condition(at, benchv1alpha1.RunAdmitted, metav1.ConditionTrue, benchv1alpha1.ReasonAdmitted),
		condition(at, benchv1alpha1.RunSucceeded, metav1.ConditionUnknown, benchv1alpha1.ReasonNotEnded),
		condition(at, benchv1alpha1.RunProgressing, metav1.ConditionTrue, benchv1alpha1.StageMeasuring),
	}}
}

func ended(at time.Time, status metav1.ConditionStatus, reason string) benchv1alpha1.BenchmarkRunStatus {
	return benchv1alpha1.BenchmarkRunStatus{Conditions: []metav1.Condition{
		condition(at, benchv1alpha1.RunSucceeded, status, reason),
		condition(at, benchv1alpha1.RunProgressing, metav1.ConditionFalse, benchv1alpha1.ReasonFinished),
	}}
}

func condition(at time.Time, conditionType string, status metav1.ConditionStatus, reason string) metav1.Condition {
	return metav1.Condition{
		Type: conditionType, Status: status, Reason: reason, LastTransitionTime: metav1.NewTime(at.Truncate(time.Second)),
	}
}
