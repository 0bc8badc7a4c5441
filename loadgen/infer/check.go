package infer

import (
	"fmt"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
	"github.com/mongobench/mongobench-operator/loadgen/document"
)

// generatedDocuments are made to see how large they are.
const generatedDocuments = 2000

// Generated validates a dataset of one collection as the operator would, and returns the average size of its documents
// in bytes.
func Generated(dataset benchv1alpha1.Dataset) (averageBytes int64, err error) {
	run := &benchv1alpha1.BenchmarkRun{}
	run.Spec.TargetRef = &benchv1alpha1.TargetReference{Name: "any"}
	run.Spec.Dataset = dataset
	if problems := validation.ValidateRun(run); len(problems) > 0 {
		return 0, fmt.Errorf("the dataset that was inferred is not valid: %w", problems.ToAggregate())
	}
	plan := spec.Compile(run.Spec)
	var total int64
	for _, collection := range plan.Collections {
		generator, err := document.Compile(plan.Seed, collection)
		if err != nil {
			return 0, fmt.Errorf("the dataset that was inferred cannot be generated: %w", err)
		}
		var buffer []byte
		for record := range int64(generatedDocuments) {
			buffer = generator.Append(buffer[:0], record)
			total += int64(len(buffer))
		}
	}
	return total / generatedDocuments, nil
}
