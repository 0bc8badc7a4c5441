package v1alpha1_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/strictjson"
)

// TestWhatALaterReleaseAddsIsPassedOverAndTold of what the operator and the collector tell each other: by then the
// measurement has been made.
func TestWhatALaterReleaseAddsIsPassedOverAndTold(t *testing.T) {
	collected, err := reportv1alpha1.DecodeCollected([]byte(`{"version":"` + reportv1alpha1.Version +
		`","planHash":"h","remarks":["windy"],"moon":"full","summary":{"steps":[{"name":"a","haste":1}]}}`))
	if err != nil || collected.PlanHash != "h" || len(collected.Summary.Steps) != 1 {
		t.Fatalf("read %+v, error %v", collected, err)
	}
	want := []string{
		"windy", "the load generator is of a later release than the operator, which passed over moon, summary.steps[].haste",
	}
	if diff := cmp.Diff(want, collected.Remarks); diff != "" {
		t.Errorf("remarks of what was collected (-want +got):\n%s", diff)
	}

	order, err := reportv1alpha1.DecodeCollectOrder(
		[]byte(`{"cause":"Cancelled","a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7}`))
	if err != nil || order.Cause != "Cancelled" {
		t.Fatalf("read %+v, error %v", order, err)
	}
	want = []string{
		"the operator is of a later release than the load generator, which passed over a, b, c, d, e and 2 more",
	}
	if diff := cmp.Diff(want, order.Remarks); diff != "" {
		t.Errorf("remarks of the order (-want +got):\n%s", diff)
	}
}

func TestAReportNamesWhatOnlyALaterReleaseKnows(t *testing.T) {
	const text = `{"version":"` + reportv1alpha1.Version + `","haste":1,"steps":[{"name":"a","kind":"Ponder","haste":2}]}`
	compressed, err := strictjson.Compress([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"haste", "steps[].haste"}
	if diff := cmp.Diff(want, reportv1alpha1.Unknown(compressed)); diff != "" {
		t.Errorf("of a stored report (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, reportv1alpha1.UnknownInFile([]byte(`{"other":1,"report":`+text+`}`))); diff != "" {
		t.Errorf("of a file (-want +got):\n%s", diff)
	}
	report, err := reportv1alpha1.Decode(compressed)
	if err != nil || len(report.Steps) != 1 || report.Steps[0].Kind != "Ponder" {
		t.Errorf("read %+v, error %v", report.Steps, err)
	}
}
