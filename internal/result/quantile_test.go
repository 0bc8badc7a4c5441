package result_test

import (
	"testing"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

func TestIntervalQuantile(t *testing.T) {
	var times []int64
	for micros := int64(1); micros <= 10_000; micros++ {
		bucket := reportv1alpha1.IntervalBucket(micros)
		for len(times) <= bucket {
			times = append(times, 0)
		}
		times[bucket]++
	}
	for quantile, exact := range map[float64]int64{0.01: 100, 0.5: 5000, 0.95: 9500, 1: 10_000} {
		got := result.IntervalQuantile(times, quantile)
		if float64(got) < 0.8*float64(exact) || float64(got) > 1.25*float64(exact) {
			t.Errorf("quantile %g is %d, want %d or a quarter more or less", quantile, got, exact)
		}
	}
	if got := result.IntervalQuantile(nil, 0.5); got != 0 {
		t.Errorf("the median of nothing is %d", got)
	}
}
