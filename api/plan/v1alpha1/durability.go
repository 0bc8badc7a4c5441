package v1alpha1

import benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"

// ConcernOf is MongoDB's write concern that stands for a durability, nil where none does.
func ConcernOf(durability string) *WriteConcern {
	switch benchv1alpha1.Durability(durability) {
	case benchv1alpha1.DurabilityNone:
		return &WriteConcern{W: "0"}
	case benchv1alpha1.DurabilityMemory:
		return &WriteConcern{W: "1", Journal: benchv1alpha1.JournalNotRequired}
	case benchv1alpha1.DurabilitySynced:
		return &WriteConcern{W: "1", Journal: benchv1alpha1.JournalRequired}
	case benchv1alpha1.DurabilityMajority:
		return &WriteConcern{W: "majority"}
	default:
		return nil
	}
}
