package spec

import (
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// PriceListKey is the key of a price list in its ConfigMap, unless a run names another one.
const PriceListKey = "prices.yaml"

// PriceList is a reference with its default.
func PriceList(declared benchv1alpha1.PriceListReference) benchv1alpha1.PriceListReference {
	if declared.Key == nil {
		declared.Key = new(PriceListKey)
	}
	return declared
}
