package spec

import (
	"k8s.io/utils/ptr"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
)

// declareDurability writes down what the target is declared with. Of a MongoDB it is the client that asks for it, with
// each write; of any other database it is a setting of the server, which the load generator reads back.
func declareDurability(plan *planv1.Plan, target benchv1alpha1.BenchmarkTargetSpec) {
	declared := ptr.Deref(NormaliseTarget(target).Durability, "")
	plan.Durability = string(declared)
	if declared == "" || !catalogue.Of(target).Traits().Concerns {
		return
	}
	for i := range plan.Steps {
		step := &plan.Steps[i]
		if step.Kind == planv1.StepLoad {
			step.WriteConcern = loadConcern(declared)
		}
		for k := range step.Operations {
			planned := &step.Operations[k]
			if planned.WriteConcern == nil && takes(planned, declared) {
				planned.WriteConcern = planv1.ConcernOf(plan.Durability)
			}
		}
	}
}

// loadConcern is that of a loading, which is always acknowledged: the measurement rests on it.
func loadConcern(declared benchv1alpha1.Durability) *planv1.WriteConcern {
	if declared == benchv1alpha1.DurabilityNone {
		return planv1.ConcernOf(string(benchv1alpha1.DurabilityMemory))
	}
	return planv1.ConcernOf(string(declared))
}

// takes says whether an operation can have the write concern of a durability: what returns a document, or commits, is
// always acknowledged.
func takes(planned *planv1.Operation, declared benchv1alpha1.Durability) bool {
	row := operation.Of(planned.Kind)
	return row.Takes(operation.WriteConcern) && (!row.Acknowledged || declared != benchv1alpha1.DurabilityNone)
}
