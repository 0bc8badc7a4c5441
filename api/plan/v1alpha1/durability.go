package v1alpha1

import (
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// ConcernOf is MongoDB's write concern that stands for a durability, nil where none does.
func ConcernOf(durability string) *WriteConcern {
	switch benchv1alpha1.Durability(durability) {
	case benchv1alpha1.DurabilityNone:
		return &WriteConcern{W: "0"}
	case benchv1alpha1.DurabilityMemory:
		return &WriteConcern{W: "1", Journal: new(false)}
	case benchv1alpha1.DurabilitySynced:
		return &WriteConcern{W: "1", Journal: new(true)}
	case benchv1alpha1.DurabilityMajority:
		return &WriteConcern{W: "majority"}
	default:
		return nil
	}
}

// TakesWriteConcern says whether the operation is a write that can be acknowledged.
func (o Operation) TakesWriteConcern() bool {
	switch benchv1alpha1.OperationKind(o.Kind) {
	case benchv1alpha1.OperationInsertOne, benchv1alpha1.OperationInsertMany, benchv1alpha1.OperationUpdateOne,
		benchv1alpha1.OperationUpdateMany, benchv1alpha1.OperationReplaceOne, benchv1alpha1.OperationDeleteOne,
		benchv1alpha1.OperationDeleteMany, benchv1alpha1.OperationReadModifyWrite, benchv1alpha1.OperationBulkWrite,
		benchv1alpha1.OperationFindOneAndUpdate, benchv1alpha1.OperationTransaction:
		return true
	default:
		return false
	}
}

// Equal says whether two write concerns ask for the same.
func (c WriteConcern) Equal(other WriteConcern) bool {
	return c.W == other.W && c.TimeoutMillis == other.TimeoutMillis && ptr.Equal(c.Journal, other.Journal)
}
