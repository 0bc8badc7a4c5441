package crud

import (
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// HintOf is the index that a request is to use, nil for none.
func HintOf(r *workload.Request) any {
	if r.Options == nil || r.Options.Hint.Type == 0 {
		return nil
	}
	return r.Options.Hint
}

// CommentOf is the comment of a request, nil for none.
func CommentOf(r *workload.Request) any {
	if r.Options == nil || r.Options.Comment == "" {
		return nil
	}
	return r.Options.Comment
}

// LetOf are the variables of a request, nil for none.
func LetOf(r *workload.Request) any {
	return documentOf(r.Let)
}

// SortOf is the sort order of a request, nil for none.
func SortOf(r *workload.Request) any {
	return documentOf(r.Sort)
}

func documentOf(document bson.Raw) any {
	if len(document) == 0 {
		return nil
	}
	return document
}

// ArrayFiltersOf are the filters of array elements of a request, nil for none.
func ArrayFiltersOf(r *workload.Request) []any {
	if len(r.ArrayFilters) == 0 {
		return nil
	}
	values, err := bson.RawArray(r.ArrayFilters).Values()
	if err != nil {
		return nil // The workload has made it.
	}
	filters := make([]any, 0, len(values))
	for _, value := range values {
		filters = append(filters, value.Document())
	}
	return filters
}

// CollationOf is the collation of a request, nil for none.
func CollationOf(r *workload.Request) *options.Collation {
	if r.Options == nil || r.Options.Collation == nil || r.Declared == nil || r.Declared.Collation == nil {
		return nil
	}
	declared := r.Declared.Collation
	collation := &options.Collation{Locale: declared.Locale}
	if declared.Strength != nil {
		collation.Strength = int(*declared.Strength)
	}
	if declared.CaseLevel != nil {
		collation.CaseLevel = *declared.CaseLevel == benchv1alpha1.Enabled
	}
	if declared.CaseFirst != nil {
		collation.CaseFirst = r.Options.Collation.Lookup("caseFirst").StringValue()
	}
	if declared.NumericOrdering != nil {
		collation.NumericOrdering = *declared.NumericOrdering == benchv1alpha1.Enabled
	}
	return collation
}
