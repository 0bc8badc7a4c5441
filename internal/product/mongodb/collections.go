package mongodb

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
)

// validateCollections refuses what of the collections the target does not have. What version an existing database is of
// the load generator finds out.
func validateCollections(run product.Run) field.ErrorList {
	c := &product.Findings{}
	for i, declared := range run.Spec.Dataset.Collections {
		path, collection := run.Path.Child("dataset", "collections").Index(i), run.Collection(declared)
		if version := run.Target.Version(); version != "" {
			release := mongod.ParseRelease(version)
			for _, feature := range release.Lacks(collection) {
				c.Forbid(true, path.Child(feature.Field), "%s", feature.Missing(release))
			}
		}
		if routedByClient(*run.Target) {
			unrouted(c, collection, path)
		}
	}
	return c.ErrorList
}

// unrouted refuses collections that the load generator cannot find the documents of without a mongos.
func unrouted(c *product.Findings, collection planv1.Collection, path *field.Path) {
	const mongos = "needs a router Mongos: "
	c.Forbid(collection.View != nil, path.Child("view"), mongos+"each shard makes a view of its own documents alone")
	c.Forbid(collection.TimeSeries != nil, path.Child("options", "timeSeries"),
		mongos+"the load generator finds the shard of a document by its _id, and a time series has no index on that")
	other := collection.Collation != nil && collection.Collation.Locale != planv1.SimpleLocale
	c.Forbid(other, path.Child("options", "collation"),
		mongos+"texts that are equal by a collation, and differ in their bytes, would lie on several shards")
}
