package show

import (
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/present"
)

func number[T int32 | int64](value *T) string { return present.Known(value, present.Count) }

func micros(value *int64) string { return present.Known(value, present.Micros) }

// Quantity writes a figure in the unit of its metric.
func Quantity(metric benchv1alpha1.Metric, value *int64) string {
	return present.Known(value, func(value int64) string { return comparison.Quantity(metric, value) })
}

// age is how long ago something was, as kubectl writes it.
func age(at, now time.Time) string {
	if at.IsZero() {
		return present.Unknown
	}
	return duration.HumanDuration(now.Sub(at))
}
