package figure_test

import (
	"testing"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
)

func TestAPercentileNeedsTenTimesBeyondIt(t *testing.T) {
	needed := map[string]int64{"p50": 20, "p95": 200, "p99": 1000, "p99.9": 10_000, "p99.99": 100_000}
	for _, percentile := range figure.Percentiles {
		least := needed[percentile.Label]
		few := &reportv1alpha1.TimesSummary{Timed: least - 1, P50Micros: 1}
		enough := &reportv1alpha1.TimesSummary{Timed: least, P50Micros: 1}
		if percentile.Shown(few) != nil || percentile.Shown(enough) == nil || percentile.Shown(nil) != nil {
			t.Errorf("%s: shown of %d times %v, of %d %v", percentile.Label, least-1, percentile.Shown(few), least,
				percentile.Shown(enough))
		}
	}
	if len(needed) != len(figure.Percentiles) || figure.Highest(19) != 0 || figure.Highest(1000) != 0.99 {
		t.Errorf("of 19 times %g is carried, of 1,000 %g", figure.Highest(19), figure.Highest(1000))
	}
}
