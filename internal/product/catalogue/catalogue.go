package catalogue

import (
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/mariadb"
	"github.com/mongobench/mongobench-operator/internal/product/mongodb"
)

// All are the products.
func All() []product.Product {
	return []product.Product{
		mongodb.MongoDB{},
		mariadb.MariaDB{},
	}
}

// Of is the product of a target. A kind that is not known, which the API server does not let in, counts as MongoDB.
func Of(spec benchv1alpha1.BenchmarkTargetSpec) product.Product {
	kind := ptr.Deref(spec.Kind, benchv1alpha1.DefaultTargetKind)
	for _, candidate := range All() {
		if candidate.Traits().Kind == kind {
			return candidate
		}
	}
	return mongodb.MongoDB{}
}
