package spec

import (
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
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
	return *suite
}
