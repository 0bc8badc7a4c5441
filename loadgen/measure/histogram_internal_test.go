package measure

import (
	"math"
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
	if err := recorded.AddTo(got); err != nil {
		t.Fatal(err)
	}
	if want := int64(1<<32 + 1); got.TotalCount() != want || got.Max() != 5 {
		t.Errorf("%d values up to %d, want %d up to 5", got.TotalCount(), got.Max(), want)
	}
}
