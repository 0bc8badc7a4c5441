package comparison_test

import (
	"fmt"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
)

var (
	readP99   = comparison.Key{Metric: benchv1alpha1.MetricP99Micros, Step: "read", Operation: "find"}
	readRate  = comparison.Key{Metric: benchv1alpha1.MetricOperationsPerSecond, Step: "read"}
	readError = comparison.Key{Metric: benchv1alpha1.MetricErrorsPerMillion, Step: "read"}
)

// sideOf has a sample for each value of one figure.
func sideOf(name string, key comparison.Key, values ...int64) comparison.Side {
	side := comparison.Side{Name: name}
	for i, value := range values {
		side.Samples = append(side.Samples, comparison.Sample{
			Run: fmt.Sprintf("%s-%d", name, i+1), Variant: name, Repetition: i + 1,
			Figures:     []comparison.Figure{{Key: key, Value: float64(value)}},
			Fingerprint: map[string]string{"version": "6.0.5", "kernels": "6.1.0"},
		})
	}
	return side
}

func pairOf(key comparison.Key, baseline, candidate []int64) comparison.Pair {
	return comparison.Pair{Baseline: sideOf("a", key, baseline...), Candidate: sideOf("b", key, candidate...)}
}

// crowdedOut takes from the runs of a baseline what they measured, as if their statuses had no room for so many steps.
func crowdedOut(pair comparison.Pair, steps int) comparison.Pair {
	for i := range pair.Baseline.Samples {
		pair.Baseline.Samples[i].Figures, pair.Baseline.Samples[i].OmittedSteps = nil, steps
	}
	return pair
}

func only(metrics ...benchv1alpha1.Metric) comparison.Settings {
	var settings comparison.Settings
	for _, metric := range metrics {
		settings.Thresholds = append(settings.Thresholds, benchv1alpha1.Threshold{Metric: metric})
	}
	return settings
}

// limited compares the 99th percentiles by limits that are not the usual ones.
func limited(minEffect, confidence int32) comparison.Settings {
	return comparison.Settings{Thresholds: []benchv1alpha1.Threshold{
		{Metric: benchv1alpha1.MetricP99Micros, MinEffectPercent: &minEffect, ConfidencePercent: &confidence},
	}}
}

// fixed compares a metric with 2000, whatever its unit.
func fixed(key comparison.Key) comparison.Settings {
	value := int64(2000)
	settings := only(key.Metric)
	settings.Figures = []benchv1alpha1.Figure{{Metric: key.Metric, Value: &value}}
	return settings
}
