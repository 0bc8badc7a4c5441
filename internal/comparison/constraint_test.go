package comparison_test

import (
	"math"
	"strings"
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
)

func TestMarginsAreOfEachConstraint(t *testing.T) {
	t.Parallel()
	figure := func(metric benchv1alpha1.Metric, operation string, value float64) comparison.Figure {
		return comparison.Figure{Key: comparison.Key{Metric: metric, Step: "s", Operation: operation}, Value: value}
	}
	sample := comparison.Sample{Figures: []comparison.Figure{
		figure(benchv1alpha1.MetricP99Micros, "read", 1000), figure(benchv1alpha1.MetricP99Micros, "write", 4000),
		figure(benchv1alpha1.MetricReplicationLagMillis, "", 50), figure(benchv1alpha1.MetricErrorsPerMillion, "", 0),
	}}
	latency := benchv1alpha1.SearchConstraint{Metric: benchv1alpha1.MetricP99Micros, Max: new(int64(2000))}
	lag := benchv1alpha1.SearchConstraint{Metric: benchv1alpha1.MetricReplicationLagMillis, Max: new(int64(100))}
	margins, missing := comparison.Margins(sample, []benchv1alpha1.SearchConstraint{latency, lag})
	if missing != "" || len(margins) != 2 || math.Abs(margins[0]+math.Ln2) > 1e-9 || math.Abs(margins[1]-math.Ln2) > 1e-9 {
		t.Errorf("got %v, %q; the write breaks its limit twofold, and the lag keeps its own twofold", margins, missing)
	}
	for metric, want := range map[benchv1alpha1.Metric]string{
		benchv1alpha1.MetricReplicationLagMillis: "no figure for replication lag of at most 100 ms; it is of replica sets",
		benchv1alpha1.MetricP99Micros:            "a percentile needs more operations",
	} {
		limit := benchv1alpha1.SearchConstraint{Metric: metric, Max: new(int64(100))}
		if _, missing := comparison.Margins(comparison.Sample{}, []benchv1alpha1.SearchConstraint{limit}); !strings.Contains(
			missing, want) {
			t.Errorf("%s: %q does not say %q", metric, missing, want)
		}
	}
}
