package validation_test

import (
	"strings"
	"testing"

	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

const (
	theCollection = "spec.dataset.collections[0]."
	// series is a time series with a field for everything that one needs.
	series = "fields: [{name: at, type: Date}, {name: sensor.id, type: Int}, {name: n, type: Int}], " +
		"options: {timeSeries: {timeField: at, metaField: sensor}}"
)

// onTarget is a run of a collection with this content on a target.
func onTarget(content, target string) string {
	return withCollection(content) + "\ntarget: " + target
}

func TestValidateTheOptionsOfCollections(t *testing.T) {
	for name, tc := range map[string]testCase{
		"a time series is valid": {spec: withCollection("documentCount: 10, " + series)},
		"a time series without a time": {
			spec: withCollection("fields: [{name: n, type: Int}], options: {timeSeries: {timeField: at}}"),
			want: []string{theCollection + "options.timeSeries.timeField: of type Date"},
		},
		"a time series whose time is none": {
			spec: withCollection("fields: [{name: n, type: Int}], options: {timeSeries: {timeField: n}}"),
			want: []string{theCollection + "options.timeSeries.timeField: of type Date"},
		},
		"a time series by a field that is not there": {
			spec: withCollection("fields: [{name: at, type: Date}], options: {timeSeries: {timeField: at, metaField: x}}"),
			want: []string{theCollection + "options.timeSeries.metaField: must be the name of one"},
		},
		"a time series by its time": {
			spec: withCollection("fields: [{name: at, type: Date}], options: {timeSeries: {timeField: at, metaField: at}}"),
			want: []string{theCollection + "options.timeSeries.metaField: neither _id nor timeField"},
		},
		"a time series over shards": {
			spec: withCollection("sharding: {key: [{field: sensor}]}, " + series),
			want: []string{theCollection + "options.timeSeries: leave sharding out"},
		},
		"a time series with indexes that it cannot have": {
			spec: withCollection("indexes: [{keys: [{field: n}], properties: [Unique]}, {keys: [{field: n, type: Text}]}, " +
				"{keys: [{field: at}], expireAfterSeconds: 9}], " + series),
			want: []string{
				theCollection + "indexes[0].properties[0]: no such index", theCollection + "indexes[1].keys[0].type: no such index",
				theCollection + "indexes[2].expireAfterSeconds: options.timeSeries.expireAfterSeconds",
			},
		},
		"a clustered collection is valid": {spec: withCollection("documentCount: 10, options: {clustered: {}}")},
		"a clustered collection that expires by its dates is valid": {
			spec: withCollection("documentCount: 10, fields: [{name: _id, type: Date, distribution: {type: Sequential}}], " +
				"options: {clustered: {expireAfterSeconds: 9}}"),
		},
		"a clustered collection that would never expire": {
			spec: withCollection("options: {clustered: {expireAfterSeconds: 9}}"),
			want: []string{theCollection + "options.clustered.expireAfterSeconds: by an _id of type Date"},
		},
		"a collation over shards": {
			spec: withCollection("sharding: {key: [{field: _id}]}, options: {collation: {locale: de}}"),
			want: []string{theCollection + "options.collation: not sharded here"},
		},
		"a collation of bytes over shards is valid": {
			spec: withCollection("sharding: {key: [{field: _id}]}, options: {collation: {locale: simple}}"),
		},
		"a validator is valid": {
			spec: withCollection("options: {validator: {filter: {$jsonSchema: {required: [n]}}, action: Warn}}"),
		},
		"a validator that is no document": {
			spec: withCollection("options: {validator: {filter: [1]}}"),
			want: []string{theCollection + "options.validator.filter: must be an object"},
		},
		"a validator with a parameter": {
			spec: withCollection("options: {validator: {filter: {n: {$param: x}}}}"),
			want: []string{theCollection + "options.validator.filter: cannot refer to a parameter such as x"},
		},
	} {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}

func TestValidateCollectionsWithTheTarget(t *testing.T) {
	const (
		old      = `{mongodb: {version: "4.4.2"}}`
		ferret   = `{ferretdb: {version: "1.24.0"}}`
		mariaDB  = `{mariadb: {version: "11.8.3"}}`
		newIndex = "indexes: [{keys: [{field: a}], properties: [Hidden]}]"
	)
	for name, tc := range map[string]testCase{
		"a time series on a server that has them is valid": {spec: onTarget(series, aloneTarget)},
		"a time series on a database of one's own is valid": {
			spec: onTarget(series, existing),
		},
		"a time series on an old server": {
			spec: onTarget(series, old),
			want: []string{theCollection + "options.timeSeries: needs MongoDB 5.0 or later, and this is 4.4"},
		},
		"spans of buckets on a server without": {
			spec: onTarget("fields: [{name: at, type: Date}], "+
				"options: {timeSeries: {timeField: at, bucketMaxSpanSeconds: 60}}", aloneTarget),
			want: []string{theCollection + "options.timeSeries.bucketMaxSpanSeconds: needs MongoDB 6.3 or later"},
		},
		"a clustered collection on an old server": {
			spec: onTarget("options: {clustered: {}}", old),
			want: []string{theCollection + "options.clustered: needs MongoDB 5.3 or later, and this is 4.4"},
		},
		"images on an old server": {
			spec: onTarget("options: {changeStreamPreAndPostImages: Enabled}", old),
			want: []string{theCollection + "options.changeStreamPreAndPostImages: needs MongoDB 6.0 or later"},
		},
		"no images on an old server are valid": {
			spec: onTarget("options: {changeStreamPreAndPostImages: Disabled}", old),
		},
		"a hidden index on a server of before": {
			spec: onTarget(newIndex, `{mongodb: {version: "4.2.6"}}`),
			want: []string{theCollection + "indexes[0].properties: needs MongoDB 4.4 or later, and this is 4.2"},
		},
		"a time series without a mongos": {
			spec: onTarget(series, byClient) + "\nloadGenerator: {client: Wire}",
			want: []string{theCollection + "options.timeSeries: needs a router Mongos"},
		},
		"a collation without a mongos": {
			spec: onTarget("options: {collation: {locale: de}}", byClient),
			want: []string{theCollection + "options.collation: needs a router Mongos"},
		},
		"FerretDB": {
			spec: onTarget("options: {collation: {locale: de}}", ferret) + "\n",
			want: []string{theCollection + "options.collation: cannot be had with FerretDB"},
		},
		"MariaDB": {
			spec: onTarget("options: {clustered: {}}", mariaDB),
			want: []string{theCollection + "options.clustered: with MariaDB: a table lies in the order"},
		},
	} {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}

// withView is a run with a view on collection c, and an operation on it.
func withView(view, operation string) string {
	return "dataset: {collections: [{name: c, documentCount: 10, fields: [{name: n, type: Int}]}, " +
		"{name: v, view: " + view + "}]}\n" +
		"workload: {steps: [{name: s, durationSeconds: 1, operations: [{name: o, " + operation + "}]}]}"
}

func TestValidateViews(t *testing.T) {
	const (
		read   = "collection: v, kind: Find, filter: {_id: {$key: _id}}"
		theOne = "spec.workload.steps[0].operations[0]"
	)
	for name, tc := range map[string]testCase{
		"a view that is read by a key of its source is valid": {
			spec: withView("{source: c, pipeline: [{$match: {n: 1}}]}", read),
		},
		"a view as it is may be read": {spec: withView("{source: c}", read)},
		"a view of nothing": {
			spec: withView("{source: x}", "collection: v, kind: Find"),
			want: []string{"spec.dataset.collections[1].view.source: another collection of the dataset"},
		},
		"a view of itself": {
			spec: withView("{source: v}", "collection: v, kind: Find"),
			want: []string{"spec.dataset.collections[1].view.source: in a circle"},
		},
		"a view by what is no pipeline": {
			spec: withView("{source: c, pipeline: {n: 1}}", read),
			want: []string{"spec.dataset.collections[1].view.pipeline: must be an array"},
		},
		"a view that is written to": {
			spec: withView("{source: c}", "collection: v, kind: InsertOne"),
			want: []string{theOne + ".kind: is a view, which is only read"},
		},
		"a view that is followed": {
			spec: withView("{source: c}", "collection: v, kind: ChangeStream"),
			want: []string{theOne + ".kind: is a view, which is only read"},
		},
		"a view that is written to in a transaction": {
			spec: withView("{source: c}", "collection: c, kind: Transaction, operations: [{collection: v, kind: InsertOne}]"),
			want: []string{theOne + ".operations[0].kind: is a view, which is only read"},
		},
		"a view that grows": {
			spec: strings.Replace(withView("{source: c}", read), "workload: {", "workload: {growth: {collection: v, "+
				"sizes: [1, 2]}, ", 1),
			want: []string{"spec.dataset.collections[1].view: does not grow"},
		},
	} {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}

func TestValidateOperationsOnATimeSeries(t *testing.T) {
	on := func(operation string) string {
		return "dataset: {collections: [{name: c, documentCount: 10, " + series + "}]}\n" +
			"workload: {steps: [{name: s, durationSeconds: 1, operations: [{name: o, " + operation + "}]}]}"
	}
	const theOne = "spec.workload.steps[0].operations[0]"
	for name, tc := range map[string]testCase{
		"reads are valid":           {spec: on("kind: Find, filter: {at: {$gte: {$key: at}}}")},
		"inserts are valid":         {spec: on("kind: InsertMany, batchDocuments: 9")},
		"updates of many are valid": {spec: on(`kind: UpdateMany, filter: {sensor: 1}, update: {$set: {sensor: 2}}`)},
		"deletes of many are valid": {spec: on(`kind: DeleteMany, filter: {sensor: 1}`)},
		"an update of one": {
			spec: on(`kind: UpdateOne, filter: {sensor: 1}, update: {$set: {sensor: 2}}`),
			want: []string{theOne + ".kind: is a time series, whose documents are written by"},
		},
		"a change stream": {spec: on("kind: ChangeStream"), want: []string{theOne + ".kind: there is no ChangeStream of"}},
		"an insert in a transaction": {
			spec: on("kind: Transaction, operations: [{kind: InsertOne}]"),
			want: []string{theOne + ".operations[0].kind: in a transaction"},
		},
		"a replacement among others": {
			spec: on("kind: BulkWrite, operations: [{kind: DeleteOne, filter: {sensor: 1}}]"),
			want: []string{theOne + ".operations[0].kind: is a time series"},
		},
	} {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}

func TestValidateIndexes(t *testing.T) {
	for name, tc := range map[string]testCase{
		"indexes of the same keys and other documents are valid": {
			spec: withCollection("indexes: [{keys: [{field: a}]}, {name: b, keys: [{field: a}], partialFilter: {n: 1}}]"),
		},
		"a partial index by no document": {
			spec: withCollection("indexes: [{keys: [{field: a}], partialFilter: [1]}]"),
			want: []string{theCollection + "indexes[0].partialFilter: must be an object"},
		},
		"a sparse and partial index": {
			spec: withCollection("indexes: [{keys: [{field: a}], partialFilter: {n: 1}, properties: [Sparse]}]"),
			want: []string{theCollection + "indexes[0].partialFilter: $exists"},
		},
		"a hidden wildcard index of some fields is valid": {
			spec: withCollection("indexes: [{keys: [{field: $**}], properties: [Hidden], wildcardProjection: {a: 1}}]"),
		},
		"a projection of an index without a wildcard": {
			spec: withCollection("indexes: [{keys: [{field: a}], wildcardProjection: {a: 1}}]"),
			want: []string{theCollection + "indexes[0].wildcardProjection: is for a wildcard index"},
		},
		"a projection of a part": {
			spec: withCollection("indexes: [{keys: [{field: a.$**}], wildcardProjection: {a: 1}}]"),
			want: []string{theCollection + "indexes[0].wildcardProjection: is for a wildcard index"},
		},
		"a text index of all fields is valid": {
			spec: withCollection("indexes: [{keys: [{field: $**, type: Text}], properties: [Sparse]}]"),
		},
		"two text indexes": {
			spec: withCollection("indexes: [{keys: [{field: a, type: Text}]}, {keys: [{field: b, type: Text}]}]"),
			want: []string{theCollection + "indexes[1].keys: at most one index with Text keys"},
		},
		"words by a collation": {
			spec: withCollection("options: {collation: {locale: de}}, indexes: [{keys: [{field: a, type: Text}]}]"),
			want: []string{theCollection + "indexes[0].collation: set its locale to simple"},
		},
		"words by bytes are valid": {
			spec: withCollection("options: {collation: {locale: de}}, indexes: [{keys: [{field: a, type: Text}], " +
				"collation: {locale: simple}}]"),
		},
		"places are valid": {spec: withCollection("indexes: [{keys: [{field: a}, {field: b, type: Sphere2D}]}]")},
		"points after another key": {
			spec: withCollection("indexes: [{keys: [{field: a}, {field: b, type: Plane2D}]}]"),
			want: []string{theCollection + "indexes[0].keys: the first of its index"},
		},
	} {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}

func TestValidateActionsOnIndexes(t *testing.T) {
	const create = "type: CreateIndex, index: {keys: [{field: a}]}"
	two := func(first, second string) string {
		return withSteps("{name: s, durationSeconds: 30, actions: [{name: a, "+first+"}, {name: b, "+second+"}], "+insertOnly,
			"target: "+aloneTarget)
	}
	for name, tc := range map[string]testCase{
		"an index that is built is valid":        {spec: withAction(create, aloneTarget)},
		"on shards without a mongos it is valid": {spec: withAction(create, byClient)},
		"in a database of one's own it is valid": {spec: withAction(create, existing)},
		"one that is built and dropped is valid": {spec: two(create, "type: DropIndex, indexName: a_1")},
		"a hidden index of a server of before": {
			spec: withAction("type: CreateIndex, index: {keys: [{field: a}], properties: [Hidden]}",
				`{mongodb: {version: "4.2.6"}}`),
			want: []string{theAction + ".index.properties: needs MongoDB 4.4 or later, and this is 4.2"},
		},
		"an index that cannot be": {
			spec: withAction("type: CreateIndex, index: {keys: [{field: a..b}]}", aloneTarget),
			want: []string{theAction + ".index.keys[0].field: joined by dots"},
		},
		"an index that nobody makes": {
			spec: withAction("type: DropIndex, indexName: b_1", aloneTarget),
			want: []string{theAction + ".indexName: neither one of the indexes of collection c"},
		},
		"another collection": {
			spec: withAction("collection: x, "+create, aloneTarget),
			want: []string{theAction + `.collection: supported values: "c"`},
		},
		"a sweep": {
			spec: withSteps("{name: s, durationSeconds: 30, threadSweep: [1, 2], actions: [{name: a, "+create+"}], "+insertOnly,
				"target: "+aloneTarget),
			want: []string{theAction + ".type: is measured several times"},
		},
		"MariaDB": {
			spec: withAction(create, `{mariadb: {version: "11.8.3"}}`), want: []string{theAction + ".type: is for MongoDB"},
		},
		"an index that is there already": {
			spec: strings.Replace(withAction(create, aloneTarget), "documentCount: 10",
				"documentCount: 10, indexes: [{keys: [{field: a}]}]", 1),
			want: []string{theAction + ".index.name: has this index from the start"},
		},
	} {
		t.Run(name, func(t *testing.T) { check(t, validation.ValidateRun(runOf(t, tc.spec)), tc.want) })
	}
}
