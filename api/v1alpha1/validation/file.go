package validation

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// ValidateFile is ValidateRun for a run that no API server has seen, because the command line reads it from a file. It
// adds the rules of the schema without which a run would measure nothing or the wrong thing. The target is not looked
// at: by hand the load goes to a connection string.
func ValidateFile(run *benchv1alpha1.BenchmarkRun) field.ErrorList {
	var errs field.ErrorList
	collections := field.NewPath("spec", "dataset", "collections")
	if len(run.Spec.Dataset.Collections) == 0 {
		errs = append(errs, field.Required(collections, "there must be at least one"))
	}
	names := make([]string, 0, len(run.Spec.Dataset.Collections))
	for i := range run.Spec.Dataset.Collections {
		collection := &run.Spec.Dataset.Collections[i]
		errs = append(errs, name(collection.Name, &names, collections.Index(i))...)
		for k, declared := range collection.Fields {
			errs = append(errs, settings(&declared, collections.Index(i).Child("fields").Index(k))...)
		}
	}
	errs = append(errs, steps(run.Spec.Workload.Steps, field.NewPath("spec", "workload", "steps"))...)
	if len(errs) > 0 {
		return errs // What is missing would only make other checks fail as well.
	}
	withoutTarget := run.DeepCopy()
	withoutTarget.Spec.Target = nil
	return ValidateRun(withoutTarget)
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
		if (step.DurationSeconds == nil) == (step.OperationCount == nil) {
			errs = append(errs, field.Required(stepPath.Child("durationSeconds"),
				"exactly one of durationSeconds and operationCount must be set"))
		}
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

// content wants the document that a kind of operation cannot do without.
func content(operation *benchv1alpha1.Operation, path *field.Path) field.ErrorList {
	needed, given := "", (*string)(nil)
	switch operation.Kind {
	case benchv1alpha1.OperationUpdateOne, benchv1alpha1.OperationReadModifyWrite:
		needed, given = "update", operation.Update
	case benchv1alpha1.OperationAggregate:
		needed, given = "pipeline", operation.Pipeline
	case benchv1alpha1.OperationRunCommand:
		needed, given = "command", operation.Command
	case "":
		needed = "kind"
	default:
	}
	if needed == "" || given != nil {
		return nil
	}
	return field.ErrorList{field.Required(path.Child(needed), "")}
}
