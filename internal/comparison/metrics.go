package comparison

import (
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// infoOf a metric. One of another release has its name and no more.
func infoOf(metric benchv1alpha1.Metric) figure.Comparison {
	for _, known := range figure.Compared {
		if known.Metric == metric {
			return known
		}
	}
	return figure.Comparison{Metric: metric, Name: string(metric), BenchUnit: string(metric)}
}

// throughput is better the higher it is; everything else the lower.
func throughput(metric figure.Comparison) bool { return metric.Unit == figure.PerSecond }

// benchFactor is what a value is multiplied with in Go's benchmark format, which has nanoseconds.
func benchFactor(metric figure.Comparison) int64 {
	if metric.Unit == figure.Micros {
		return 1000
	}
	return 1
}

// Name is what people call a metric.
func Name(metric benchv1alpha1.Metric) string { return infoOf(metric).Name }

// Quantity writes a value of a metric for people.
func Quantity(metric benchv1alpha1.Metric, value int64) string {
	switch infoOf(metric).Unit {
	case figure.PerSecond:
		return present.Count(value) + "/s"
	case figure.PerMillion:
		return present.Count(value) + " per million"
	case figure.Micros:
		return present.Micros(value)
	case figure.Bytes:
		return present.Bytes(value)
	case figure.Count, figure.Millis:
	}
	return present.Count(value)
}
