package ferretdb_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/ferretdb"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

func TestWhatFerretDBCannotDoIsRefusedWithItsPath(t *testing.T) {
	hashed, retry := benchv1alpha1.IndexKeyHashed, benchv1alpha1.RetryOnce
	run := spec.Normalise(benchv1alpha1.BenchmarkRunSpec{
		Dataset: benchv1alpha1.Dataset{Collections: []benchv1alpha1.Collection{{
			Name: "people", Sharding: &benchv1alpha1.Sharding{},
			Options: &benchv1alpha1.CollectionOptions{Compressor: new(benchv1alpha1.Compressor)},
			Indexes: []benchv1alpha1.Index{{
				Keys:               []benchv1alpha1.IndexKey{{Field: "a", Type: &hashed}},
				Properties:         []benchv1alpha1.IndexProperty{benchv1alpha1.IndexUnique, benchv1alpha1.IndexSparse},
				ExpireAfterSeconds: new(int32(1)),
			}},
		}}},
		Workload: benchv1alpha1.Workload{Steps: []benchv1alpha1.Step{{
			Name: "one", Retry: &retry, Operations: []benchv1alpha1.Operation{
				{Name: "t", Request: benchv1alpha1.Request{Kind: benchv1alpha1.OperationTransaction}},
				{
					Name: "f", Request: benchv1alpha1.Request{Kind: benchv1alpha1.OperationTail},
					WholeSettings: benchv1alpha1.WholeSettings{
						ReadConcern: benchv1alpha1.ReadConcernMajority, ReadPreference: benchv1alpha1.ReadPrimary,
						WriteConcern: &benchv1alpha1.WriteConcern{},
					},
				},
			},
		}}},
	})
	errs := ferretdb.FerretDB{}.ValidateRun(product.Run{Spec: &run, Path: field.NewPath("spec")})
	want := []string{
		"spec.dataset.collections[0].sharding", "spec.dataset.collections[0].options.compressor",
		"spec.dataset.collections[0].indexes[0].keys[0].type", "spec.dataset.collections[0].indexes[0].properties[1]",
		"spec.dataset.collections[0].indexes[0].expireAfterSeconds", "spec.workload.steps[0].retry",
		"spec.workload.steps[0].operations[0].kind", "spec.workload.steps[0].operations[1].kind",
		"spec.workload.steps[0].operations[1].readConcern", "spec.workload.steps[0].operations[1].readPreference",
		"spec.workload.steps[0].operations[1].writeConcern",
	}
	if len(errs) != len(want) {
		t.Fatalf("errors %v, want those of %v", errs, want)
	}
	for i, err := range errs {
		if err.Field != want[i] {
			t.Errorf("error %v, want one of %s", err, want[i])
		}
	}
}
