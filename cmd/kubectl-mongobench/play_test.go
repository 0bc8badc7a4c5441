package main

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// The operator is played: a test writes the status as it does.

func sample(name string) string { return filepath.Join(root, "config", "samples", name+".yaml") }

// create applies a sample under a name of its own.
func create[T client.Object](t *testing.T, object T, namespace, file, name string) T {
	t.Helper()
	content, err := os.ReadFile(sample(file))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(content, object); err != nil {
		t.Fatal(err)
	}
	object.SetNamespace(namespace)
	object.SetName(name)
	if err := environment.client.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	return object
}

func createRun(t *testing.T, namespace, name string) *benchv1alpha1.BenchmarkRun {
	t.Helper()
	return create(t, &benchv1alpha1.BenchmarkRun{}, namespace, "standalone", name)
}

func createSuite(t *testing.T, namespace, name string) *benchv1alpha1.BenchmarkSuite {
	t.Helper()
	return create(t, &benchv1alpha1.BenchmarkSuite{}, namespace, "suite", name)
}

// set writes conditions, given as type, status, reason and message.
func set(generation int64, all ...[4]string) []metav1.Condition {
	conditions := make([]metav1.Condition, 0, len(all))
	for _, words := range all {
		conditions = append(conditions, metav1.Condition{
			Type: words[0], Status: metav1.ConditionStatus(words[1]), Reason: words[2], Message: words[3],
			ObservedGeneration: generation, LastTransitionTime: metav1.NewTime(time.Unix(0, 0)),
		})
	}
	return conditions
}

// tell writes a status, over what others wrote meanwhile.
func tell(t *testing.T, object client.Object, change func()) {
	t.Helper()
	if err := environment.client.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
		t.Fatal(err)
	}
	change()
	if err := environment.client.Status().Update(t.Context(), object); err != nil {
		t.Fatal(err)
	}
}

// measuring plays a run that is measured at some rate.
func measuring(t *testing.T, run *benchv1alpha1.BenchmarkRun, percent int32, rate int64) {
	t.Helper()
	tell(t, run, func() {
		run.Status.Conditions = set(run.Generation, [4]string{"Progressing", "True", "Measuring", "step mixed"},
			[4]string{"Succeeded", "Unknown", "NotEnded", ""})
		run.Status.Progress = &benchv1alpha1.Progress{Step: "mixed", Percent: &percent, OperationsPerSecond: &rate}
	})
}

// end plays the end of a run, with a result when it succeeded.
func end(t *testing.T, run *benchv1alpha1.BenchmarkRun, status, reason string, p99 int64) {
	t.Helper()
	tell(t, run, func() {
		run.Status.Progress = nil
		run.Status.Conditions = set(run.Generation, [4]string{"Progressing", "False", "Finished", "it has ended"},
			[4]string{"Succeeded", status, reason, "as the test says"})
		if status == "True" {
			run.Status.Summary, run.Status.Result = summary(p99), measured(p99)
		}
	})
}

func summary(p99 int64) *benchv1alpha1.RunSummary {
	return &benchv1alpha1.RunSummary{
		Steps: new(int32(1)), Operations: new(int64(44070)), Errors: new(int64(0)), Step: "mixed",
		OperationsPerSecond: new(int64(2938)), P99Micros: &p99, P99: "37.4 ms",
	}
}

func measured(p99 int64) *benchv1alpha1.Result {
	figure := func(value int64) *int64 { return &value }
	return &benchv1alpha1.Result{
		Report: benchv1alpha1.ReportReference{ConfigMapName: "none", SHA256: sumOf(nil)},
		Steps: []benchv1alpha1.StepResult{{
			Name: "mixed", DurationMillis: figure(15000),
			Operations: []benchv1alpha1.OperationResult{{
				Name: "read", Count: figure(44070), Errors: figure(0), OperationsPerSecond: figure(2938),
				MeanMicros: figure(2710), P50Micros: figure(955), P95Micros: figure(6090), P99Micros: figure(p99),
				P999Micros: figure(66200), MaxMicros: figure(73800),
			}},
		}},
	}
}

// endSuite plays a suite that is complete.
func endSuite(t *testing.T, suite *benchv1alpha1.BenchmarkSuite, complete string, regressed [2]string) {
	t.Helper()
	tell(t, suite, func() {
		suite.Status.Revision = "5e2f"
		suite.Status.Conditions = set(suite.Generation, [4]string{"Accepted", "True", "Valid", ""},
			[4]string{"Complete", "True", complete, "all have ended"},
			[4]string{"Regressed", regressed[0], regressed[1], "as the test says"})
	})
}

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
