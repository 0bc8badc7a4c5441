package validation

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/sizing"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// mostDimensions is how many dimensions a search has at most. Of more, what is smallest says little.
const mostDimensions = 3

// validateSearch checks what a search needs of a suite, and what it leaves without a meaning.
func validateSearch(found *product.Findings, declared *benchv1alpha1.BenchmarkSuiteSpec, path *field.Path) {
	if declared.Search == nil {
		return
	}
	matrix := ptr.Deref(declared.Matrix, benchv1alpha1.Matrix{})
	if count := len(matrix.Dimensions); count == 0 {
		found.Add(field.Required(path.Child("matrix", "dimensions"),
			"a search goes through their choices, from the smallest to the largest"))
	} else if count > mostDimensions {
		found.Add(field.TooMany(path.Child("matrix", "dimensions"), count, mostDimensions))
	}
	const ordered = "a search knows which variants are smaller than others by the choices of their dimensions; "
	found.Forbid(len(matrix.Include) > 0, path.Child("matrix", "include"), ordered+"make it a choice of a dimension")
	const compares = "a search compares with its constraints alone; leave it out"
	found.Forbid(declared.Baseline != nil, path.Child("baseline"), compares)
	found.Forbid(len(declared.Thresholds) > 0, path.Child("thresholds"), compares)
	found.Forbid(declared.FailOn != nil, path.Child("failOn"), compares)
	found.Forbid(len(declared.Acknowledged) > 0, path.Child("acknowledged"), compares)
	found.Forbid(declared.Order != nil, path.Child("order"), "a search finds the order by itself; leave it out")
	found.Forbid(ptr.Deref(declared.StopOnFailure, false), path.Child("stopOnFailure"),
		"what a variant is too small for may fail, which is an answer; leave it out")
	if repetitions := *spec.NormaliseSuite(*declared).Repetitions; repetitions < sizing.FewestTrials {
		found.Refuse(true, path.Child("repetitions"), repetitions,
			"must be at least %d in a search: one run says nothing of how runs differ", sizing.FewestTrials)
	}
	validateThresholds(found, spec.ConstraintThresholds(declared.Search.Constraints), path.Child("search", "constraints"))
}
