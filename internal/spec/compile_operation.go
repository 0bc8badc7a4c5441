package spec

import (
	"fmt"
	"strings"

	"k8s.io/utils/ptr"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// CompileOperation makes the plan's form of one operation. The collection is the one of an operation that names none.
func CompileOperation(declared benchv1alpha1.Operation, collection string) planv1.Operation {
	firstKey := firstKey(declared.Parameters)
	operation := compileRequest(declared.Request, collection, firstKey)
	operation.Name = declared.Name
	operation.Weight = int(ptr.Deref(declared.Weight, 1))
	operation.Command = ptr.Deref(declared.Command, "")
	operation.ReadConcern = serverSpelling(string(ptr.Deref(declared.ReadConcern, "")))
	operation.ReadPreference = serverSpelling(string(ptr.Deref(declared.ReadPreference, "")))
	operation.WriteConcern = compileWriteConcern(declared.WriteConcern)
	for _, parameter := range declared.Parameters {
		operation.Parameters = append(operation.Parameters, compileParameter(parameter, declared.Name))
	}
	for _, nested := range declared.Operations {
		operation.Operations = append(operation.Operations,
			compileRequest(nested.Request, operation.Collection, firstKey))
	}
	switch declared.Kind {
	case benchv1alpha1.OperationBulkWrite:
		operation.Ordered = ptr.Deref(declared.Order, benchv1alpha1.WriteOrdered) == benchv1alpha1.WriteOrdered
	case benchv1alpha1.OperationChangeStream, benchv1alpha1.OperationTail:
		operation.MaxAwaitMillis = int(ptr.Deref(declared.MaxAwaitMillis, benchv1alpha1.DefaultMaxAwaitMillis))
	default:
	}
	return operation
}

// compileRequest compiles what a whole operation and a nested one have in common.
func compileRequest(declared benchv1alpha1.Request, collection, firstKey string) planv1.Operation {
	operation := planv1.Operation{
		Kind:           string(declared.Kind),
		Collection:     ptr.Deref(declared.Collection, collection),
		Filter:         ptr.Deref(declared.Filter, ""),
		Projection:     ptr.Deref(declared.Projection, ""),
		Skip:           ptr.Deref(declared.Skip, 0),
		Limit:          ptr.Deref(declared.Limit, 0),
		LimitParameter: ptr.Deref(declared.LimitParameter, ""),
		BatchSize:      ptr.Deref(declared.BatchSize, 0),
		FirstBatchOnly: ptr.Deref(declared.Fetch, benchv1alpha1.FetchAll) != benchv1alpha1.FetchAll,
		Update:         ptr.Deref(declared.Update, ""),
		Upsert:         ptr.Deref(declared.WhenMissing, benchv1alpha1.MissingNothing) == benchv1alpha1.MissingInsert,
		Pipeline:       ptr.Deref(declared.Pipeline, ""),
	}
	if ptr.Deref(declared.Fetch, benchv1alpha1.FetchAll) == benchv1alpha1.FetchFirstDocument {
		operation.BatchSize = 1
	}
	for _, key := range declared.Sort {
		direction := ptr.Deref(key.Direction, benchv1alpha1.SortAscending)
		operation.Sort = append(operation.Sort, planv1.IndexKey{Field: key.Field, Order: order(string(direction))})
	}
	fillByKind(&operation, declared, firstKey)
	return operation
}

// fillByKind fills in the defaults that only one kind of operation, or a few, have.
func fillByKind(operation *planv1.Operation, declared benchv1alpha1.Request, firstKey string) {
	switch declared.Kind {
	case benchv1alpha1.OperationInsertMany:
		operation.BatchDocuments = int(ptr.Deref(declared.BatchDocuments, benchv1alpha1.DefaultBatchDocuments))
	case benchv1alpha1.OperationReplaceOne:
		operation.ReplaceKey = ptr.Deref(declared.ReplaceKey, firstKey)
		if operation.Filter == "" {
			operation.Filter = fmt.Sprintf(`{"%s": {"$param": %q}}`, idField, operation.ReplaceKey)
		}
	case benchv1alpha1.OperationFindOne, benchv1alpha1.OperationFind, benchv1alpha1.OperationCountDocuments,
		benchv1alpha1.OperationTail:
		if operation.Filter == "" {
			operation.Filter = "{}"
		}
	case benchv1alpha1.OperationChangeStream:
		if operation.Pipeline == "" {
			operation.Pipeline = "[]"
		}
	default:
	}
}

func firstKey(parameters []benchv1alpha1.Parameter) string {
	for _, parameter := range parameters {
		if parameter.Type == benchv1alpha1.ParameterKey {
			return parameter.Name
		}
	}
	return ""
}

// serverSpelling turns a name of the API, such as SecondaryPreferred, into MongoDB's own, secondaryPreferred.
func serverSpelling(name string) string {
	if name == "" {
		return ""
	}
	return strings.ToLower(name[:1]) + name[1:]
}

func compileWriteConcern(declared *benchv1alpha1.WriteConcern) *planv1.WriteConcern {
	if declared == nil {
		return nil
	}
	concern := &planv1.WriteConcern{W: declared.W, TimeoutMillis: int64(ptr.Deref(declared.TimeoutMillis, 0))}
	if declared.Journal != nil {
		required := *declared.Journal == benchv1alpha1.JournalRequired
		concern.Journal = &required
	}
	return concern
}
