package metrics

import (
	"math"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

const (
	// nativeSchema is Prometheus's number for buckets that are a factor of 2^(1/8) wide.
	nativeSchema    = 3
	bucketsPerPower = 1 << nativeSchema

	microsPerSecond = 1e6
)

// classicBounds are the upper bounds of the classic buckets, in microseconds: from 100 µs to 30 s, three a decade.
var classicBounds = []int64{
	100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000,
	10_000_000, 30_000_000,
}

// powers are where the native buckets of the numbers from a half to one begin.
var powers = func() [bucketsPerPower]float64 {
	var bounds [bucketsPerPower]float64
	for i := range bounds {
		bounds[i] = math.Exp2(float64(i)/bucketsPerPower - 1)
	}
	return bounds
}()

// nativeIndex is the number of the native bucket that has a time of at least a microsecond: bucket n holds what is more
// than 2^((n-1)/8) seconds and not more than 2^(n/8).
func nativeIndex(micros int64) int {
	fraction, exponent := math.Frexp(float64(micros) / microsPerSecond)
	first, _ := slices.BinarySearch(powers[:], fraction)
	return first + (exponent-1)*bucketsPerPower
}

// times are buckets of a report as Prometheus counts them.
type times struct {
	count uint64
	// sum in seconds, each value taken for the middle of its bucket, as in the mean of a report.
	sum float64
	// native counts by the number of the bucket, and zero those that took no whole microsecond.
	native map[int]int64
	zero   uint64
	// classic are how many values are at most as large as each of the bounds.
	classic []uint64
}

// convert counts all of a bucket where its largest value belongs.
func convert(buckets []measure.Bucket) times {
	t := times{native: map[int]int64{}, classic: make([]uint64, len(classicBounds))}
	for _, bucket := range buckets {
		t.count += uint64(bucket.Count)
		middle := bucket.Lowest + (bucket.Highest-bucket.Lowest+1)/2
		t.sum += float64(bucket.Count) * float64(middle) / microsPerSecond
		if bucket.Highest == 0 {
			t.zero += uint64(bucket.Count)
		} else {
			t.native[nativeIndex(bucket.Highest)] += bucket.Count
		}
		if first, _ := slices.BinarySearch(classicBounds, bucket.Highest); first < len(classicBounds) {
			t.classic[first] += uint64(bucket.Count)
		}
	}
	for i := 1; i < len(t.classic); i++ {
		t.classic[i] += t.classic[i-1]
	}
	return t
}

// histogram is a native histogram that has classic buckets too, for who does not read native ones.
type histogram struct {
	prometheus.Metric

	classic []*dto.Bucket
}

// newHistogram makes the metric of buckets that are counted since an instant.
func newHistogram(
	description *prometheus.Desc, buckets []measure.Bucket, since time.Time, labels ...string,
) (prometheus.Metric, error) {
	t := convert(buckets)
	native, err := prometheus.NewConstNativeHistogram(description, t.count, t.sum, t.native, nil, t.zero, nativeSchema,
		prometheus.DefNativeHistogramZeroThreshold, since, labels...)
	if err != nil {
		return nil, err
	}
	made := histogram{Metric: native}
	for i, bound := range classicBounds {
		made.classic = append(made.classic, &dto.Bucket{
			UpperBound: new(float64(bound) / microsPerSecond), CumulativeCount: new(t.classic[i]),
		})
	}
	return made, nil
}

// Write adds the classic buckets to what the native histogram writes.
func (h histogram) Write(out *dto.Metric) error {
	if err := h.Metric.Write(out); err != nil {
		return err
	}
	out.Histogram.Bucket = h.classic
	return nil
}
