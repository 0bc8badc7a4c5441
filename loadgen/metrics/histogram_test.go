package metrics

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// recorded is what a worker records of latencies, as it is told of and as it is reported.
func recorded(t *testing.T, latencies []time.Duration) (buckets []measure.Bucket, reported string) {
	t.Helper()
	recording := measure.NewRecording([]reportv1.Operation{{Name: "read", Kind: "FindOne"}}, false, time.Second)
	recording.Publish()
	recorder := recording.Recorder()
	for _, took := range latencies {
		recorder.Success(0, measure.Sample{Service: took})
	}
	operations, err := recording.Operations()
	if err != nil {
		t.Fatal(err)
	}
	return recording.Live().Operations[0].Latency, operations[0].ServiceTime
}

// written is a histogram as Prometheus gets it.
func written(t *testing.T, buckets []measure.Bucket) *dto.Histogram {
	t.Helper()
	metric, err := newHistogram(latency, buckets, time.Unix(1, 0), "step", "operation")
	if err != nil {
		t.Fatal(err)
	}
	var out dto.Metric
	if err := metric.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.GetHistogram()
}

// draw makes latencies of a kind. Their number is a multiple of a thousand, so that every percentile is that of one of
// them whichever way it is rounded.
var draw = map[string]func(random *rand.Rand) time.Duration{
	"around a millisecond": func(random *rand.Rand) time.Duration {
		return time.Duration(math.Exp(random.NormFloat64()/2) * float64(time.Millisecond))
	},
	"all octaves alike": func(random *rand.Rand) time.Duration {
		return time.Duration(math.Exp2(random.Float64()*31)) * time.Microsecond
	},
	"two heaps": func(random *rand.Rand) time.Duration {
		return time.Duration(300+random.IntN(200)+random.IntN(20)/19*40_000) * time.Microsecond
	},
	"so short that they are nothing": func(random *rand.Rand) time.Duration {
		return time.Duration(random.IntN(4)) * 400 * time.Nanosecond
	},
}

func TestAQuantileLiesInTheNativeBucketOfTheReports(t *testing.T) {
	for name, next := range draw {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(3, 4))
			latencies := make([]time.Duration, 50_000)
			for i := range latencies {
				latencies[i] = next(random)
			}
			quantilesAgree(t, latencies)
		})
	}
}

// quantilesAgree holds the percentiles and the mean of latencies against those of the report.
func quantilesAgree(t *testing.T, latencies []time.Duration) {
	t.Helper()
	buckets, encoded := recorded(t, latencies)
	reported, err := reportv1.DecodeHistogram(encoded)
	if err != nil {
		t.Fatal(err)
	}
	got := written(t, buckets)
	if got.GetSampleCount() != uint64(len(latencies)) {
		t.Fatalf("%d values, want %d", got.GetSampleCount(), len(latencies))
	}
	for _, percentile := range []float64{0.1, 1, 10, 50, 90, 95, 99, 99.9, 100} {
		isInItsBucket(t, got, percentile, float64(reported.ValueAtQuantile(percentile))/1e6)
	}
	mean := got.GetSampleSum() / float64(got.GetSampleCount()) * 1e6
	if want := reported.Mean(); math.Abs(mean-want) > 1e-9*want {
		t.Errorf("the mean is %g µs, want %g", mean, want)
	}
}

// isInItsBucket holds a percentile of the report, in seconds, against the native bucket that has the same rank.
func isInItsBucket(t *testing.T, got *dto.Histogram, percentile, value float64) {
	t.Helper()
	above, highest := nativeBucket(got, uint64(math.Round(percentile/100*float64(got.GetSampleCount()))))
	if value <= above && value != 0 || value > highest {
		t.Errorf("p%g is %g s, and the native histogram has it above %g and up to %g s", percentile, value, above, highest)
	}
	if above > 0 && highest/above > math.Exp2(1.0/8)*(1+1e-12) {
		t.Errorf("the bucket from %g to %g s is wider than a factor of 2^(1/8)", above, highest)
	}
}

// nativeBucket are the bounds, in seconds, of the bucket that has the value with this rank.
func nativeBucket(h *dto.Histogram, rank uint64) (above, highest float64) {
	seen := h.GetZeroCount()
	if seen >= rank {
		return 0, h.GetZeroThreshold()
	}
	counts, factor := natives(h), math.Exp2(-float64(h.GetSchema()))
	for _, number := range slices.Sorted(maps.Keys(counts)) {
		if seen += uint64(counts[number]); seen >= rank {
			return math.Exp2(float64(number-1) * factor), math.Exp2(float64(number) * factor)
		}
	}
	return math.NaN(), math.NaN()
}

// TestClassicBucketsCountWhatTheReportCounts adds up the report's buckets whose largest value is within the bound.
func TestClassicBucketsCountWhatTheReportCounts(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	latencies := make([]time.Duration, 0, 20_000+2*len(classicBounds))
	for range 20_000 {
		latencies = append(latencies, draw["all octaves alike"](random))
	}
	for _, bound := range classicBounds {
		latencies = append(latencies, time.Duration(bound)*time.Microsecond, time.Duration(bound+1)*time.Microsecond)
	}
	buckets, encoded := recorded(t, latencies)
	reported, err := reportv1.DecodeHistogram(encoded)
	if err != nil {
		t.Fatal(err)
	}
	got := written(t, buckets).GetBucket()
	if len(got) != len(classicBounds) {
		t.Fatalf("%d classic buckets, want %d", len(got), len(classicBounds))
	}
	for i, bound := range classicBounds {
		var want uint64
		for _, bar := range reported.Distribution() {
			if bar.To <= bound {
				want += uint64(bar.Count)
			}
		}
		if got[i].GetCumulativeCount() != want || got[i].GetUpperBound() != float64(bound)/1e6 {
			t.Errorf("bucket %v, want %d up to %g s", got[i], want, float64(bound)/1e6)
		}
	}
}

// TestNativeBucketsAreThoseOfTheLibrary has Prometheus's own histogram count the same values one by one: up to 2 ms a
// report's buckets are microseconds, so that the two must be alike.
func TestNativeBucketsAreThoseOfTheLibrary(t *testing.T) {
	library := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "library_seconds", Help: "To compare with.", NativeHistogramBucketFactor: 1.1,
	})
	buckets := make([]measure.Bucket, 0, 2048)
	for micros := range int64(2048) {
		buckets = append(buckets, measure.Bucket{Lowest: micros, Highest: micros, Count: 1 + micros%5})
		for range 1 + micros%5 {
			library.Observe(float64(micros) / 1e6)
		}
	}
	var out dto.Metric
	if err := library.Write(&out); err != nil {
		t.Fatal(err)
	}
	want, got := out.GetHistogram(), written(t, buckets)
	if math.Abs(want.GetSampleSum()-got.GetSampleSum()) > 1e-9 {
		t.Errorf("the sum is %v, want %v", got.GetSampleSum(), want.GetSampleSum())
	}
	if want.GetSchema() != got.GetSchema() || want.GetZeroThreshold() != got.GetZeroThreshold() ||
		want.GetZeroCount() != got.GetZeroCount() || want.GetSampleCount() != got.GetSampleCount() {
		t.Errorf("the library has %v, ours is %v", want, got)
	}
	if diff := cmp.Diff(natives(want), natives(got)); diff != "" {
		t.Errorf("counts of the native buckets (-library +ours):\n%s", diff)
	}
}

// natives are the counts of native buckets by their numbers.
func natives(h *dto.Histogram) map[int32]int64 {
	counts := map[int32]int64{}
	number, delta, count := int32(0), 0, int64(0)
	for _, span := range h.GetPositiveSpan() {
		number += span.GetOffset()
		for range span.GetLength() {
			count += h.GetPositiveDelta()[delta]
			delta++
			if count > 0 {
				counts[number] = count
			}
			number++
		}
	}
	return counts
}

func TestPowersOfTwoAreTheLargestOfTheirBuckets(t *testing.T) {
	for micros, want := range map[int64]int{
		15_625: -48, 15_626: -47, 1_000_000: 0, 1_000_001: 1, 999_999: 0, 2_000_000: 8, 2_000_001: 9, 1: -159,
	} {
		if got := nativeIndex(micros); got != want {
			t.Errorf("%d µs is in native bucket %d, want %d", micros, got, want)
		}
	}
}
