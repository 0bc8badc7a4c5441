package spec

import (
	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// CompileOperation makes the plan's form of one operation of a normalised specification.
func CompileOperation(declared benchv1alpha1.Operation) planv1.Operation {
	operation := planv1.Operation{
		Name:          declared.Name,
		Weight:        int(declared.Weight),
		Request:       declared.Request,
		WholeSettings: declared.WholeSettings,
	}
	for i := range declared.Parameters {
		operation.Parameters = append(operation.Parameters, compileParameter(&declared.Parameters[i], declared.Name))
	}
	return operation
}
