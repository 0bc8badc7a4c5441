package validation

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// maxPlanSteps is how many steps a plan may have: the report of so many still fits into what a pod may hand in.
const maxPlanSteps = 512

// grown is a specification whose first collection has the number of documents that it grows to, so that all that is
// checked of a collection is checked of the largest.
func grown(spec benchv1alpha1.BenchmarkRunSpec) benchv1alpha1.BenchmarkRunSpec {
	sizes := benchv1alpha1.CheckpointSizes(spec.Workload.Growth)
	if len(sizes) == 0 || len(spec.Dataset.Collections) == 0 {
		return spec
	}
	spec.Dataset.Collections = slices.Clone(spec.Dataset.Collections)
	spec.Dataset.Collections[0].DocumentCount = &sizes[len(sizes)-1]
	return spec
}

// validateGrowth checks a growth, and what in the rest of the specification does not go with one.
func validateGrowth(spec *benchv1alpha1.BenchmarkRunSpec, path *field.Path) field.ErrorList {
	growth := spec.Workload.Growth
	if growth == nil {
		return nil
	}
	declared := path.Child("workload", "growth")
	errs := validateSizes(growth, declared)
	sizes := benchv1alpha1.CheckpointSizes(growth)
	if len(errs) > 0 || len(sizes) == 0 {
		return errs
	}
	errs = append(errs, validateGrowing(spec, sizes[len(sizes)-1], path.Child("dataset"))...)
	steps := path.Child("workload", "steps")
	for i := range spec.Workload.Steps {
		if len(spec.Workload.Steps[i].ThreadSweep) > 0 {
			errs = append(errs, field.Forbidden(steps.Index(i).Child("threadSweep"),
				"a growth has its sizes as the dimension of the result; declare a step for each number of threads"))
		}
	}
	if planned := len(sizes) * (len(spec.Workload.Steps) + 2); planned > maxPlanSteps {
		errs = append(errs, field.Invalid(declared, len(sizes), fmt.Sprintf(
			"this many checkpoints, with %d steps, growing and sizes at each, are %d steps; at most %d are possible",
			len(spec.Workload.Steps), planned, maxPlanSteps)))
	}
	return errs
}

// validateSizes checks that the collection grows from each checkpoint to the next.
func validateSizes(growth *benchv1alpha1.Growth, path *field.Path) field.ErrorList {
	if growth.To != nil && growth.Checkpoints != nil && *growth.To < int64(*growth.Checkpoints) {
		return field.ErrorList{field.Invalid(path.Child("to"), *growth.To, fmt.Sprintf(
			"must be at least checkpoints, %d, so that there is a document more at each", *growth.Checkpoints))}
	}
	for i := 1; i < len(growth.Sizes); i++ {
		if growth.Sizes[i] <= growth.Sizes[i-1] {
			return field.ErrorList{field.Invalid(path.Child("sizes").Index(i), growth.Sizes[i], fmt.Sprintf(
				"must be more than the one before, %d", growth.Sizes[i-1]))}
		}
	}
	return nil
}

// validateGrowing checks the collection that grows.
func validateGrowing(spec *benchv1alpha1.BenchmarkRunSpec, last int64, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(spec.Dataset.Collections) > 0 {
		count := spec.Dataset.Collections[0].DocumentCount
		if count != nil && *count != last {
			errs = append(errs, field.Invalid(path.Child("collections").Index(0).Child("documentCount"), *count, fmt.Sprintf(
				"the first collection grows to %d documents by spec.workload.growth; leave this out", last)))
		}
	}
	if *spec.Dataset.Load.Indexes == benchv1alpha1.IndexesAfterLoad {
		errs = append(errs, field.Forbidden(path.Child("load", "indexes"),
			"a collection that grows has its indexes from the begin on; leave this out, or write BeforeLoad"))
	}
	return errs
}
