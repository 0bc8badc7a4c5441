package catalogue

import (
	"slices"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/ferretdb"
	"github.com/mongobench/mongobench-operator/internal/product/mariadb"
	"github.com/mongobench/mongobench-operator/internal/product/mongodb"
)

// All are the products.
func All() []product.Product {
	return []product.Product{
		mongodb.MongoDB{},
		mariadb.MariaDB{},
		ferretdb.FerretDB{},
	}
}

// Of is the product of a target. It is MongoDB where none is declared.
func Of(spec benchv1alpha1.BenchmarkTargetSpec) product.Product {
	return find(func(traits product.Traits) bool { return traits.Product == spec.Product() })
}

// Named is the product that a report speaks of. It is MongoDB where a report names none, and for what is sold by
// another name.
func Named(name string) product.Product {
	return find(func(traits product.Traits) bool {
		return string(traits.Product) == name || slices.Contains(traits.Reported, name)
	})
}

func find(wanted func(product.Traits) bool) product.Product {
	for _, candidate := range All() {
		if wanted(candidate.Traits()) {
			return candidate
		}
	}
	return mongodb.MongoDB{}
}

// Programs are the names of the servers' programs, and of their containers.
func Programs() []string {
	products := All()
	programs := make([]string, 0, len(products))
	for _, known := range products {
		programs = append(programs, known.Traits().Program)
	}
	return programs
}
