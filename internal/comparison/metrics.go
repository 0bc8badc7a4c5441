package comparison

import (
	"strconv"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
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

// quantity writes a value of a metric for people.
func quantity(metric benchv1alpha1.Metric, value int64) string {
	switch infoOf(metric).Unit {
	case figure.PerSecond:
		return strconv.FormatInt(value, 10) + "/s"
	case figure.PerMillion:
		return strconv.FormatInt(value, 10) + " per million"
	case figure.Micros:
		return duration(value)
	case figure.Bytes:
		return sizeText(value)
	case figure.Count, figure.Millis:
	}
	return strconv.FormatInt(value, 10)
}

// duration writes microseconds.
func duration(micros int64) string {
	switch {
	case micros < 1000:
		return strconv.FormatInt(micros, 10) + " µs"
	case micros < 1_000_000:
		return significant(float64(micros)/1e3) + " ms"
	}
	return significant(float64(micros)/1e6) + " s"
}

// sizeText writes bytes.
func sizeText(size int64) string {
	const mebibyte = 1 << 20
	if size < mebibyte {
		return strconv.FormatInt(size, 10) + " B"
	}
	return significant(float64(size)/mebibyte) + " MiB"
}

// significant writes three digits that count, or all in front of the point.
func significant(value float64) string {
	decimals := 2
	for limit := 10.0; value >= limit && decimals > 0; limit *= 10 {
		decimals--
	}
	return strconv.FormatFloat(value, 'f', decimals, 64)
}
