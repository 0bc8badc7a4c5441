package collect

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

// TestASizeThatNoReportCanHaveIsRefused: a suite counts with it.
func TestASizeThatNoReportCanHaveIsRefused(t *testing.T) {
	const most = reportv1alpha1.MaxReportBytes
	for bytes, says := range map[int64]string{
		-1: "cannot have -1 bytes", 0: "cannot have 0 bytes", 1: "", most: "", most + 1: "cannot have 921601 bytes",
	} {
		told, err := reportv1alpha1.EncodeCollected(reportv1alpha1.Collected{
			Version: reportv1alpha1.Version, PlanHash: "hash",
			Stored:  reportv1alpha1.Stored{ConfigMapName: "r-report", SHA256: strings.Repeat("0", 64), Bytes: bytes},
			Summary: reportv1alpha1.Summary{Steps: []reportv1alpha1.StepSummary{{Name: "read"}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		plan := planv1alpha1.Plan{Steps: []planv1alpha1.Step{{Name: "read"}}}
		_, err = Read(runtest.Run("bench", "r"), plan, "hash",
			&corev1.ConfigMap{Data: map[string]string{reportv1alpha1.CollectedKey: string(told)}})
		if (err != nil) != (says != "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%d bytes: got %v, want %q", bytes, err, says)
		}
	}
}
