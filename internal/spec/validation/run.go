package validation

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/spec/presets"
)

// ValidateRun finds what is wrong with a run that the API server accepted.
func ValidateRun(run *benchv1alpha1.BenchmarkRun) field.ErrorList {
	expanded, errs := presets.Expand(run.Spec)
	if len(errs) > 0 {
		return errs
	}
	path := field.NewPath("spec")
	if declared := expanded.Target; declared != nil {
		errs = validateTargetSpec(declared, path.Child("target"))
	}
	if declared := expanded.LoadGenerator; declared != nil && declared.Resources != nil {
		errs = append(errs, validateResources(*declared.Resources, benchv1alpha1.DefaultLoadResources,
			path.Child("loadGenerator", "resources"))...)
	}
	normal := spec.Normalise(expanded)
	errs = append(errs, validateGrowth(&normal, path)...)
	normal = grown(normal)
	errs = append(errs, validateSpec(&normal, path)...)
	if run.Spec.Preset == nil {
		return errs
	}
	for _, err := range errs {
		fromPreset(err)
	}
	return errs
}

// fromPreset gives an error about what a preset stands for the path of the preset.
func fromPreset(err *field.Error) {
	if strings.HasPrefix(err.Field, "spec.dataset") || strings.HasPrefix(err.Field, "spec.workload") {
		err.Detail = "it stands for a run in which this is wrong: " + err.Field + ": " + err.Detail
		err.Field = "spec.preset"
	}
}

// validateSpec checks a normalised specification, but for what is said of the target and of the load pods alone.
func validateSpec(spec *benchv1alpha1.BenchmarkRunSpec, path *field.Path) field.ErrorList {
	errs := validateDataset(&spec.Dataset, path.Child("dataset"))
	errs = append(errs, validateSharding(spec, path.Child("dataset", "collections"))...)
	errs = append(errs, validateWorkload(spec, path.Child("workload"))...)
	errs = append(errs, validateInlineActions(spec, path)...)
	if spec.Target != nil {
		errs = append(errs, validateDatabase(spec, spec.Target, path)...)
	}
	errs = append(errs, validateLoad(spec, path.Child("dataset", "load"))...)
	errs = append(errs, validateDeadlines(spec, path.Child("deadlines"))...)
	return errs
}

// validateLoad looks at what the load pods have to hold and to share.
func validateLoad(spec *benchv1alpha1.BenchmarkRunSpec, path *field.Path) field.ErrorList {
	errs := validateThreads(*spec.Dataset.Load.Threads, *spec.LoadGenerator.Pods, path.Child("threads"))
	return append(errs, validateBatchMemory(spec, path.Child("batchDocuments"))...)
}

func validateThreads(threads, pods int32, path *field.Path) field.ErrorList {
	if threads >= pods {
		return nil
	}
	return field.ErrorList{field.Invalid(path, threads, fmt.Sprintf(
		"must be at least the number of load pods, %d, so that every pod has a worker", pods))}
}

// validateBatchMemory refuses batches that cannot be held: each worker of a pod has one in memory. Documents are
// counted with their mean size, so that only what is certain to fail is refused.
func validateBatchMemory(spec *benchv1alpha1.BenchmarkRunSpec, path *field.Path) field.ErrorList {
	batch := int64(*spec.Dataset.Load.BatchDocuments)
	pods := *spec.LoadGenerator.Pods
	workers := int64((*spec.Dataset.Load.Threads + pods - 1) / pods)
	limit := spec.LoadGenerator.Resources.Memory.Value()
	for _, collection := range spec.Dataset.Collections {
		held := min(batch, ptr.Deref(collection.DocumentCount, 0))
		size := documentSize(collection.Fields).mean
		if held*workers*size > limit {
			return field.ErrorList{field.Invalid(path, batch, fmt.Sprintf(
				"%d workers in one load pod with %d documents each, of about %d bytes in collection %s, need more than its "+
					"memory limit of %d bytes; lower batchDocuments or raise spec.loadGenerator.resources.memory",
				workers, held, size, collection.Name, limit))}
		}
	}
	return nil
}

// validateDeadlines refuses a deadline that the run cannot keep.
func validateDeadlines(spec *benchv1alpha1.BenchmarkRunSpec, path *field.Path) field.ErrorList {
	deadlines := spec.Deadlines
	if deadlines.MeasuringSeconds == nil {
		return nil
	}
	var needed int64
	for i := range spec.Workload.Steps {
		needed += leastSeconds(&spec.Workload.Steps[i])
	}
	needed *= int64(max(1, len(benchv1alpha1.CheckpointSizes(spec.Workload.Growth))))
	if int64(*deadlines.MeasuringSeconds) > needed {
		return nil
	}
	return field.ErrorList{field.Invalid(path.Child("measuringSeconds"), *deadlines.MeasuringSeconds, fmt.Sprintf(
		"must be more than %d, the sum of all warm-ups and durations", needed))}
}
