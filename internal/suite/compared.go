package suite

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// checkComparison wants what is compared to exist.
func checkComparison(declared benchv1alpha1.BenchmarkSuiteSpec, variants []Variant) field.ErrorList {
	var errs field.ErrorList
	check := func(thresholds []benchv1alpha1.Threshold, path *field.Path) {
		for i, threshold := range thresholds {
			missing := checkMeasured(threshold.Step, threshold.Operation, variants, path.Index(i))
			if len(missing) == 0 {
				missing = checkCarried(threshold, variants, path.Index(i))
			}
			errs = append(errs, missing...)
		}
	}
	check(declared.Thresholds, field.NewPath("spec", "thresholds"))
	baseline, path := ptr.Deref(declared.Baseline, benchv1alpha1.Baseline{}), field.NewPath("spec", "baseline")
	check(spec.FigureThresholds(baseline.Figures), path.Child("figures"))
	if declared.Search != nil {
		check(spec.ConstraintThresholds(declared.Search.Constraints), field.NewPath("spec", "search", "constraints"))
	}
	names := make([]string, 0, len(variants))
	for _, variant := range variants {
		names = append(names, variant.Name)
	}
	if baseline.Variant != nil && !slices.Contains(names, *baseline.Variant) {
		errs = append(errs, field.Invalid(path.Child("variant"), *baseline.Variant,
			"no variant has this name; there are "+some(names)))
	}
	return errs
}

// checkMeasured wants a step or operation that is named to be measured in at least one variant.
func checkMeasured(step, operation *string, variants []Variant, path *field.Path) field.ErrorList {
	var steps, operations []string
	found := false
	for _, variant := range variants {
		for _, measured := range variant.Steps {
			steps = append(steps, measured.Name)
			if step != nil && !measured.Is(*step) {
				continue
			}
			found = true
			if operation == nil || slices.Contains(measured.Operations, *operation) {
				return nil
			}
			operations = append(operations, measured.Operations...)
		}
	}
	if !found {
		return field.ErrorList{field.Invalid(path.Child("step"), ptr.Deref(step, ""),
			"no variant has such a step; there are "+some(steps))}
	}
	return field.ErrorList{field.Invalid(path.Child("operation"), *operation,
		"no variant has such an operation there; there are "+some(operations))}
}

// checkCarried wants a percentile that is compared to be one that at least one step has operations enough for. That is
// known before only of steps that a number of operations ends; no operation of a step can have more than all together.
func checkCarried(threshold benchv1alpha1.Threshold, variants []Variant, path *field.Path) field.ErrorList {
	needed := figure.ComparedBy(threshold.Metric).Needed()
	var most int64
	for _, variant := range variants {
		for _, measured := range variant.Steps {
			if threshold.Step != nil && !measured.Is(*threshold.Step) ||
				threshold.Operation != nil && !slices.Contains(measured.Operations, *threshold.Operation) {
				continue
			}
			if measured.OperationCount == 0 || measured.OperationCount >= needed {
				return nil
			}
			most = max(most, measured.OperationCount)
		}
	}
	if most == 0 {
		return nil // No step is measured, as in a suite that only loads.
	}
	return field.ErrorList{field.Invalid(path.Child("metric"), threshold.Metric, fmt.Sprintf(
		"it needs %d operations, and there are %d at most: raise operationCount, or compare MeanMicros", needed, most))}
}

// some are the first few of some names, each once.
func some(names []string) string {
	const few = 10
	var once []string
	for _, name := range names {
		if !slices.Contains(once, name) {
			once = append(once, name)
		}
	}
	return strings.Join(present.First(once, few, "%d more"), ", ")
}
