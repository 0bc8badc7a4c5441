package validation

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec/presets"
)

// ValidateFile is ValidateRun for a run that no API server has seen, because the command line reads it from a file. It
// adds the rules of the schema without which a run would measure nothing or the wrong thing. The target is not looked
// at: by hand the load goes to a connection string.
func ValidateFile(run *benchv1alpha1.BenchmarkRun) field.ErrorList {
	if run.Spec.Preset != nil {
		return presetFile(run)
	}
	errs := collections(run.Spec.Dataset.Collections, field.NewPath("spec", "dataset", "collections"))
	errs = append(errs, steps(run.Spec.Workload.Steps, field.NewPath("spec", "workload", "steps"))...)
	if len(errs) > 0 {
		return errs // What is missing would only make other checks fail as well.
	}
	return withoutTarget(run)
}

func withoutTarget(run *benchv1alpha1.BenchmarkRun) field.ErrorList {
	alone := run.DeepCopy()
	alone.Spec.Target = nil
	return ValidateRun(alone)
}

func presetFile(run *benchv1alpha1.BenchmarkRun) field.ErrorList {
	path := field.NewPath("spec", "preset")
	if len(run.Spec.Dataset.Collections) > 0 || len(run.Spec.Workload.Steps) > 0 {
		return field.ErrorList{field.Forbidden(path,
			"stands for a dataset and a workload: set either it alone, or both of them")}
	}
	if !slices.Contains(presets.Names(), run.Spec.Preset.Name) {
		return field.ErrorList{field.NotSupported(path.Child("name"), run.Spec.Preset.Name, presets.Names())}
	}
	return withoutTarget(run)
}

func collections(declared []benchv1alpha1.Collection, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(declared) == 0 {
		errs = append(errs, field.Required(path, "there must be at least one"))
	}
	names := make([]string, 0, len(declared))
	for i := range declared {
		collection := &declared[i]
		errs = append(errs, name(collection.Name, &names, path.Index(i))...)
		for k, declared := range collection.Fields {
			errs = append(errs, settings(&declared, path.Index(i).Child("fields").Index(k))...)
		}
	}
	return errs
}

// name wants a name that is not among those that it has seen.
func name(given string, seen *[]string, path *field.Path) field.ErrorList {
	if given == "" {
		return field.ErrorList{field.Required(path.Child("name"), "")}
	}
	if slices.Contains(*seen, given) {
		return field.ErrorList{field.Duplicate(path.Child("name"), given)}
	}
	*seen = append(*seen, given)
	return nil
}

// settings wants the settings that a type cannot do without.
func settings(declared *benchv1alpha1.Field, path *field.Path) field.ErrorList {
	needs := func(wanted benchv1alpha1.GeneratorType, present bool, child string) field.ErrorList {
		if declared.Type == wanted && !present {
			return field.ErrorList{field.Required(path.Child(child), "with type "+string(wanted))}
		}
		return nil
	}
	errs := needs("", false, "type")
	errs = append(errs, needs(benchv1alpha1.GeneratorChoice, declared.Choice != nil, "choice")...)
	errs = append(errs, needs(benchv1alpha1.GeneratorDocument, declared.Document != nil, "document")...)
	return append(errs, needs(benchv1alpha1.GeneratorArray, declared.Array != nil, "array")...)
}

func steps(declared []benchv1alpha1.Step, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(declared) == 0 {
		errs = append(errs, field.Required(path, "there must be at least one"))
	}
	names := make([]string, 0, len(declared))
	for i := range declared {
		step, stepPath := &declared[i], path.Index(i)
		errs = append(errs, name(step.Name, &names, stepPath)...)
		errs = append(errs, pace(step, stepPath)...)
		if len(step.Operations) == 0 {
			errs = append(errs, field.Required(stepPath.Child("operations"), "there must be at least one"))
		}
		operations := make([]string, 0, len(step.Operations))
		for k := range step.Operations {
			operationPath := stepPath.Child("operations").Index(k)
			errs = append(errs, name(step.Operations[k].Name, &operations, operationPath)...)
			errs = append(errs, content(&step.Operations[k], operationPath)...)
		}
	}
	return errs
}

// pace wants what says how long a step lasts and when its operations are due.
func pace(step *benchv1alpha1.Step, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if (step.DurationSeconds == nil) == (step.OperationCount == nil) {
		errs = append(errs, field.Required(path.Child("durationSeconds"),
			"exactly one of durationSeconds and operationCount must be set"))
	}
	if step.Threads != nil && len(step.ThreadSweep) > 0 {
		errs = append(errs, field.Forbidden(path.Child("threadSweep"), "only one of threads and threadSweep may be set"))
	}
	if step.Search != nil {
		errs = append(errs, search(step, path)...)
	}
	if step.Arrival == nil {
		return errs
	}
	if step.ThinkTimeMicros != nil {
		errs = append(errs, field.Forbidden(path.Child("thinkTimeMicros"), "is for a closed loop, without arrival"))
	}
	return append(errs, arrival(step.Arrival, path.Child("arrival"))...)
}

func search(step *benchv1alpha1.Step, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if step.Arrival != nil || len(step.ThreadSweep) > 0 || step.ThinkTimeMicros != nil {
		errs = append(errs, field.Forbidden(path.Child("search"),
			"arrival, threadSweep and thinkTimeMicros cannot be set together with it"))
	}
	if step.DurationSeconds == nil {
		errs = append(errs, field.Required(path.Child("durationSeconds"), "is how long what a search found is confirmed"))
	}
	lowest := ptr.Deref(step.Search.MinOperationsPerSecond, benchv1alpha1.DefaultMinRate)
	if highest := step.Search.MaxOperationsPerSecond; lowest < 1 || highest <= lowest {
		errs = append(errs, field.Invalid(path.Child("search", "maxOperationsPerSecond"), highest, fmt.Sprintf(
			"must be more than minOperationsPerSecond, %d, which is at least 1", lowest)))
	}
	if step.Search.LimitMicros < 1 {
		errs = append(errs, field.Required(path.Child("search", "limitMicros"), "is the objective, at least 1"))
	}
	return errs
}

func arrival(declared *benchv1alpha1.Arrival, path *field.Path) field.ErrorList {
	rates := declared.OperationsPerSecond != nil
	switch process := ptr.Deref(declared.Process, benchv1alpha1.DefaultArrivalProcess); process {
	case benchv1alpha1.ArrivalTrace:
		if len(declared.GapsMicros) == 0 || rates || len(declared.Stages) > 0 {
			return field.ErrorList{field.Required(path.Child("gapsMicros"), "is what a Trace consists of, and no rates")}
		}
	case benchv1alpha1.ArrivalConstant, benchv1alpha1.ArrivalPoisson:
		if rates == (len(declared.Stages) > 0) || len(declared.GapsMicros) > 0 {
			return field.ErrorList{field.Required(path.Child("operationsPerSecond"),
				"exactly one of operationsPerSecond and stages must be set, and no gapsMicros")}
		}
	default:
		return field.ErrorList{field.NotSupported(path.Child("process"), process, []benchv1alpha1.ArrivalProcess{
			benchv1alpha1.ArrivalConstant, benchv1alpha1.ArrivalPoisson, benchv1alpha1.ArrivalTrace,
		})}
	}
	for i, stage := range declared.Stages {
		if stage.Seconds < 1 || stage.OperationsPerSecond < 1 {
			return field.ErrorList{field.Required(path.Child("stages").Index(i), "needs seconds and operationsPerSecond")}
		}
	}
	return nil
}

// content wants the document that a kind of operation cannot do without.
func content(operation *benchv1alpha1.Operation, path *field.Path) field.ErrorList {
	errs := requestContent(&operation.Request, operation.Command, path)
	composite := operation.Kind == benchv1alpha1.OperationBulkWrite || operation.Kind == benchv1alpha1.OperationTransaction
	if composite != (len(operation.Operations) > 0) {
		errs = append(errs, field.Required(path.Child("operations"), "with BulkWrite and Transaction, and no other kind"))
	}
	for i := range operation.Operations {
		nested := &operation.Operations[i]
		errs = append(errs, requestContent(&nested.Request, nil, path.Child("operations").Index(i))...)
	}
	if operation.WriteConcern != nil && operation.WriteConcern.W == "" {
		errs = append(errs, field.Required(path.Child("writeConcern", "w"), ""))
	}
	return errs
}

func requestContent(request *benchv1alpha1.Request, command *string, path *field.Path) field.ErrorList {
	needed, given := "", (*string)(nil)
	switch request.Kind {
	case benchv1alpha1.OperationUpdateOne, benchv1alpha1.OperationUpdateMany, benchv1alpha1.OperationReadModifyWrite,
		benchv1alpha1.OperationFindOneAndUpdate:
		needed, given = "update", request.Update
	case benchv1alpha1.OperationAggregate:
		needed, given = "pipeline", request.Pipeline
	case benchv1alpha1.OperationRunCommand:
		needed, given = "command", command
	case "":
		needed = "kind"
	default:
	}
	if needed == "" || given != nil {
		return nil
	}
	return field.ErrorList{field.Required(path.Child(needed), "")}
}
