package v1alpha1_test

// withParameter is an operation with a parameter k of type Key, and one of these settings.
func withParameter(settings string) changes {
	return changes{
		operation: "{name: a, kind: FindOne, parameters: [{name: k, type: Key}, {name: p, " + settings + "}]}",
	}
}

// operationRules are those about operations and their parameters.
var operationRules = map[string]rule{
	"field is required with Distinct, and forbidden with any other kind": {
		"run",
		changes{operation: "{name: a, kind: Distinct, field: b}"},
		changes{operation: "{name: a, kind: Find, field: b}"},
	},
	"expect applies only to operations that look for documents: FindOne, Find, UpdateOne, ReplaceOne, DeleteOne, " +
		"ReadModifyWrite, Aggregate, UpdateMany, DeleteMany, FindOneAndUpdate, FindOneAndReplace, FindOneAndDelete, " +
		"Distinct and InsertThenFind": {
		"run",
		changes{operation: "{name: a, kind: Find, expect: {found: All}}"},
		changes{operation: "{name: a, kind: InsertOne, expect: {found: All}}"},
	},
	"exactly one of found and documents must be set": {
		"run",
		changes{operation: "{name: a, kind: Find, expect: {found: None}}"},
		changes{operation: "{name: a, kind: Find, expect: {found: None, documents: {min: 1}}}"},
	},
	"min or max must be set": {
		"run",
		changes{operation: "{name: a, kind: Find, expect: {documents: {max: 5}}}"},
		changes{operation: "{name: a, kind: Find, expect: {documents: {}}}"},
	},
	"max must not be below min": {
		"run",
		changes{operation: "{name: a, kind: Find, expect: {documents: {min: 5, max: 5}}}"},
		changes{operation: "{name: a, kind: Find, expect: {documents: {min: 5, max: 4}}}"},
	},
	"sort applies only to FindOne, Find, UpdateOne, ReplaceOne, FindOneAndUpdate, FindOneAndReplace and " +
		"FindOneAndDelete": {
		"run",
		changes{operation: "{name: a, kind: Find, sort: [{field: a}]}"},
		changes{operation: "{name: a, kind: CountDocuments, sort: [{field: a}]}"},
	},
	"skip and limit apply only to Find and CountDocuments": {
		"run",
		changes{operation: "{name: a, kind: Find, limit: 5, skip: 1}"},
		changes{operation: "{name: a, kind: FindOne, limit: 5}"},
	},
	"allowDiskUse applies only to Aggregate": {
		"run",
		changes{operation: "{name: a, kind: Aggregate, pipeline: '[]', allowDiskUse: Enabled}"},
		changes{operation: "{name: a, kind: Find, allowDiskUse: Enabled}"},
	},
	"batchSize and fetch apply only to Find and Aggregate": {
		"run",
		changes{operation: "{name: a, kind: Aggregate, pipeline: '[]', fetch: FirstBatch, batchSize: 5}"},
		changes{operation: "{name: a, kind: FindOne, fetch: All}"},
	},
	"batchDocuments applies only to InsertMany": {
		"run",
		changes{operation: "{name: a, kind: InsertMany, batchDocuments: 5}"},
		changes{operation: "{name: a, kind: InsertOne, batchDocuments: 5}"},
	},
	"replaceKey applies only to ReplaceOne and FindOneAndReplace": {
		"run",
		changes{operation: "{name: a, kind: ReplaceOne, replaceKey: k}"},
		changes{operation: "{name: a, kind: FindOne, replaceKey: k}"},
	},
	"key may be set only with type Key": {
		"run",
		changes{operation: "{name: a, kind: FindOne, parameters: [{name: k, type: Key, key: {rangePercent: 5}}]}"},
		changes{operation: "{name: a, kind: FindOne, parameters: [{name: k, type: Int, key: {rangePercent: 5}}]}"},
	},
	"limitParameter applies only to Find, in place of limit": {
		"run",
		changes{operation: "{name: a, kind: Find, limitParameter: size, parameters: [{name: size, type: Int}]}"},
		changes{operation: "{name: a, kind: Find, limitParameter: size, limit: 5, parameters: [{name: size, type: Int}]}"},
	},
	"fetch FirstDocument asks for one document: batchSize cannot be set": {
		"run",
		changes{operation: "{name: a, kind: Aggregate, pipeline: '[]', fetch: FirstDocument}"},
		changes{operation: "{name: a, kind: Aggregate, pipeline: '[]', fetch: FirstDocument, batchSize: 5}"},
	},
	"whenMissing applies only to UpdateOne, UpdateMany, ReplaceOne, FindOneAndUpdate and FindOneAndReplace": {
		"run",
		changes{operation: "{name: a, kind: UpdateMany, filter: '{}', update: '{}', whenMissing: Insert}"},
		changes{operation: "{name: a, kind: ReadModifyWrite, filter: '{}', update: '{}', whenMissing: Insert}"},
	},
	"operations is required with BulkWrite, may be set with Transaction, and is forbidden with any other kind": {
		"run",
		changes{operation: "{name: a, kind: Transaction, operations: [{kind: FindOne}, {kind: InsertOne}]}"},
		changes{operation: "{name: a, kind: BulkWrite}"},
	},
	"when, repeat, captures, checks and next are for the parts of a Flow: partOf must be set": {
		"run",
		changes{operation: "{name: a, partOf: b, kind: FindOne, when: c > 1, checks: [{name: c, that: d}]}"},
		changes{operation: "{name: a, kind: FindOne, captures: [{name: c}]}"},
	},
	"a part is sent by its Flow alone: neither weight nor thinkTime may be set": {
		"run",
		changes{operation: "{name: a, partOf: b, kind: FindOne}"},
		changes{operation: "{name: a, partOf: b, kind: FindOne, weight: 2}"},
	},
	"state and maxRequests apply only to Flow": {
		"run",
		changes{operation: "{name: a, kind: Flow, maxRequests: 5, state: [{name: s, value: 1}]}"},
		changes{operation: "{name: a, kind: FindOne, maxRequests: 5}"},
	},
	"each needs as, the name that the elements have": {
		"run",
		changes{operation: "{name: a, partOf: b, kind: FindOne, repeat: {limit: 2, each: c, as: d}}"},
		changes{operation: "{name: a, partOf: b, kind: FindOne, repeat: {limit: 2, each: c}}"},
	},
	"a BulkWrite consists of InsertOne, UpdateOne, UpdateMany, ReplaceOne, DeleteOne and DeleteMany": {
		"run",
		changes{operation: "{name: a, kind: BulkWrite, operations: [{kind: InsertOne}, {kind: DeleteOne, filter: '{}'}]}"},
		changes{operation: "{name: a, kind: BulkWrite, operations: [{kind: InsertOne}, {kind: FindOne}]}"},
	},
	"an operation of this kind cannot be a part of another": {
		"run",
		changes{operation: "{name: a, kind: Transaction, operations: [{kind: Aggregate, pipeline: '[]'}]}"},
		changes{operation: "{name: a, kind: Transaction, operations: [{kind: ChangeStream}]}"},
	},
	"order applies only to BulkWrite": {
		"run",
		changes{operation: "{name: a, kind: BulkWrite, order: Unordered, operations: [{kind: InsertOne}]}"},
		changes{operation: "{name: a, kind: InsertMany, order: Unordered}"},
	},
	"maxAwaitMillis applies only to ChangeStream and Tail": {
		"run",
		changes{operation: "{name: a, kind: ChangeStream, maxAwaitMillis: 50}"},
		changes{operation: "{name: a, kind: Find, maxAwaitMillis: 50}"},
	},
	"readConcern applies only to FindOne, Find, Aggregate, CountDocuments, EstimatedDocumentCount, Distinct, " +
		"ReadModifyWrite, InsertThenFind, Transaction and Tail": {
		"run",
		changes{operation: "{name: a, kind: FindOne, readConcern: Snapshot}"},
		changes{operation: "{name: a, kind: InsertOne, readConcern: Majority, writeConcern: {w: '0'}}"},
	},
	"the readConcern of a Transaction is Local, Majority or Snapshot": {
		"run",
		changes{operation: "{name: a, kind: Transaction, readConcern: Snapshot, operations: [{kind: FindOne}]}"},
		changes{operation: "{name: a, kind: Transaction, readConcern: Linearizable, operations: [{kind: FindOne}]}"},
	},
	"the readConcern of a Tail is Local, Available or Majority": {
		"run",
		changes{operation: "{name: a, kind: Tail, readConcern: Majority}"},
		changes{operation: "{name: a, kind: Tail, readConcern: Snapshot}"},
	},
	"readPreference applies only to FindOne, Find, Aggregate, CountDocuments, EstimatedDocumentCount, Distinct, " +
		"ReadModifyWrite, InsertThenFind, InsertThenWatch, ChangeStream and Tail": {
		"run",
		changes{operation: "{name: a, kind: CountDocuments, readPreference: SecondaryPreferred}"},
		changes{operation: "{name: a, kind: RunCommand, command: '{}', readPreference: Nearest}"},
	},
	"readTags need a readPreference other than Primary": {
		"run",
		changes{operation: "{name: a, kind: Find, readPreference: Nearest, readTags: [{name: use, value: reports}]}"},
		changes{operation: "{name: a, kind: Find, readTags: [{name: use, value: reports}]}"},
	},
	"readConcern Linearizable needs readPreference Primary, which is the default": {
		"run",
		changes{operation: "{name: a, kind: FindOne, readConcern: Linearizable, readPreference: Primary}"},
		changes{operation: "{name: a, kind: FindOne, readConcern: Linearizable, readPreference: Secondary}"},
	},
	"writeConcern applies only to operations that write": {
		"run",
		changes{operation: "{name: a, kind: InsertOne, writeConcern: {w: majority, journal: Required, timeoutMillis: 5}}"},
		changes{operation: "{name: a, kind: FindOne, writeConcern: {w: '1'}}"},
	},
	"a Transaction, FindOneAndUpdate, FindOneAndReplace, FindOneAndDelete, InsertThenFind or InsertThenWatch has to be " +
		"acknowledged: w cannot be 0": {
		"run",
		changes{operation: "{name: a, kind: Transaction, operations: [{kind: InsertOne}], writeConcern: {w: '1'}}"},
		changes{operation: "{name: a, kind: Transaction, operations: [{kind: InsertOne}], writeConcern: {w: '0'}}"},
	},
	"journal Required needs an acknowledgement, and w is 0": {
		"run",
		changes{operation: "{name: a, kind: InsertOne, writeConcern: {w: '0', journal: NotRequired}}"},
		changes{operation: "{name: a, kind: InsertOne, writeConcern: {w: '0', journal: Required}}"},
	},
	"sameRecordAs may be set only with type Key, and the record is drawn by the other parameter: " +
		"neither distribution nor key.rangePercent may be set": {
		"run",
		withParameter("type: Key, key: {field: name}, sameRecordAs: k"),
		withParameter("type: Key, distribution: {type: Zipfian}, sameRecordAs: k"),
	},
	"plusParameter may be set only with type Int, Long, Double or Date": {
		"run", withParameter("type: Date, plusParameter: k"), withParameter("type: UUID, plusParameter: k"),
	},
}
