package describe

import (
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// productFerretDB takes write concerns and heeds none.
const productFerretDB = "FerretDB"

// others are the products that speak MongoDB's protocol, by the field of buildInfo that has their own version.
var others = []struct{ field, product string }{
	{"psmdbVersion", "Percona Server for MongoDB"},
	{"ferretdbVersion", productFerretDB},
	{"tokumxVersion", "TokuMX"},
}

// Product is the product and its own version, by the fields of buildInfo. The field version is that of the MongoDB
// that a product is compatible with.
func Product(field func(string) string) (product, version string) {
	for _, other := range others {
		if own := field(other.field); own != "" {
			return other.product, strings.TrimPrefix(own, "v")
		}
	}
	return reportv1.ProductMongoDB, field("version")
}
