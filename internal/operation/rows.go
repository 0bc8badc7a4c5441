package operation

import benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"

// The kinds of operations, named as in the run's API.
const (
	InsertOne Kind = iota
	InsertMany
	FindOne
	Find
	UpdateOne
	ReplaceOne
	DeleteOne
	ReadModifyWrite
	Aggregate
	CountDocuments
	RunCommand
	UpdateMany
	DeleteMany
	FindOneAndUpdate
	BulkWrite
	Transaction
	ChangeStream
	Tail
	Distinct
	// kinds is how many there are.
	kinds
)

// The settings that depend on the kind.
const (
	Filter         Setting = "filter"
	Field          Setting = "field"
	Projection     Setting = "projection"
	Sort           Setting = "sort"
	Skip           Setting = "skip"
	Limit          Setting = "limit"
	LimitParameter Setting = "limitParameter"
	BatchSize      Setting = "batchSize"
	Fetch          Setting = "fetch"
	Update         Setting = "update"
	WhenMissing    Setting = "whenMissing"
	ReplaceKey     Setting = "replaceKey"
	BatchDocuments Setting = "batchDocuments"
	Pipeline       Setting = "pipeline"
	Command        Setting = "command"
	Operations     Setting = "operations"
	Order          Setting = "order"
	MaxAwaitMillis Setting = "maxAwaitMillis"
	ReadConcern    Setting = "readConcern"
	ReadPreference Setting = "readPreference"
	WriteConcern   Setting = "writeConcern"
)

// What a kind may be a part of.
var (
	anyWhole    = []Kind{BulkWrite, Transaction}
	transaction = []Kind{Transaction}
)

// rows has one of every kind.
var rows = [kinds]Row{
	InsertOne: {
		Name: benchv1alpha1.OperationInsertOne, SQL: "INSERT INTO", Effect: Inserts,
		Repeatable: true, Clients: everyone, PartOf: anyWhole,
		Allows: []Setting{WriteConcern},
	},
	InsertMany: {
		Name: benchv1alpha1.OperationInsertMany, SQL: "INSERT INTO", Effect: Inserts,
		Repeatable: true, Clients: everyone, PartOf: transaction,
		Allows: []Setting{BatchDocuments, WriteConcern},
	},
	FindOne: {
		Name: benchv1alpha1.OperationFindOne, SQL: "SELECT", Effect: Reads,
		Repeatable: true, Clients: everyone, PartOf: transaction,
		Allows: []Setting{Filter, Projection, Sort, ReadConcern, ReadPreference},
	},
	Find: {
		Name: benchv1alpha1.OperationFind, SQL: "SELECT", Effect: Reads,
		Repeatable: true, Clients: everyone, PartOf: transaction,
		Allows: []Setting{
			Filter, Projection, Sort, Skip, Limit, LimitParameter, BatchSize, Fetch, ReadConcern, ReadPreference,
		},
	},
	UpdateOne: {
		Name: benchv1alpha1.OperationUpdateOne, SQL: "UPDATE", Effect: Updates,
		Repeatable: true, Clients: everyone, PartOf: anyWhole,
		Needs: []Setting{Filter, Update}, Allows: []Setting{WhenMissing, WriteConcern},
	},
	ReplaceOne: {
		Name: benchv1alpha1.OperationReplaceOne, Effect: Updates, Repeatable: true, Clients: mongoDB, PartOf: anyWhole,
		Allows: []Setting{Filter, ReplaceKey, WhenMissing, WriteConcern},
	},
	DeleteOne: {
		Name: benchv1alpha1.OperationDeleteOne, SQL: "DELETE FROM", Effect: Deletes,
		Repeatable: true, Clients: everyone, PartOf: anyWhole,
		Needs: []Setting{Filter}, Allows: []Setting{WriteConcern},
	},
	ReadModifyWrite: {
		Name: benchv1alpha1.OperationReadModifyWrite, Effect: Updates, Repeatable: true, Clients: mongoDB,
		PartOf: transaction, Needs: []Setting{Filter, Update},
		Allows: []Setting{Projection, ReadConcern, ReadPreference, WriteConcern},
	},
	Aggregate: {
		Name: benchv1alpha1.OperationAggregate, Effect: ByPipeline, Repeatable: true, Clients: mongoDB, PartOf: transaction,
		Needs: []Setting{Pipeline}, Allows: []Setting{BatchSize, Fetch, ReadConcern, ReadPreference},
	},
	CountDocuments: {
		Name: benchv1alpha1.OperationCountDocuments, Effect: Reads, Repeatable: true, Clients: mongoDB, PartOf: transaction,
		Allows: []Setting{Filter, Skip, Limit, ReadConcern, ReadPreference},
	},
	RunCommand: {
		Name: benchv1alpha1.OperationRunCommand, Effect: Unknown, Clients: mongoDB, Needs: []Setting{Command},
	},
	UpdateMany: {
		Name: benchv1alpha1.OperationUpdateMany, Effect: Updates, Clients: mongoDB, PartOf: anyWhole,
		Needs: []Setting{Filter, Update}, Allows: []Setting{WhenMissing, WriteConcern},
	},
	DeleteMany: {
		Name: benchv1alpha1.OperationDeleteMany, Effect: Deletes, Clients: mongoDB, PartOf: anyWhole,
		Needs: []Setting{Filter}, Allows: []Setting{WriteConcern},
	},
	FindOneAndUpdate: {
		Name: benchv1alpha1.OperationFindOneAndUpdate, Effect: Updates, Acknowledged: true, Repeatable: true,
		Clients: mongoDB, PartOf: transaction, Needs: []Setting{Filter, Update},
		Allows: []Setting{Projection, Sort, WhenMissing, WriteConcern},
	},
	BulkWrite: {
		Name: benchv1alpha1.OperationBulkWrite, Effect: ByParts, Clients: mongoDB, Needs: []Setting{Operations},
		Allows: []Setting{Order, WriteConcern},
	},
	Transaction: {
		Name: benchv1alpha1.OperationTransaction, Effect: ByParts, Acknowledged: true, ReplicaSet: true, Clients: Driver,
		Needs: []Setting{Operations}, Allows: []Setting{ReadConcern, WriteConcern},
	},
	ChangeStream: {
		Name: benchv1alpha1.OperationChangeStream, Effect: Reads, ReplicaSet: true, Clients: Driver,
		Allows: []Setting{Pipeline, MaxAwaitMillis, ReadPreference},
	},
	Tail: {
		Name: benchv1alpha1.OperationTail, Effect: Reads, Clients: Driver,
		Allows: []Setting{Filter, Projection, MaxAwaitMillis, ReadConcern, ReadPreference},
	},
	Distinct: {
		Name: benchv1alpha1.OperationDistinct, SQL: "SELECT DISTINCT", Effect: Reads, Repeatable: true,
		Clients: mongoDB | SQL, PartOf: transaction, Needs: []Setting{Field},
		Allows: []Setting{Filter, ReadConcern, ReadPreference},
	},
}
