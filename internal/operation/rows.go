package operation

import (
	"fmt"
	"iter"
	"slices"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Kind is a kind of operation, as a number: the index of its row.
type Kind uint8

// Kinds are all kinds.
func Kinds() iter.Seq[Kind] {
	return func(yield func(Kind) bool) {
		for kind := range kinds {
			if !yield(kind) {
				return
			}
		}
	}
}

// Parse finds a kind by its name in the API.
func Parse(name benchv1alpha1.OperationKind) (Kind, error) {
	kind := slices.IndexFunc(rows[:], func(row Row) bool { return row.Name == name })
	if kind < 0 || name == "" {
		return 0, fmt.Errorf("kind %q is not known", name)
	}
	return Kind(kind), nil
}

// Of is the row of a kind by its name in the API. Of a kind that is not known it is one that may do anything.
func Of(name benchv1alpha1.OperationKind) *Row {
	kind, err := Parse(name)
	if err != nil {
		return &Row{Name: name}
	}
	return kind.Row()
}

// Row is what is known about the kind.
func (k Kind) Row() *Row {
	return &rows[k]
}

// String is the kind's name in the API.
func (k Kind) String() string {
	if k >= kinds {
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
	return string(rows[k].Name)
}

// Row is what is known about a kind of operation.
type Row struct {
	Name   benchv1alpha1.OperationKind
	Effect Effect
	// Needs are the settings that it cannot do without, and Allows those that it may have besides.
	Needs, Allows []Setting
	// PartOf are the kinds of operations that it may be a part of.
	PartOf []Kind
	// Acknowledged says that it always has a reply, whatever write concern a write has.
	Acknowledged bool
	// Repeatable says that a server that got it twice does it once, and may be sent it again.
	Repeatable bool
	// ReplicaSet says that a standalone server does not do it.
	ReplicaSet bool
	// Clients that send it.
	Clients Clients
	// SQL is how the statement begins that does it to a table, empty where no statement does.
	SQL string
}

// Effect is what an operation does to the documents of its collection.
type Effect uint8

// The effects of operations.
const (
	// Unknown is that of a command: it may do anything.
	Unknown Effect = iota
	// Reads changes nothing.
	Reads
	// Inserts adds documents.
	Inserts
	// Updates changes documents, and may insert one that it does not find.
	Updates
	// Deletes removes documents.
	Deletes
	// ByPipeline reads, and writes what the stages $out and $merge say.
	ByPipeline
	// ByParts does what its parts do.
	ByParts
	// Nothing comes upon no document at all.
	Nothing
)

// Writes says whether the effect is that documents are written, whatever the operation's settings are.
func (e Effect) Writes() bool {
	return e == Inserts || e == Updates || e == Deletes
}

// Clients is a set of ways to send operations.
type Clients uint8

// The clients. Router is the load generator's own, in place of a mongos.
const (
	Driver Clients = 1 << iota
	Wire
	Legacy
	Router
	SQL
	HandlerSocket

	mongoDB  = Driver | Wire | Legacy | Router
	everyone = mongoDB | SQL | HandlerSocket
)

// Setting is a setting of an operation, by its name in the API.
type Setting string

// Requires says whether operations of the kind cannot do without a setting.
func (r *Row) Requires(setting Setting) bool {
	return slices.Contains(r.Needs, setting)
}

// Takes says whether operations of the kind may have a setting.
func (r *Row) Takes(setting Setting) bool {
	return r.Requires(setting) || slices.Contains(r.Allows, setting)
}

// Looks says whether operations of the kind look for documents, and may find none. Those that write their result, as an
// aggregation may, return none.
func (r *Row) Looks() bool {
	return r.Effect == Reads || r.Effect == Updates || r.Effect == Deletes || r.Effect == ByPipeline || r.Takes(Expect)
}

// Answers says whether operations of the kind come with documents that can be looked into: returned ones, those that an
// insert sends, or the answer to a command.
func (r *Row) Answers() bool {
	switch r.Effect {
	case Reads, ByPipeline, Inserts, Unknown:
		return true
	case Updates, Deletes:
		return r.Acknowledged || r.Takes(ReadPreference)
	case ByParts, Nothing:
	}
	return false
}

// Replaces says whether operations of the kind write a new version of a whole document.
func (r *Row) Replaces() bool {
	return r.Takes(ReplaceKey)
}

// SentBy says whether a client sends operations of the kind.
func (r *Row) SentBy(client Clients) bool {
	return r.Clients&client != 0
}

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
	FindOneAndDelete
	FindOneAndReplace
	EstimatedDocumentCount
	InsertThenFind
	Connect
	Flow
	InsertThenWatch
	// kinds is how many there are.
	kinds
)

// The settings that depend on the kind.
const (
	Collection     Setting = "collection"
	Filter         Setting = "filter"
	Field          Setting = "field"
	Projection     Setting = "projection"
	Sort           Setting = "sort"
	Skip           Setting = "skip"
	Limit          Setting = "limit"
	LimitParameter Setting = "limitParameter"
	BatchSize      Setting = "batchSize"
	Fetch          Setting = "fetch"
	AllowDiskUse   Setting = "allowDiskUse"
	Update         Setting = "update"
	WhenMissing    Setting = "whenMissing"
	ReplaceKey     Setting = "replaceKey"
	BatchDocuments Setting = "batchDocuments"
	Pipeline       Setting = "pipeline"
	Command        Setting = "command"
	Operations     Setting = "operations"
	Order          Setting = "order"
	MaxAwaitMillis Setting = "maxAwaitMillis"
	ConnectUntil   Setting = "connectUntil"
	Hint           Setting = "hint"
	ArrayFilters   Setting = "arrayFilters"
	Collation      Setting = "collation"
	Let            Setting = "let"
	MaxTimeMillis  Setting = "maxTimeMillis"
	Comment        Setting = "comment"
	ReadConcern    Setting = "readConcern"
	ReadPreference Setting = "readPreference"
	ReadTags       Setting = "readTags"
	WriteConcern   Setting = "writeConcern"
	Expect         Setting = "expect"
	Recall         Setting = "recall"
	State          Setting = "state"
	MaxRequests    Setting = "maxRequests"
)

// Documents are the settings that are documents. They have no type in the schema, whose rules therefore do not see
// them: the validation asks the rows.
var Documents = []Setting{Filter, Projection, Update, Pipeline, Command, Hint, ArrayFilters, Let}

// Plain are settings that are no documents, and of which the rules of the schema say nothing either: they are seldom
// set, and rules for them would cost every operation. The validation asks the rows.
var Plain = []Setting{Collation, MaxTimeMillis, Comment, ConnectUntil, ReadTags, Recall}

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
		Allows: []Setting{MaxTimeMillis, Comment, WriteConcern},
	},
	InsertMany: {
		Name: benchv1alpha1.OperationInsertMany, SQL: "INSERT INTO", Effect: Inserts,
		Repeatable: true, Clients: everyone, PartOf: transaction,
		Allows: []Setting{BatchDocuments, MaxTimeMillis, Comment, WriteConcern},
	},
	FindOne: {
		Name: benchv1alpha1.OperationFindOne, SQL: "SELECT", Effect: Reads,
		Repeatable: true, Clients: everyone, PartOf: transaction,
		Allows: []Setting{
			Filter, Projection, Sort, Hint, Collation, MaxTimeMillis, Comment, ReadConcern, ReadPreference, ReadTags,
			Expect,
		},
	},
	Find: {
		Name: benchv1alpha1.OperationFind, SQL: "SELECT", Effect: Reads,
		Repeatable: true, Clients: everyone, PartOf: transaction,
		Allows: []Setting{
			Filter, Projection, Sort, Skip, Limit, LimitParameter, BatchSize, Fetch, Hint, Collation, Let,
			MaxTimeMillis, Comment, ReadConcern, ReadPreference, ReadTags, Expect,
		},
	},
	UpdateOne: {
		Name: benchv1alpha1.OperationUpdateOne, SQL: "UPDATE", Effect: Updates,
		Repeatable: true, Clients: everyone, PartOf: anyWhole,
		Needs: []Setting{Filter, Update},
		Allows: []Setting{
			WhenMissing, Sort, Hint, ArrayFilters, Collation, Let, MaxTimeMillis, Comment, WriteConcern,
			Expect,
		},
	},
	ReplaceOne: {
		Name: benchv1alpha1.OperationReplaceOne, Effect: Updates, Repeatable: true, Clients: mongoDB, PartOf: anyWhole,
		Allows: []Setting{
			Filter, ReplaceKey, WhenMissing, Sort, Hint, Collation, Let, MaxTimeMillis, Comment, WriteConcern,
			Expect,
		},
	},
	DeleteOne: {
		Name: benchv1alpha1.OperationDeleteOne, SQL: "DELETE FROM", Effect: Deletes,
		Repeatable: true, Clients: everyone, PartOf: anyWhole,
		Needs: []Setting{Filter}, Allows: []Setting{Hint, Collation, Let, MaxTimeMillis, Comment, WriteConcern, Expect},
	},
	ReadModifyWrite: {
		Name: benchv1alpha1.OperationReadModifyWrite, Effect: Updates, Repeatable: true, Clients: mongoDB,
		PartOf: transaction, Needs: []Setting{Filter, Update},
		Allows: []Setting{
			Projection, Hint, ArrayFilters, Collation, MaxTimeMillis, Comment, ReadConcern, ReadPreference, ReadTags,
			WriteConcern, Expect,
		},
	},
	Aggregate: {
		Name: benchv1alpha1.OperationAggregate, Effect: ByPipeline, Repeatable: true, Clients: mongoDB, PartOf: transaction,
		Needs: []Setting{Pipeline},
		Allows: []Setting{
			BatchSize, Fetch, AllowDiskUse, Hint, Collation, Let, MaxTimeMillis, Comment, ReadConcern,
			ReadPreference, ReadTags, Expect, Recall,
		},
	},
	CountDocuments: {
		Name: benchv1alpha1.OperationCountDocuments, Effect: Reads, Repeatable: true, Clients: mongoDB, PartOf: transaction,
		Allows: []Setting{
			Filter, Skip, Limit, Hint, Collation, MaxTimeMillis, Comment, ReadConcern, ReadPreference, ReadTags,
		},
	},
	RunCommand: {
		Name: benchv1alpha1.OperationRunCommand, Effect: Unknown, Clients: mongoDB, Needs: []Setting{Command},
	},
	UpdateMany: {
		Name: benchv1alpha1.OperationUpdateMany, Effect: Updates, Clients: mongoDB, PartOf: anyWhole,
		Needs: []Setting{Filter, Update},
		Allows: []Setting{
			WhenMissing, Hint, ArrayFilters, Collation, Let, MaxTimeMillis, Comment, WriteConcern, Expect,
		},
	},
	DeleteMany: {
		Name: benchv1alpha1.OperationDeleteMany, Effect: Deletes, Clients: mongoDB, PartOf: anyWhole,
		Needs: []Setting{Filter}, Allows: []Setting{Hint, Collation, Let, MaxTimeMillis, Comment, WriteConcern, Expect},
	},
	FindOneAndUpdate: {
		Name: benchv1alpha1.OperationFindOneAndUpdate, Effect: Updates, Acknowledged: true, Repeatable: true,
		Clients: mongoDB, PartOf: transaction, Needs: []Setting{Filter, Update},
		Allows: []Setting{
			Projection, Sort, WhenMissing, Hint, ArrayFilters, Collation, Let, MaxTimeMillis, Comment,
			WriteConcern, Expect,
		},
	},
	BulkWrite: {
		Name: benchv1alpha1.OperationBulkWrite, Effect: ByParts, Clients: mongoDB, Needs: []Setting{Operations},
		Allows: []Setting{Order, Let, MaxTimeMillis, Comment, WriteConcern},
	},
	Transaction: {
		Name: benchv1alpha1.OperationTransaction, Effect: ByParts, Acknowledged: true, ReplicaSet: true, Clients: Driver,
		Allows: []Setting{Operations, ReadConcern, WriteConcern},
	},
	ChangeStream: {
		Name: benchv1alpha1.OperationChangeStream, Effect: Reads, ReplicaSet: true, Clients: Driver,
		Allows: []Setting{Pipeline, MaxAwaitMillis, ReadPreference, ReadTags},
	},
	Tail: {
		Name: benchv1alpha1.OperationTail, Effect: Reads, Clients: Driver,
		Allows: []Setting{Filter, Projection, MaxAwaitMillis, ReadConcern, ReadPreference, ReadTags},
	},
	Distinct: {
		Name: benchv1alpha1.OperationDistinct, SQL: "SELECT DISTINCT", Effect: Reads, Repeatable: true,
		Clients: mongoDB | SQL, PartOf: transaction, Needs: []Setting{Field},
		Allows: []Setting{Filter, Hint, Collation, MaxTimeMillis, Comment, ReadConcern, ReadPreference, ReadTags, Expect},
	},
	FindOneAndDelete: {
		Name: benchv1alpha1.OperationFindOneAndDelete, Effect: Deletes, Acknowledged: true, Repeatable: true,
		Clients: mongoDB, PartOf: transaction, Needs: []Setting{Filter},
		Allows: []Setting{
			Projection, Sort, Hint, Collation, Let, MaxTimeMillis, Comment, WriteConcern, Expect,
		},
	},
	FindOneAndReplace: {
		Name: benchv1alpha1.OperationFindOneAndReplace, Effect: Updates, Acknowledged: true, Repeatable: true,
		Clients: mongoDB, PartOf: transaction,
		Allows: []Setting{
			Filter, Projection, Sort, ReplaceKey, WhenMissing, Hint, Collation, Let, MaxTimeMillis, Comment,
			WriteConcern, Expect,
		},
	},
	// The command that it is has no place in a transaction.
	EstimatedDocumentCount: {
		Name: benchv1alpha1.OperationEstimatedDocumentCount, Effect: Reads, Repeatable: true, Clients: mongoDB,
		Allows: []Setting{MaxTimeMillis, Comment, ReadConcern, ReadPreference, ReadTags},
	},
	// Where all is read from the primary, as by the wire client, what was written is always seen.
	InsertThenFind: {
		Name: benchv1alpha1.OperationInsertThenFind, Effect: Inserts, Acknowledged: true, Clients: Driver,
		Allows: []Setting{MaxTimeMillis, Comment, ReadConcern, ReadPreference, ReadTags, WriteConcern, Expect},
	},
	Connect: {
		Name: benchv1alpha1.OperationConnect, Effect: Nothing, Clients: Driver | Wire, Allows: []Setting{ConnectUntil},
	},
	Flow: {
		Name: benchv1alpha1.OperationFlow, Effect: ByParts, Clients: Driver | Wire, Allows: []Setting{State, MaxRequests},
	},
	InsertThenWatch: {
		Name: benchv1alpha1.OperationInsertThenWatch, Effect: Inserts, Acknowledged: true, ReplicaSet: true, Clients: Driver,
		Allows: []Setting{MaxTimeMillis, Comment, ReadPreference, ReadTags, WriteConcern},
	},
}
