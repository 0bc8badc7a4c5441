package spec

import (
	"strings"

	"k8s.io/utils/ptr"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// CompileOperation makes the plan's form of one operation of a normalised specification.
func CompileOperation(declared benchv1alpha1.Operation) planv1.Operation {
	operation := compileRequest(declared.Request)
	operation.Name = declared.Name
	operation.Weight = int(*declared.Weight)
	operation.Command = ptr.Deref(declared.Command, "")
	operation.Ordered = ptr.Deref(declared.Order, "") == benchv1alpha1.WriteOrdered
	operation.MaxAwaitMillis = int(ptr.Deref(declared.MaxAwaitMillis, 0))
	operation.ReadConcern = serverSpelling(string(ptr.Deref(declared.ReadConcern, "")))
	operation.ReadPreference = serverSpelling(string(ptr.Deref(declared.ReadPreference, "")))
	operation.WriteConcern = compileWriteConcern(declared.WriteConcern)
	for i := range declared.Parameters {
		operation.Parameters = append(operation.Parameters, compileParameter(&declared.Parameters[i], declared.Name))
	}
	for _, nested := range declared.Operations {
		operation.Operations = append(operation.Operations, compileRequest(nested.Request))
	}
	return operation
}

// compileRequest compiles what a whole operation and a nested one have in common.
func compileRequest(declared benchv1alpha1.Request) planv1.Operation {
	fetch := ptr.Deref(declared.Fetch, "")
	operation := planv1.Operation{
		Kind:           string(declared.Kind),
		Collection:     *declared.Collection,
		Filter:         ptr.Deref(declared.Filter, ""),
		Field:          ptr.Deref(declared.Field, ""),
		Projection:     ptr.Deref(declared.Projection, ""),
		Skip:           ptr.Deref(declared.Skip, 0),
		Limit:          ptr.Deref(declared.Limit, 0),
		LimitParameter: ptr.Deref(declared.LimitParameter, ""),
		BatchSize:      ptr.Deref(declared.BatchSize, 0),
		FirstBatchOnly: fetch == benchv1alpha1.FetchFirstBatch || fetch == benchv1alpha1.FetchFirstDocument,
		Update:         ptr.Deref(declared.Update, ""),
		Upsert:         ptr.Deref(declared.WhenMissing, "") == benchv1alpha1.MissingInsert,
		ReplaceKey:     ptr.Deref(declared.ReplaceKey, ""),
		BatchDocuments: int(ptr.Deref(declared.BatchDocuments, 0)),
		Pipeline:       ptr.Deref(declared.Pipeline, ""),
	}
	if fetch == benchv1alpha1.FetchFirstDocument {
		operation.BatchSize = 1
	}
	for _, key := range declared.Sort {
		operation.Sort = append(operation.Sort, planv1.IndexKey{Field: key.Field, Order: order(string(*key.Direction))})
	}
	return operation
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
