package page_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// textsOf are the cells of a table as they are seen.
func textsOf(table *present.Table) [][]string {
	if table == nil {
		return nil
	}
	rows := make([][]string, 0, len(table.Rows))
	for _, row := range table.Rows {
		texts := make([]string, 0, len(row))
		for _, cell := range row {
			texts = append(texts, cell.Text)
		}
		rows = append(rows, texts)
	}
	return rows
}

func TestThresholdsOfASuiteAreToldWithTheirDefaults(t *testing.T) {
	stored := madeUpSuite(t, small)
	usual := [][]string{
		{"throughput", "every", "all together", "higher", "5 %", "95 %"},
		{"p99", "every", "every", "lower", "5 %", "95 %"},
	}
	if diff := cmp.Diff(usual, textsOf(suiteOf(t, stored).Limits)); diff != "" {
		t.Errorf("of a suite that names none (-want +got):\n%s", diff)
	}
	stored.Object.Spec.Thresholds = []benchv1alpha1.Threshold{
		{
			Metric: benchv1alpha1.MetricP99Micros, Step: new("read-heavy"), Operation: new("find"),
			MinEffectPercent: new(int32(20)), ConfidencePercent: new(int32(80)),
		},
		{Metric: benchv1alpha1.MetricErrorsPerMillion, Direction: new(benchv1alpha1.HigherIsBetter)},
	}
	own := [][]string{
		{"p99", "read-heavy", "find", "lower", "20 %", "80 %"},
		{"errors", "every", "all together", "higher", "5 %", "95 %"},
	}
	data := suiteOf(t, stored)
	if diff := cmp.Diff(own, textsOf(data.Limits)); diff != "" {
		t.Errorf("of a suite that names two (-want +got):\n%s", diff)
	}
	// The interval is asked for with the confidence of the threshold; ten runs give 89.0 % and 97.8 %.
	for _, figure := range data.Figures {
		want := "97.8 %"
		key := comparison.Key{Metric: benchv1alpha1.MetricP99Micros, Step: "read-heavy", Operation: "find"}
		if figure.Key == key {
			want = "89 %"
		}
		if got := figure.Variants[0].ConfidenceText; got != want {
			t.Errorf("the confidence of %v is %s, want %s", figure.Key, got, want)
		}
	}
}

func TestChangePointsAreByTheThresholdsOfTheSuite(t *testing.T) {
	stored := madeUpSuite(t, small)
	stored.Object.Spec.Thresholds = []benchv1alpha1.Threshold{
		{Metric: benchv1alpha1.MetricOperationsPerSecond, MinEffectPercent: new(int32(90))},
	}
	for _, series := range suiteOf(t, stored).History.Series {
		// It fell by 50 %, which is less than matters to this suite.
		if series.Metric == benchv1alpha1.MetricOperationsPerSecond && len(series.Changes) > 0 {
			t.Errorf("%s of %s has the changes %+v", series.Metric, series.Variant, series.Changes)
		}
	}
}

func TestADifferenceThatTheSuiteIgnoresIsSaidToBe(t *testing.T) {
	stored := madeUpSuite(t, small)
	stored.Object.Spec.IgnoreDifferences = []string{"kernels"}
	data := suiteOf(t, stored)
	want := []string{"inmemory-shards4", "wiredtiger-shards1", "kernels", "no, ignored", "6.1.0-28", "6.1.0-20"}
	got := differencesOf(data, "inmemory-shards4")[0]
	if diff := cmp.Diff(want, got); diff != "" || !slices.Equal(data.Ignored, []string{"kernels"}) {
		t.Errorf("ignored %v; -want +got:\n%s", data.Ignored, diff)
	}
}

func TestWhatTheStatusSaysIsOnThePage(t *testing.T) {
	stored := madeUpSuite(t, small)
	unchanged := benchv1alpha1.VerdictUnchanged
	stored.Object.Status.History[1].Verdict = &unchanged
	stored.Object.Status.History[2].CompletionTime = nil
	data := suiteOf(t, stored)
	told := []present.Fact{
		{Name: "Complete", Text: "True, AllSucceeded: every run succeeded"},
		{Name: "Regressed", Text: "True, MetricRegressed: the throughput is a half"},
	}
	if diff := cmp.Diff(told, data.Told); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
	want := [][]string{
		{"r012", "2026-03-12T11:00:00Z", "2026-03-12T12:00:00Z", "✖ Regressed"},
		{"r011", "2026-03-11T11:00:00Z", "2026-03-11T12:00:00Z", "= Unchanged"},
		{"r010", "2026-03-10T11:00:00Z", "-", "-"},
	}
	rows := textsOf(data.Revisions)
	if diff := cmp.Diff(want, rows[:3]); diff != "" || len(rows) != small.Revisions {
		t.Errorf("%d revisions (-want +got):\n%s", len(rows), diff)
	}
}

func TestThresholdsThatTheLinesAreNotOfAreNotTold(t *testing.T) {
	for name, change := range map[string]func(*cluster.Stored){
		"there is no suite":                func(s *cluster.Stored) { s.Object = nil },
		"the suite was changed since":      func(s *cluster.Stored) { s.Object.Generation++ },
		"it is to be compared again":       func(s *cluster.Stored) { s.Object.Status.Conditions[1].Reason = "NotCompared" },
		"the suite has not been looked at": func(s *cluster.Stored) { s.Object.Status.Conditions = nil },
	} {
		t.Run(name, func(t *testing.T) {
			stored := madeUpSuite(t, small)
			change(&stored)
			data := suiteOf(t, stored)
			if data.Limits != nil || len(data.Notes) != 1 || !strings.Contains(data.Notes[0], "is not known") {
				t.Errorf("thresholds %v, notes %q", textsOf(data.Limits), data.Notes)
			}
		})
	}
}
