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
	product.Default(&suite.Order, benchv1alpha1.DefaultSuiteOrder)
	if *suite.Order == benchv1alpha1.SuiteDuet {
		product.Default(&suite.Repetitions, benchv1alpha1.DefaultDuetRepetitions)
		product.Default(&suite.TargetReuse, benchv1alpha1.TargetReusePerVariant)
		product.Default(&product.Section(&suite.Duets).Form, benchv1alpha1.DefaultDuetForm)
	}
	if suite.Search != nil {
		product.Default(&suite.Repetitions, benchv1alpha1.DefaultSearchRepetitions)
		product.Default(&suite.Search.Minimise, benchv1alpha1.DefaultSuiteObjective)
		product.Default(&suite.Search.ConfidencePercent, benchv1alpha1.DefaultConfidencePercent)
	}
	product.Default(&suite.Repetitions, benchv1alpha1.DefaultRepetitions)
	product.Default(&suite.TargetReuse, benchv1alpha1.DefaultTargetReuse)
	product.Default(&suite.Parallelism, benchv1alpha1.DefaultParallelism)
	product.Default(&suite.Suspend, false)
	product.Default(&suite.SuspendPolicy, benchv1alpha1.DefaultSuspendPolicy)
	product.Default(&suite.RevisionHistoryLimit, benchv1alpha1.DefaultRevisionHistoryLimit)
	product.Default(&suite.HistorySizeLimit, benchv1alpha1.DefaultHistorySizeLimit.DeepCopy())
	product.Default(&suite.StopOnFailure, false)
	product.Default(&suite.FailOn, benchv1alpha1.DefaultFailOn)
	if suite.Schedule != nil {
		product.Default(&suite.Schedule.TimeZone, benchv1alpha1.DefaultTimeZone)
	}
	suite.Thresholds = Thresholds(suite.Thresholds)
	return *suite
}

// Thresholds returns the thresholds of a suite with every default filled in. A suite without any compares the
// throughput and the 99th percentile of every step.
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

// ConstraintThresholds are thresholds about what the constraints of a search are of.
func ConstraintThresholds(constraints []benchv1alpha1.SearchConstraint) []benchv1alpha1.Threshold {
	about := make([]benchv1alpha1.Threshold, 0, len(constraints))
	for _, limit := range constraints {
		about = append(about, benchv1alpha1.Threshold{
			Metric: limit.Metric, Step: limit.Step, Operation: limit.Operation,
		})
	}
	return about
}

// FigureThresholds are thresholds about what fixed figures are of.
func FigureThresholds(figures []benchv1alpha1.Figure) []benchv1alpha1.Threshold {
	about := make([]benchv1alpha1.Threshold, 0, len(figures))
	for _, fixed := range figures {
		about = append(about, benchv1alpha1.Threshold{
			Metric: fixed.Metric, Step: fixed.Step, Operation: fixed.Operation,
		})
	}
	return about
}
