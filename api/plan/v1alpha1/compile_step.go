package v1alpha1

import (
	"fmt"

	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

func compileStep(declared benchv1alpha1.Step, collection string) Step {
	step := Step{
		Name:            declared.Name,
		Kind:            StepMeasure,
		Threads:         int(ptr.Deref(declared.Threads, benchv1alpha1.DefaultStepThreads)),
		WarmupSeconds:   int(ptr.Deref(declared.WarmupSeconds, 0)),
		DurationSeconds: int(ptr.Deref(declared.DurationSeconds, 0)),
		OperationCount:  ptr.Deref(declared.OperationCount, 0),
		Operations:      make([]Operation, 0, len(declared.Operations)),
	}
	for _, operation := range declared.Operations {
		step.Operations = append(step.Operations, compileOperation(operation, collection))
	}
	return step
}

func compileOperation(declared benchv1alpha1.Operation, collection string) Operation {
	operation := Operation{
		Name:           declared.Name,
		Kind:           string(declared.Kind),
		Weight:         int(ptr.Deref(declared.Weight, 1)),
		Collection:     ptr.Deref(declared.Collection, collection),
		Filter:         ptr.Deref(declared.Filter, ""),
		Projection:     ptr.Deref(declared.Projection, ""),
		Skip:           ptr.Deref(declared.Skip, 0),
		Limit:          ptr.Deref(declared.Limit, 0),
		BatchSize:      ptr.Deref(declared.BatchSize, 0),
		FirstBatchOnly: ptr.Deref(declared.Fetch, benchv1alpha1.FetchAll) == benchv1alpha1.FetchFirstBatch,
		Update:         ptr.Deref(declared.Update, ""),
		Pipeline:       ptr.Deref(declared.Pipeline, ""),
		Command:        ptr.Deref(declared.Command, ""),
	}
	for _, parameter := range declared.Parameters {
		operation.Parameters = append(operation.Parameters, compileParameter(parameter, declared.Name))
	}
	for _, key := range declared.Sort {
		direction := ptr.Deref(key.Direction, benchv1alpha1.SortAscending)
		operation.Sort = append(operation.Sort, IndexKey{Field: key.Field, Order: order(string(direction))})
	}
	fillByKind(&operation, declared)
	return operation
}

// fillByKind fills in the defaults that only one kind of operation, or a few, have.
func fillByKind(operation *Operation, declared benchv1alpha1.Operation) {
	switch declared.Kind {
	case benchv1alpha1.OperationInsertMany:
		operation.BatchDocuments = int(ptr.Deref(declared.BatchDocuments, benchv1alpha1.DefaultBatchDocuments))
	case benchv1alpha1.OperationReplaceOne:
		operation.ReplaceKey = ptr.Deref(declared.ReplaceKey, firstKey(declared.Parameters))
		if operation.Filter == "" {
			operation.Filter = fmt.Sprintf(`{"%s": {"$param": %q}}`, idField, operation.ReplaceKey)
		}
	case benchv1alpha1.OperationFindOne, benchv1alpha1.OperationFind, benchv1alpha1.OperationCountDocuments:
		if operation.Filter == "" {
			operation.Filter = "{}"
		}
	default:
	}
}

func firstKey(parameters []benchv1alpha1.Parameter) string {
	for _, parameter := range parameters {
		if parameter.Type == benchv1alpha1.ParameterKey {
			return parameter.Name
		}
	}
	return ""
}
