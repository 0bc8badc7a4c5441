package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/document"
	"github.com/mongobench/mongobench-operator/internal/operation"
)

// needsCollection says whether an operation is about a collection: a command and a connection are not, unless they draw
// from one.
func needsCollection(declared *benchv1alpha1.Operation) bool {
	return declared.Kind != benchv1alpha1.OperationRunCommand && declared.Kind != benchv1alpha1.OperationConnect &&
		!operation.IsFlow(declared) ||
		strings.Contains(declared.Command.Text(), document.KeyField) ||
		slices.ContainsFunc(declared.Parameters, func(p benchv1alpha1.Parameter) bool {
			return p.Type == benchv1alpha1.ParameterKey
		})
}

func normaliseOperation(declared *benchv1alpha1.Operation, collection string) {
	if declared.PartOf == "" {
		declared.Weight = cmp.Or(declared.Weight, 1)
	}
	normaliseFlow(declared)
	expandKeys(declared)
	for i := range declared.Parameters {
		parameter(&declared.Parameters[i])
	}
	request(&declared.Request, collection, declared.Parameters)
	for i := range declared.Operations {
		request(&declared.Operations[i], declared.Collection, declared.Parameters)
	}
	row := operation.Of(declared.Kind)
	if row.Takes(operation.Order) {
		declared.Order = cmp.Or(declared.Order, benchv1alpha1.WriteOrdered)
	}
	if recall := declared.Recall; recall != nil {
		recall.Requests = cmp.Or(recall.Requests, benchv1alpha1.DefaultRecallRequests)
	}
	if row.Takes(operation.ConnectUntil) {
		declared.ConnectUntil = cmp.Or(declared.ConnectUntil, benchv1alpha1.ConnectReady)
	}
	if row.Takes(operation.MaxAwaitMillis) {
		declared.MaxAwaitMillis = cmp.Or(declared.MaxAwaitMillis, benchv1alpha1.DefaultMaxAwaitMillis)
	}
}

// request fills in what a whole operation and a nested one have in common.
func request(request *benchv1alpha1.Request, collection string, parameters []benchv1alpha1.Parameter) {
	request.Collection = cmp.Or(request.Collection, collection)
	for i := range request.Sort {
		request.Sort[i].Direction = cmp.Or(request.Sort[i].Direction, benchv1alpha1.SortAscending)
	}
	row := operation.Of(request.Kind)
	if row.Takes(operation.WhenMissing) {
		request.WhenMissing = cmp.Or(request.WhenMissing, benchv1alpha1.MissingNothing)
	}
	if row.Takes(operation.BatchDocuments) {
		request.BatchDocuments = cmp.Or(request.BatchDocuments, benchv1alpha1.DefaultBatchDocuments)
	}
	if row.Takes(operation.Fetch) {
		request.Fetch = cmp.Or(request.Fetch, benchv1alpha1.FetchAll)
	}
	switch {
	case row.Replaces():
		replacement(request, parameters)
	case row.Takes(operation.Filter) && row.Effect == operation.Reads:
		request.Filter = cmp.Or(request.Filter, "{}")
	case row.Takes(operation.Pipeline) && row.Effect == operation.Reads:
		request.Pipeline = cmp.Or(request.Pipeline, "[]")
	}
}

// replacement selects the document of a replacement by its _id, where a parameter has that.
func replacement(request *benchv1alpha1.Request, parameters []benchv1alpha1.Parameter) {
	for _, parameter := range parameters {
		if parameter.Type != benchv1alpha1.ParameterKey {
			continue
		}
		request.ReplaceKey = cmp.Or(request.ReplaceKey, parameter.Name)
		if parameter.Name == request.ReplaceKey && *parameter.Key.Field == idField {
			byID := benchv1alpha1.Document(fmt.Sprintf(`{"%s":{"$param":%q}}`, idField, parameter.Name))
			request.Filter = cmp.Or(request.Filter, byID)
		}
	}
}
