package v1alpha1

import (
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// declareDurability writes down what the target is declared with. Of a MongoDB it is the client that asks for it, with
// each write; of any other database it is a setting of the server, which the load generator reads back.
func declareDurability(plan *Plan, target benchv1alpha1.BenchmarkTargetSpec) {
	declared := benchv1alpha1.DeclaredDurability(target)
	plan.Durability = string(declared)
	if declared == "" || benchv1alpha1.IsMariaDB(target) {
		return
	}
	for i := range plan.Steps {
		step := &plan.Steps[i]
		if step.Kind == StepLoad {
			step.WriteConcern = loadConcern(declared)
		}
		for k := range step.Operations {
			operation := &step.Operations[k]
			if operation.WriteConcern == nil && operation.takes(declared) {
				operation.WriteConcern = ConcernOf(plan.Durability)
			}
		}
	}
}

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

// loadConcern is that of a loading, which is always acknowledged: the measurement rests on it.
func loadConcern(declared benchv1alpha1.Durability) *WriteConcern {
	if declared == benchv1alpha1.DurabilityNone {
		return ConcernOf(string(benchv1alpha1.DurabilityMemory))
	}
	return ConcernOf(string(declared))
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

// takes says whether the operation can have the write concern of a durability: what returns a document, or commits, is
// always acknowledged.
func (o Operation) takes(declared benchv1alpha1.Durability) bool {
	kind := benchv1alpha1.OperationKind(o.Kind)
	acknowledged := kind == benchv1alpha1.OperationFindOneAndUpdate || kind == benchv1alpha1.OperationTransaction
	return o.TakesWriteConcern() && (!acknowledged || declared != benchv1alpha1.DurabilityNone)
}

// Equal says whether two write concerns ask for the same.
func (c WriteConcern) Equal(other WriteConcern) bool {
	return c.W == other.W && c.TimeoutMillis == other.TimeoutMillis && ptr.Equal(c.Journal, other.Journal)
}
