package v1alpha1_test

// withOptions are options of a collection.
func withOptions(options string) changes { return changes{collection + "options": "{" + options + "}"} }

const timeSeries = "timeSeries: {timeField: at, metaField: sensor, granularity: Hours, expireAfterSeconds: 9}"

// collectionRules are those about the options of collections and indexes, and about views.
var collectionRules = map[string]rule{
	"at most one of capped, clustered and timeSeries may be set": {
		"run",
		withOptions("clustered: {}, collation: {locale: de}, validator: {filter: {n: 1}}, " +
			"changeStreamPreAndPostImages: Enabled, compressor: Zstd"),
		withOptions("clustered: {}, capped: {sizeBytes: 4096}"),
	},
	"a time-series collection has no validator": {
		"run", withOptions(timeSeries), withOptions(timeSeries + ", validator: {filter: {n: 1}}"),
	},
	"a time-series collection has no changeStreamPreAndPostImages": {
		"run", withOptions(timeSeries), withOptions(timeSeries + ", changeStreamPreAndPostImages: Enabled"),
	},
	"bucketMaxSpanSeconds is in place of granularity": {
		"run",
		withOptions("timeSeries: {timeField: at, bucketMaxSpanSeconds: 60}"),
		withOptions("timeSeries: {timeField: at, bucketMaxSpanSeconds: 60, granularity: Minutes}"),
	},
	"a view has no documentCount, fields, indexes, sharding or options of its own: these are its source's": {
		"run",
		changes{"spec.dataset.collections": "[{name: people}, {name: few, view: {source: people, pipeline: [{$limit: 1}]}}]"},
		changes{"spec.dataset.collections": "[{name: people}, {name: few, documentCount: 1, view: {source: people}}]"},
	},
	"documents of a file have fields of their own, and a view has none: leave view and fields out": {
		"run",
		changes{
			"spec.dataset.files":       "[{name: f, format: BSON, persistentVolumeClaim: {claimName: v, path: a/b.bson}}]",
			"spec.dataset.collections": "[{name: people, documentCount: 5, documents: {file: f}}]",
		},
		changes{collection + "documents": "{file: f}"},
	},
	"copies are neither views nor sharded": {
		"run",
		changes{collection + "copies": "100000"},
		changes{collection + "copies": "2", collection + "sharding": "{key: [{field: _id}]}"},
	},
	"text is for an index with a key of type Text": {
		"run",
		changes{
			anIndex + "keys": "[{field: a, type: Text}]",
			anIndex + "text": "{defaultLanguage: none, weights: [{field: a, weight: 5}]}",
		},
		changes{anIndex + "text": "{defaultLanguage: none}"},
	},
}
