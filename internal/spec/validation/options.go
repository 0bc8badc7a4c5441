package validation

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/document"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/product"
)

func optionsOf(collection *benchv1alpha1.Collection) benchv1alpha1.CollectionOptions {
	return ptr.Deref(collection.Options, benchv1alpha1.CollectionOptions{})
}

// isSimple says whether texts are compared by their bytes.
func isSimple(collation *benchv1alpha1.Collation) bool {
	return collation == nil || collation.Locale == planv1.SimpleLocale
}

func validateOptions(found *product.Findings, collection *benchv1alpha1.Collection, path *field.Path) {
	options := optionsOf(collection)
	product.WantCompressor(found, options.Compressor, path.Child("compressor"))
	validateCapped(found, collection, path)
	validateClustered(found, collection, path.Child("clustered", "expireAfterSeconds"))
	validateSeries(found, collection, path.Child("timeSeries"))
	found.Forbid(collection.Sharding != nil && !isSimple(options.Collation), path.Child("collation"),
		"a collection with a collation is not sharded here; leave one of the two out")
	if options.Validator != nil {
		validateWritten(found, written{"filter", options.Validator.Filter, object, maxDocument}, path.Child("validator"))
	}
}

// validateCapped refuses a capped collection that would overwrite its first documents while it is loaded.
func validateCapped(found *product.Findings, collection *benchv1alpha1.Collection, path *field.Path) {
	options, documents := optionsOf(collection), ptr.Deref(collection.DocumentCount, 0)
	if options.Capped == nil || documents == 0 {
		return
	}
	capped := path.Child("capped")
	if limit := options.Capped.MaxDocuments; limit != nil && documents > *limit {
		found.Refuse(true, capped.Child("maxDocuments"), *limit,
			"must be at least documentCount, %d: the collection would lose documents while it is loaded", documents)
		return
	}
	least := documentSize(collection.Fields).smallest
	found.Refuse(least > options.Capped.SizeBytes/documents, capped.Child("sizeBytes"), options.Capped.SizeBytes,
		"must have room for documentCount, %d, documents of at least %d bytes: the collection would lose documents "+
			"while it is loaded", documents, least)
}

// validateClustered wants documents that expire to have an instant to expire after.
func validateClustered(found *product.Findings, collection *benchv1alpha1.Collection, path *field.Path) {
	clustered := optionsOf(collection).Clustered
	if clustered == nil || clustered.ExpireAfterSeconds == nil {
		return
	}
	declared := fieldOf(collection, idField)
	found.Forbid(declared == nil || declared.Type != benchv1alpha1.GeneratorDate, path,
		"documents of a clustered collection expire by an _id of type Date; declare one with distribution Sequential")
}

// validateSeries wants a time series to have a time, and nothing that it cannot have.
func validateSeries(found *product.Findings, collection *benchv1alpha1.Collection, path *field.Path) {
	series := optionsOf(collection).TimeSeries
	if series == nil {
		return
	}
	declared := fieldOf(collection, series.TimeField)
	found.Refuse(declared == nil || declared.Type != benchv1alpha1.GeneratorDate, path.Child("timeField"),
		series.TimeField, "must be the name of one of the collection's fields, of type Date")
	if meta := ptr.Deref(series.MetaField, ""); meta != "" {
		other := hasField(collection, meta) && meta != idField && meta != series.TimeField
		found.Refuse(!other, path.Child("metaField"), meta,
			"must be the name of one of the collection's fields, or what those of a nested document begin with, and neither "+
				"_id nor timeField")
	}
	found.Forbid(collection.Sharding != nil, path,
		"a time-series collection is not sharded here; leave sharding out, and it lies on one shard")
}

// hasField says whether documents have a field of this name at their top.
func hasField(collection *benchv1alpha1.Collection, name string) bool {
	return slices.ContainsFunc(collection.Fields, func(f benchv1alpha1.Field) bool {
		top, _, _ := strings.Cut(f.Name, ".")
		return top == name
	})
}

// validateView wants a view to be of a collection of the dataset, in the end.
func validateView(
	found *product.Findings, dataset *benchv1alpha1.Dataset, collection *benchv1alpha1.Collection, path *field.Path,
) {
	view := collection.View
	found.Refuse(sourceOf(dataset, collection) == nil, path.Child("source"), view.Source,
		"must be the name of another collection of the dataset; views must not be of each other in a circle")
	validateWritten(found, written{operation.Pipeline, view.Pipeline, stages, maxPipeline}, path)
}

// sourceOf is the collection whose documents a collection has: itself, or what it is a view on. Nil is none.
func sourceOf(dataset *benchv1alpha1.Dataset, collection *benchv1alpha1.Collection) *benchv1alpha1.Collection {
	for range dataset.Collections {
		if collection.View == nil {
			return collection
		}
		source := collection.View.Source
		i := slices.IndexFunc(dataset.Collections, func(c benchv1alpha1.Collection) bool { return c.Name == source })
		if i < 0 {
			return nil
		}
		collection = &dataset.Collections[i]
	}
	return nil
}

// validateWritten checks a document of a collection or an index, in which nothing is drawn.
func validateWritten(found *product.Findings, one written, path *field.Path) {
	text := one.text.Text()
	path = path.Child(string(one.setting))
	if !short(found, text, one.most, path) {
		return
	}
	value, err := document.Read(one.text)
	if err == nil {
		err = one.want.check(value)
	}
	if err == nil {
		err = withoutParameters(value)
	}
	if err != nil {
		found.Refuse(true, path, text, "%v", err)
		return
	}
	refuseUnordered(found, one.unordered(value, path))
	refuseMistyped(found, value, path)
}

// onCollection refuses operations on a collection that does not take them: a view is read, and a time series has no
// documents that could be found one by one.
func (c operationCheck) onCollection(
	kind benchv1alpha1.OperationKind, collection *benchv1alpha1.Collection, path *field.Path,
) {
	row := operation.Of(kind)
	follows := row.Follows()
	c.Refuse(collection.Copies != nil && follows, path.Child("kind"), kind,
		"collection %s stands for several, and one would be followed", collection.Name)
	c.Refuse(collection.Copies != nil && c.operation.WriteConcern != nil && c.operation.WriteConcern.W == "0",
		c.path.Child("writeConcern", "w"), "0",
		"what arrived is counted in a collection, and %s stands for several", collection.Name)
	c.Forbid(collection.Copies != nil && c.operation.Recall != nil, c.path.Child("recall"),
		"collection %s stands for several, and the exact answer would be of another one", collection.Name)
	c.Refuse(collection.View != nil && (row.Effect.Writes() || follows), path.Child("kind"), kind,
		"collection %s is a view, which is only read; name the collection that it is on", collection.Name)
	if optionsOf(collection).TimeSeries == nil {
		return
	}
	c.Refuse(follows, path.Child("kind"), kind, "there is no %s of a time-series collection such as %s", kind,
		collection.Name)
	many := kind == benchv1alpha1.OperationUpdateMany || kind == benchv1alpha1.OperationDeleteMany
	c.Refuse(row.Effect.Writes() && row.Effect != operation.Inserts && !many, path.Child("kind"), kind,
		"collection %s is a time series, whose documents are written by InsertOne, InsertMany, UpdateMany and DeleteMany",
		collection.Name)
	c.Refuse(row.Effect.Writes() && c.operation.Kind == benchv1alpha1.OperationTransaction, path.Child("kind"), kind,
		"MongoDB writes to no time-series collection, such as %s, in a transaction", collection.Name)
}
