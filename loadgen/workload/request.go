package workload

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
)

// Request is one operation, ready to be sent. What its kind does not use is zero. All that it refers to is valid until
// the next Draw, and must not be changed: some of it is shared with other requests.
type Request struct {
	// Operation is the index in the mix.
	Operation  int
	Kind       operation.Kind
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
