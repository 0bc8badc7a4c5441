package validation

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

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
