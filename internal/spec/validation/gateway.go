package validation

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// validateGateway refuses what cannot go through a gateway: what belongs to a connection, which is the gateway's, and
// what is not over with the reply to a request.
func validateGateway(found *product.Findings, normal *benchv1alpha1.BenchmarkRunSpec, path *field.Path) {
	if normal.LoadGenerator.Gateway == nil {
		return
	}
	found.Forbid(normal.Duet != nil, path.Child("duet"),
		"both sides would need a gateway of their own; leave it out, or write loadGenerator.through: Direct")
	const drawn = "a gateway draws operations from the run alone, and does not know "
	found.Forbid(normal.Dataset.Existing != nil, path.Child("dataset", "existing"), drawn+"the keys that the load finds")
	found.Forbid(len(normal.Dataset.Files) > 0, path.Child("dataset", "files"), drawn+"what is in files")
	for i := range normal.Workload.Steps {
		step, path := &normal.Workload.Steps[i], path.Child("workload", "steps").Index(i)
		found.Forbid(step.Replay != nil, path.Child("replay"), drawn+"what is in a recording")
		found.Forbid(step.Session != "", path.Child("session"),
			"requests of a thread go to the target by any session of the gateway; leave it out")
		found.Forbid(step.Connections != nil, path.Child("connections"),
			"the connections to the target are the gateway's; leave it out, and set loadGenerator.gateway.poolSize")
		for j, action := range step.Actions {
			ends := action.Type == benchv1alpha1.ActionReconnect || action.Type == benchv1alpha1.ActionPartition
			found.Refuse(ends, path.Child("actions").Index(j).Child("type"), action.Type,
				"ends connections to the target, which are the gateway's")
		}
		for j := range step.Operations {
			throughGateway(found, &step.Operations[j], *normal.LoadGenerator.Gateway.OperationsPerRequest,
				path.Child("operations").Index(j))
		}
	}
}

// throughGateway refuses what an operation cannot do in a request.
func throughGateway(
	found *product.Findings, declared *benchv1alpha1.Operation, perRequest int32, path *field.Path,
) {
	kind := declared.Kind
	found.Refuse(operation.Of(kind).Follows(), path.Child("kind"), kind,
		"stays open from one operation to the next, and a request to a gateway ends with its reply")
	found.Refuse(kind == benchv1alpha1.OperationConnect, path.Child("kind"), kind,
		"is about connections to the target, which are the gateway's")
	found.Refuse(kind == benchv1alpha1.OperationFlow, path.Child("kind"), kind,
		"goes on with the answers to its parts, and a request to a gateway names operations that are known before")
	if concern := declared.WriteConcern; concern != nil {
		found.Refuse(concern.W == "0", path.Child("writeConcern", "w"), concern.W,
			"a gateway answers when the target has, which it does not for 0")
	}
	for i, parameter := range declared.Parameters {
		drawn := ptr.Deref(parameter.Distribution, benchv1alpha1.Distribution{})
		found.Refuse(perRequest > 1 && drawn.Type == benchv1alpha1.DistributionLatest,
			path.Child("parameters").Index(i).Child("distribution", "type"), drawn.Type,
			"draws from what operations before have inserted, which is not known with several operations a request; write "+
				"loadGenerator.gateway.operationsPerRequest: 1")
	}
}
