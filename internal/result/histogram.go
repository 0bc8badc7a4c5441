package result

import (
	"fmt"
	"math"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// mergeHistograms adds encoded histograms up. An empty text is an empty histogram.
func mergeHistograms(encoded ...string) (*hdrhistogram.Histogram, error) {
	merged := reportv1.NewHistogram()
	for _, text := range encoded {
		if text == "" {
			continue
		}
		part, err := reportv1.DecodeHistogram(text)
		if err != nil {
			return nil, err
		}
		if dropped := merged.Merge(part); dropped != 0 {
			return nil, fmt.Errorf("merging histograms: %d values are out of range", dropped)
		}
	}
	return merged, nil
}

// IntervalQuantile reads a quantile, from 0 to 1, of one interval's times: the geometric middle of the bucket that it
// is in, in microseconds, which is off by 22 % at most. It is 0 when the interval has no times.
func IntervalQuantile(times []int64, quantile float64) int64 {
	wanted := max(1, int64(math.Ceil(quantile*float64(sum(times)))))
	var seen int64
	for bucket, count := range times {
		if seen += count; count > 0 && seen >= wanted {
			lowest, next := reportv1.IntervalBucketLowest(bucket), reportv1.IntervalBucketLowest(bucket+1)
			return int64(math.Round(math.Sqrt(float64(lowest) * float64(next))))
		}
	}
	return 0
}
