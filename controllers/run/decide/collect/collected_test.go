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
			Stored:   reportv1alpha1.Stored{ConfigMapName: "r-report", SHA256: strings.Repeat("0", 64), Bytes: bytes},
			Overview: reportv1alpha1.Overview{Steps: 1, Fastest: reportv1alpha1.StepFigures{Step: "read"}},
			Summary:  reportv1alpha1.Summary{Steps: []reportv1alpha1.StepSummary{{Name: "read"}}},
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

// TestAnOverviewIsOfThePlan: its steps are shown, and those that it counts may have been left out of the summary.
func TestAnOverviewIsOfThePlan(t *testing.T) {
	read, other := reportv1alpha1.StepFigures{Step: "read"}, reportv1alpha1.StepFigures{Step: "other"}
	const tooMany = "it is of 3 steps, and there are 1 to 2"
	for name, tc := range map[string]struct {
		overview reportv1alpha1.Overview
		says     string
	}{
		"one step":                   {reportv1alpha1.Overview{Steps: 1, Fastest: read, Slowest: &read}, ""},
		"one that was left out":      {reportv1alpha1.Overview{Steps: 2, Fastest: read}, ""},
		"no overview":                {reportv1alpha1.Overview{}, `overview: step "" is not of the plan`},
		"a fastest step of another":  {reportv1alpha1.Overview{Steps: 1, Fastest: other}, `overview: step "other"`},
		"a slowest step of another":  {reportv1alpha1.Overview{Steps: 1, Fastest: read, Slowest: &other}, `step "other"`},
		"fewer than the summary has": {reportv1alpha1.Overview{Fastest: read}, "it is of 0 steps, and there are 1 to 2"},
		"more than the plan has":     {reportv1alpha1.Overview{Steps: 3, Fastest: read}, tooMany},
	} {
		t.Run(name, func(t *testing.T) {
			told := reportv1alpha1.Collected{
				PlanHash: "hash", Overview: tc.overview,
				Stored:  reportv1alpha1.Stored{ConfigMapName: "r-report", SHA256: strings.Repeat("0", 64), Bytes: 1},
				Summary: reportv1alpha1.Summary{Steps: []reportv1alpha1.StepSummary{{Name: "read"}}},
			}
			plan := planv1alpha1.Plan{Steps: []planv1alpha1.Step{{Name: "read"}, {Name: "write"}}}
			err := check(told, runtest.Run("bench", "r"), plan, "hash")
			if (err != nil) != (tc.says != "") || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Errorf("got %v, want %q", err, tc.says)
			}
		})
	}
}
