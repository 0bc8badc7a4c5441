package measure

import (
	"math"
	"slices"
	"testing"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

func TestACountThatRunsOverIsNotLost(t *testing.T) {
	var recorded Histogram
	recorded.Record(5)
	recorded.rows[0][5] = math.MaxUint32
	recorded.Record(5)
	recorded.Record(5)
	got := reportv1.NewHistogram()
	recorded.AddTo(got)
	if want := int64(1<<32 + 1); got.TotalCount() != want || got.Max() != 5 {
		t.Errorf("%d values up to %d, want %d up to 5", got.TotalCount(), got.Max(), want)
	}
}

// TestEveryLatencyIsInTheHalfOctaveThatItsIntervalCounts: what is handed in by the intervals' buckets is everything.
func TestEveryLatencyIsInTheHalfOctaveThatItsIntervalCounts(t *testing.T) {
	isMoved(t, reportv1.HistogramHighestMicros)
	for octave := range 31 {
		begin := int64(1) << octave
		for _, value := range []int64{begin - 1, begin, begin + begin/2 - 1, begin + begin/2, begin + begin/2 + 1} {
			isMoved(t, value)
		}
	}
}

func isMoved(t *testing.T, value int64) {
	t.Helper()
	var recorded, moved Histogram
	recorded.Record(value)
	where := half(reportv1.IntervalBucket(value))
	recorded.move(&moved, where)
	left, there := slices.Collect(recorded.buckets()), slices.Collect(moved.buckets())
	if len(left) != 0 || len(there) != 1 {
		t.Fatalf("%d µs is not among the slots %+v", value, where)
	}
	if bucket := there[0]; value < bucket.Lowest || value > bucket.Highest || bucket.Count != 1 {
		t.Errorf("%d µs is in bucket %+v", value, bucket)
	}
}

func TestACountThatRunsOverWhileItIsHandedInIsNotLost(t *testing.T) {
	var shown, more Histogram
	shown.Record(5)
	shown.rows[0][5] = math.MaxUint32
	more.Record(5)
	more.Record(5)
	more.move(&shown, half(reportv1.IntervalBucket(5)))
	want := Bucket{Lowest: 5, Highest: 5, Count: 1<<32 + 1}
	if got := slices.Collect(shown.buckets()); len(got) != 1 || got[0] != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
