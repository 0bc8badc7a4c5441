package harness

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Report reads the stored report of a run that succeeded, after a look at its digest.
func (n *Namespace) Report(t *testing.T, run *benchv1alpha1.BenchmarkRun) reportv1alpha1.Report {
	t.Helper()
	if run.Status.Result == nil {
		t.Fatalf("run %s has no result in its status", run.Name)
	}
	stored := &corev1.ConfigMap{}
	n.Fetch(t, run.Status.Result.Report.ConfigMapName, stored)
	encoded := stored.BinaryData[reportv1alpha1.ReportKey]
	sum := sha256.Sum256(encoded)
	if got := hex.EncodeToString(sum[:]); got != run.Status.Result.Report.SHA256 {
		t.Fatalf("the report of run %s has the SHA-256 %s, and its status says %s", run.Name, got,
			run.Status.Result.Report.SHA256)
	}
	return decode(t, encoded)
}

// PodReport reads what one load pod reported, while it is kept.
func (n *Namespace) PodReport(t *testing.T, configMap string) reportv1alpha1.Report {
	t.Helper()
	stored := &corev1.ConfigMap{}
	n.Fetch(t, configMap, stored)
	return decode(t, stored.BinaryData[reportv1alpha1.ReportKey])
}

func decode(t *testing.T, encoded []byte) reportv1alpha1.Report {
	t.Helper()
	report, err := reportv1alpha1.Decode(encoded)
	if err != nil {
		t.Fatalf("reading a report: %v", err)
	}
	return report
}

// StepOf finds a step of a report.
func StepOf(t *testing.T, report reportv1alpha1.Report, name string) reportv1alpha1.Step {
	t.Helper()
	for _, step := range report.Steps {
		if step.Name == name {
			return step
		}
	}
	t.Fatalf("the report has no step %q", name)
	return reportv1alpha1.Step{}
}

// Stages writes how long each stage of a run took, on one line.
func Stages(run *benchv1alpha1.BenchmarkRun) string {
	words := make([]string, 0, len(run.Status.Stages))
	for _, stage := range run.Status.Stages {
		took := "not ended"
		if stage.CompletionTime != nil {
			took = fmt.Sprintf("%.1f s", stage.CompletionTime.Sub(stage.StartTime.Time).Seconds())
		}
		words = append(words, stage.Name+" "+took)
	}
	return strings.Join(words, ", ")
}
