package spec

import (
	"slices"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// NormaliseSuite returns the specification of a suite with the defaults of the suite itself filled in. Its template
// stays as declared: patches of variants apply to what an author wrote, and Normalise fills in the rest of each run.
func NormaliseSuite(declared benchv1alpha1.BenchmarkSuiteSpec) benchv1alpha1.BenchmarkSuiteSpec {
	suite := declared.DeepCopy()
	product.Default(&suite.Repetitions, benchv1alpha1.DefaultRepetitions)
	product.Default(&suite.Order, benchv1alpha1.DefaultSuiteOrder)
	product.Default(&suite.TargetReuse, benchv1alpha1.DefaultTargetReuse)
	product.Default(&suite.Parallelism, benchv1alpha1.DefaultParallelism)
	product.Default(&suite.Suspend, false)
	product.Default(&suite.HistoryLimit, benchv1alpha1.DefaultHistoryLimit)
	product.Default(&suite.StopOnFailure, false)
	suite.Thresholds = Thresholds(suite.Thresholds)
	return *suite
}

// Thresholds returns the thresholds of a suite with every default filled in. A suite without any compares the throughput
// and the 99th percentile of every step.
func Thresholds(declared []benchv1alpha1.Threshold) []benchv1alpha1.Threshold {
	if len(declared) == 0 {
		declared = []benchv1alpha1.Threshold{
			{Metric: benchv1alpha1.MetricOperationsPerSecond}, {Metric: benchv1alpha1.MetricP99Micros},
		}
	}
	thresholds := slices.Clone(declared)
	for i := range thresholds {
		better := benchv1alpha1.LowerIsBetter
		if figure.ComparedBy(thresholds[i].Metric).HigherIsBetter() {
			better = benchv1alpha1.HigherIsBetter
		}
		product.Default(&thresholds[i].Direction, better)
		product.Default(&thresholds[i].MinEffectPercent, benchv1alpha1.DefaultMinEffectPercent)
		product.Default(&thresholds[i].ConfidencePercent, benchv1alpha1.DefaultConfidencePercent)
	}
	return thresholds
}
