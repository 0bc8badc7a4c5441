package operation

import (
	"encoding/json"
	"slices"
	"strings"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// fewPercent of the operations may come upon nothing where most are to come upon a document.
const fewPercent = 1

// Expectation is how many documents each operation is to come upon; nil when that is not known. What is not declared
// follows from the filter: an operation that is keyed looks for loaded documents, and finds most of them. What was just
// inserted is always to be found.
func Expectation(planned *planv1.Operation) *reportv1.Expectation {
	declared := planned.Expect
	switch {
	case declared == nil && keyed(planned):
		return &reportv1.Expectation{MinDocuments: 1, AllowedPercent: fewPercent}
	case declared == nil && planned.Kind == benchv1alpha1.OperationInsertThenFind:
		return &reportv1.Expectation{MinDocuments: 1}
	case declared == nil:
		return nil
	case declared.Documents != nil:
		expected := &reportv1.Expectation{MaxDocuments: declared.Documents.Max}
		if declared.Documents.Min != nil {
			expected.MinDocuments = *declared.Documents.Min
		}
		return expected
	}
	switch declared.Found {
	case benchv1alpha1.FoundAll:
		return &reportv1.Expectation{MinDocuments: 1}
	case benchv1alpha1.FoundMost:
		return &reportv1.Expectation{MinDocuments: 1, AllowedPercent: fewPercent}
	case benchv1alpha1.FoundNone:
		return &reportv1.Expectation{MaxDocuments: new(int64(0))}
	case benchv1alpha1.FoundAny:
	}
	return nil
}

// keyed says whether all that an operation looks for are values of loaded documents: every field of its filter is
// compared with a parameter of type Key. A replacement without a filter is.
func keyed(planned *planv1.Operation) bool {
	row := Of(planned.Kind)
	if !row.Takes(Expect) || row.Effect == ByPipeline || row.Effect == Inserts {
		return false
	}
	if planned.Filter == "" {
		return row.Replaces()
	}
	var filter map[string]json.RawMessage
	if json.Unmarshal([]byte(planned.Filter.Text()), &filter) != nil || len(filter) == 0 {
		return false
	}
	for field, value := range filter {
		if strings.HasPrefix(field, "$") || !comparesWithKey(value, planned.Parameters) {
			return false
		}
	}
	return true
}

// equality are the operators besides a plain value by which a loaded document finds itself.
var equality = []string{"$eq", "$gte", "$lte"}

// comparesWithKey says whether a condition on a field holds for the document that a Key was taken from.
func comparesWithKey(condition json.RawMessage, parameters []planv1.Parameter) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(condition, &fields) != nil || len(fields) != 1 {
		return false
	}
	for name, value := range fields {
		if slices.Contains(equality, name) {
			return comparesWithKey(value, parameters)
		}
		var parameter string
		if name != "$param" || json.Unmarshal(value, &parameter) != nil {
			return false
		}
		return slices.ContainsFunc(parameters, func(p planv1.Parameter) bool {
			return p.Name == parameter && p.Type == planv1.TypeKey
		})
	}
	return false
}
