package v1alpha1_test

import (
	"testing"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

func TestIntervalBucket(t *testing.T) {
	for micros, want := range map[int64]int{
		-1: 0, 0: 0, 1: 0, 2: 2, 3: 3, 4: 4, 5: 4, 6: 5, 7: 5, 8: 6, 11: 6, 12: 7, 15: 7, 16: 8,
		1000: 19, 1024: 20, 1535: 20, 1536: 21, 2047: 21, 2048: 22,
		reportv1alpha1.HistogramHighestMicros: 63, 2 * reportv1alpha1.HistogramHighestMicros: 63,
	} {
		if got := reportv1alpha1.IntervalBucket(micros); got != want {
			t.Errorf("IntervalBucket(%d) = %d, want %d", micros, got, want)
		}
	}
}

func TestIntervalBucketsBeginWhereTheySay(t *testing.T) {
	for bucket := 2; bucket < reportv1alpha1.IntervalBuckets; bucket++ {
		lowest := reportv1alpha1.IntervalBucketLowest(bucket)
		if got := reportv1alpha1.IntervalBucket(lowest); got != bucket {
			t.Errorf("%d µs, where bucket %d begins, is in bucket %d", lowest, bucket, got)
		}
		if got := reportv1alpha1.IntervalBucket(lowest - 1); got >= bucket {
			t.Errorf("%d µs, before bucket %d begins, is in bucket %d", lowest-1, bucket, got)
		}
		if previous := reportv1alpha1.IntervalBucketLowest(bucket - 1); bucket > 3 && lowest*2 > previous*3 {
			t.Errorf("bucket %d goes from %d to %d µs, more than half as much again", bucket-1, previous, lowest)
		}
	}
}
