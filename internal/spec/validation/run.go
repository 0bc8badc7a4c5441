package validation

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
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

// validateDatabase refuses what the product of a target does not do. A preset is written out.
func validateDatabase(
	declared *benchv1alpha1.BenchmarkRunSpec, target *benchv1alpha1.BenchmarkTargetSpec, path *field.Path,
) field.ErrorList {
	normal, database := spec.Normalise(*declared), catalogue.Of(*target)
	client, known := *normal.LoadGenerator.Client, database.Traits().Clients
	var errs field.ErrorList
	if !slices.Contains(known, client) {
		errs = append(errs, field.NotSupported(path.Child("loadGenerator", "client"), client, known))
	}
	run := product.Run{Spec: &normal, Target: target, Path: path}
	for _, collection := range normal.Dataset.Collections {
		run.Collections = append(run.Collections, spec.CompileCollection(collection))
	}
	for _, step := range normal.Workload.Steps {
		var operations []planv1.Operation
		for _, operation := range step.Operations {
			operations = append(operations, spec.CompileOperation(operation))
		}
		run.Operations = append(run.Operations, operations)
	}
	return append(errs, database.ValidateRun(run)...)
}

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
