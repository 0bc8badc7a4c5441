package operation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
)

func TestWhatAnOperationIsToComeUpon(t *testing.T) {
	parameters := []planv1.Parameter{
		{Name: "key", Value: planv1.Value{Type: planv1.TypeKey}},
		{Name: "n", Value: planv1.Value{Type: benchv1alpha1.GeneratorInt}},
	}
	most := &reportv1.Expectation{MinDocuments: 1, AllowedPercent: 1}
	for name, tc := range map[string]struct {
		kind   benchv1alpha1.OperationKind
		filter string
		expect *benchv1alpha1.Expectation
		want   *reportv1.Expectation
	}{
		"a read by key":                  {"FindOne", `{"_id": {"$param": "key"}}`, nil, most},
		"a scan from a key on":           {"Find", `{"_id": {"$gte": {"$param": "key"}}}`, nil, most},
		"a read of what is above a key":  {"Find", `{"_id": {"$gt": {"$param": "key"}}}`, nil, nil},
		"a read by a number":             {"FindOne", `{"age": {"$param": "n"}}`, nil, nil},
		"a read by a key and a number":   {"FindOne", `{"_id": {"$param": "key"}, "age": {"$param": "n"}}`, nil, nil},
		"a read of one of several":       {"FindOne", `{"$or": [{"_id": {"$param": "key"}}]}`, nil, nil},
		"a read of everything":           {"Find", "", nil, nil},
		"a replacement without a filter": {"ReplaceOne", "", nil, most},
		"an insert":                      {"InsertOne", "", nil, nil},
		"an insert that is read":         {"InsertThenFind", "", nil, &reportv1.Expectation{MinDocuments: 1}},
		"a read that may find nothing": {
			"FindOne", `{"_id": {"$param": "key"}}`, &benchv1alpha1.Expectation{Found: benchv1alpha1.FoundAny}, nil,
		},
		"a read that is to find nothing": {
			"FindOne", `{"x": 1}`, &benchv1alpha1.Expectation{Found: benchv1alpha1.FoundNone},
			&reportv1.Expectation{MaxDocuments: new(int64(0))},
		},
		"a read that always finds": {
			"Find", `{"x": 1}`, &benchv1alpha1.Expectation{Found: benchv1alpha1.FoundAll},
			&reportv1.Expectation{MinDocuments: 1},
		},
		"a read of two or three": {
			"Find", `{"x": 1}`, &benchv1alpha1.Expectation{
				Documents: &benchv1alpha1.DocumentBounds{Min: new(int64(2)), Max: new(int64(3))},
			}, &reportv1.Expectation{MinDocuments: 2, MaxDocuments: new(int64(3))},
		},
	} {
		t.Run(name, func(t *testing.T) {
			planned := planv1.Operation{Parameters: parameters}
			planned.Kind, planned.Filter, planned.Expect = tc.kind, planv1.Document(tc.filter), tc.expect
			got := operation.Expectation(&planned)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("expected (-want +got):\n%s", diff)
			}
			for documents := range int64(5) {
				kept := documents >= 2 && documents <= 3
				if name == "a read of two or three" && got.Kept(documents) != kept {
					t.Errorf("%d documents: as expected is %t", documents, !kept)
				}
			}
		})
	}
}
