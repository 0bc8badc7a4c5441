package comparison

import (
	"strconv"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// metricInfo is what has to be known of a metric.
type metricInfo struct {
	metric benchv1alpha1.Metric
	// name for people.
	name string
	// throughput is better the higher it is; everything else the lower.
	throughput bool
	// overall: with no operation named, all operations together are meant.
	overall bool
	// quantity writes a value for people.
	quantity func(int64) string
	// csvUnit is the unit in full.
	csvUnit string
	// benchUnit is the unit as the format of Go's benchmarks has it, and benchFactor what a value is multiplied with for
	// it. What ends in ns is shown in seconds.
	benchUnit   string
	benchFactor int64
}

var metrics = []metricInfo{
	{
		metric: benchv1alpha1.MetricOperationsPerSecond, name: "throughput", throughput: true, overall: true,
		quantity: suffixed("/s"), csvUnit: "operations/second", benchUnit: "ops/s", benchFactor: 1,
	},
	latency(benchv1alpha1.MetricMeanMicros, "mean latency", "ns/op"),
	latency(benchv1alpha1.MetricP50Micros, "p50", "p50-ns"),
	latency(benchv1alpha1.MetricP95Micros, "p95", "p95-ns"),
	latency(benchv1alpha1.MetricP99Micros, "p99", "p99-ns"),
	latency(benchv1alpha1.MetricP999Micros, "p99.9", "p99.9-ns"),
	latency(benchv1alpha1.MetricFirstDocumentP50Micros, "p50 until the first document", "first-document-p50-ns"),
	{
		metric: benchv1alpha1.MetricErrorsPerMillion, name: "errors", overall: true,
		quantity: suffixed(" per million"), csvUnit: "errors/million", benchUnit: "errors/million", benchFactor: 1,
	},
	{
		metric: benchv1alpha1.MetricLoadDocumentsPerSecond, name: "throughput of the loading", throughput: true,
		quantity: suffixed("/s"), csvUnit: "documents/second", benchUnit: "documents/s", benchFactor: 1,
	},
	space(benchv1alpha1.MetricStorageBytes, "size of the documents", "storage-bytes"),
	space(benchv1alpha1.MetricIndexBytes, "size of the indexes", "index-bytes"),
}

func space(metric benchv1alpha1.Metric, name, benchUnit string) metricInfo {
	return metricInfo{
		metric: metric, name: name, quantity: sizeText, csvUnit: "bytes", benchUnit: benchUnit, benchFactor: 1,
	}
}

func latency(metric benchv1alpha1.Metric, name, benchUnit string) metricInfo {
	return metricInfo{
		metric: metric, name: name,
		quantity: duration, csvUnit: "microseconds", benchUnit: benchUnit, benchFactor: 1000,
	}
}

// infoOf a metric. One of another release has its name and no more.
func infoOf(metric benchv1alpha1.Metric) metricInfo {
	for _, info := range metrics {
		if info.metric == metric {
			return info
		}
	}
	return metricInfo{
		metric: metric, name: string(metric), quantity: suffixed(""), benchUnit: string(metric), benchFactor: 1,
	}
}

func suffixed(suffix string) func(int64) string {
	return func(value int64) string { return strconv.FormatInt(value, 10) + suffix }
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
