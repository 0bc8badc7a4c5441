package workload

import (
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Kind is a kind of request.
type Kind uint8

// The kinds of requests, named as in the run's API.
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
)

// kindNames has a name for every Kind.
var kindNames = [...]benchv1alpha1.OperationKind{
	InsertOne:       benchv1alpha1.OperationInsertOne,
	InsertMany:      benchv1alpha1.OperationInsertMany,
	FindOne:         benchv1alpha1.OperationFindOne,
	Find:            benchv1alpha1.OperationFind,
	UpdateOne:       benchv1alpha1.OperationUpdateOne,
	ReplaceOne:      benchv1alpha1.OperationReplaceOne,
	DeleteOne:       benchv1alpha1.OperationDeleteOne,
	ReadModifyWrite: benchv1alpha1.OperationReadModifyWrite,
	Aggregate:       benchv1alpha1.OperationAggregate,
	CountDocuments:  benchv1alpha1.OperationCountDocuments,
	RunCommand:      benchv1alpha1.OperationRunCommand,

	UpdateMany:       benchv1alpha1.OperationUpdateMany,
	DeleteMany:       benchv1alpha1.OperationDeleteMany,
	FindOneAndUpdate: benchv1alpha1.OperationFindOneAndUpdate,
	BulkWrite:        benchv1alpha1.OperationBulkWrite,
	Transaction:      benchv1alpha1.OperationTransaction,
	ChangeStream:     benchv1alpha1.OperationChangeStream,
	Tail:             benchv1alpha1.OperationTail,
}

// String is the kind's name in the run's API.
func (k Kind) String() string {
	if int(k) >= len(kindNames) {
		return fmt.Sprintf("Kind(%d)", k)
	}
	return string(kindNames[k])
}

// inBulkWrite says whether a request of this kind may be a part of a BulkWrite.
func (k Kind) inBulkWrite() bool {
	switch k {
	case InsertOne, UpdateOne, UpdateMany, ReplaceOne, DeleteOne, DeleteMany:
		return true
	default:
		return false
	}
}

// inTransaction says whether a request of this kind may be a part of a Transaction.
func (k Kind) inTransaction() bool {
	switch k {
	case RunCommand, BulkWrite, Transaction, ChangeStream, Tail:
		return false
	default:
		return true
	}
}

func parseKind(name string) (Kind, error) {
	for kind, known := range kindNames {
		if string(known) == name {
			return Kind(kind), nil
		}
	}
	return 0, fmt.Errorf("kind %q is not known", name)
}

// Request is one operation, ready to be sent. What its kind does not use is zero. All that it refers to is valid until
// the next Draw, and must not be changed: some of it is shared with other requests.
type Request struct {
	// Operation is the index in the mix.
	Operation  int
	Kind       Kind
	Collection string

	// Filter is never nil where the kind has one: {} selects everything.
	Filter     bson.Raw
	Projection bson.Raw
	Sort       bson.Raw
	// Update holds update operators, or an array of stages with UpdateIsPipeline.
	Update           bson.Raw
	UpdateIsPipeline bool
	// Pipeline is an array of stages, never nil where the kind has one; that of a ChangeStream may be empty.
	Pipeline bson.Raw
	Command  bson.Raw

	// Skip and Limit of 0 mean none, a BatchSize of 0 the server's default.
	Skip           int64
	Limit          int64
	BatchSize      int32
	FirstBatchOnly bool

	// Upsert inserts what an update does not find, and Ordered lets a BulkWrite end at its first error.
	Upsert, Ordered bool
	// MaxAwaitMillis is how long the server may wait for news in a ChangeStream or Tail.
	MaxAwaitMillis int
	// Declared is the operation in the plan, for its concerns and read preference. It is shared and read-only.
	Declared *planv1.Operation
	// Parts of a Transaction or BulkWrite, in their order. They refer to the buffers of the whole.
	Parts []Request

	// Documents are those of an insert, or the one of a ReplaceOne.
	Documents []bson.Raw

	// buffer holds what the fields above refer to, values the parameters, encoded.
	buffer     []byte
	values     []byte
	parameters []drawn
}

// drawn is a parameter's value: where it lies in the values, and for a Key the record it was taken from.
type drawn struct {
	bsonType   byte
	start, end int
	record     int64
}
