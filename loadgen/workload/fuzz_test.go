package workload_test

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// fuzzed are operations of every kind, all with the same texts: alone, and as a part of another.
func fuzzed(kind benchv1alpha1.OperationKind, text, other string) planv1.Operation {
	op := planv1.Operation{
		Name: "fuzzed", Weight: 1,
		Request: planv1.Request{
			Kind: kind, Collection: "people", Filter: planv1.Document(text), Update: planv1.Document(other),
			Projection: planv1.Document(other), Pipeline: planv1.Document(text),
			ReplaceKey: "id", BatchDocuments: 2, LimitParameter: "count",
		},
		WholeSettings: planv1.WholeSettings{Command: planv1.Document(text)},
	}
	part := op.Request
	if nested := map[benchv1alpha1.OperationKind]benchv1alpha1.OperationKind{
		benchv1alpha1.OperationBulkWrite:   benchv1alpha1.OperationUpdateOne,
		benchv1alpha1.OperationTransaction: benchv1alpha1.OperationFindOneAndUpdate,
	}[kind]; nested != "" {
		part.Kind = nested
	}
	op.Operations = []planv1.Request{part}
	op.Parameters = []planv1.Parameter{
		person, name, field, count,
		{Name: "sum", Value: planv1.Value{Type: benchv1alpha1.GeneratorInt, Max: 7}, PlusParameter: "count"},
		{Name: "also", Value: planv1.Value{Type: planv1.TypeKey, KeyField: "address"}, SameRecordAs: "id"},
	}
	return op
}

// FuzzCompile compiles operations with whatever texts, and draws from those that are accepted: what is drawn is BSON.
func FuzzCompile(f *testing.F) {
	kinds := []benchv1alpha1.OperationKind{""}
	for kind := range operation.Kinds() {
		kinds = append(kinds, kind.Row().Name)
	}
	texts := [][2]string{
		{byID, `{"$set": {"$param:field": {"$param": "name"}}}`},
		{`[{"$match": {"$param:name": {"$gte": {"$param": "count"}, "$lt": {"$param": "sum"}}}}]`, `{"$param:field": 1}`},
		{`{"a": {"$param": "also"}}`, `[{"$set": {"$param:field": [{"$param": "id"}]}}]`},
		{`{"$param:id": 1}`, `{"$param:": {"$param": ""}}`},
		{`{"a": {"$numberDecimal": "1"}, "b": {"$binary": {"base64": "", "subType": "04"}}}`, `{"": {"": null}}`},
		{`{"a`, `[[[[[]]]]]`},
	}
	for i, kind := range kinds {
		f.Add(uint8(i), texts[i%len(texts)][0], texts[i%len(texts)][1])
		f.Add(uint8(i), texts[(i+1)%len(texts)][0], string(kind))
	}
	d, err := workload.NewDataset(plan())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, kind uint8, text, other string) {
		m, err := workload.Compile(d.With(single(fuzzed(kinds[int(kind)%len(kinds)], text, other)).Steps), 0)
		if err != nil {
			return
		}
		var r workload.Request
		for number := range int64(4) {
			m.Draw(number, &r)
			requireBSON(t, &r)
			for i := range r.Parts {
				requireBSON(t, &r.Parts[i])
			}
		}
	})
}

// requireBSON checks every document of a request.
func requireBSON(tb testing.TB, r *workload.Request) {
	tb.Helper()
	all := append([]bson.Raw{r.Filter, r.Projection, r.Sort, r.Update, r.Pipeline, r.Command}, r.Documents...)
	for _, raw := range all {
		if raw == nil {
			continue
		}
		if err := raw.Validate(); err != nil {
			tb.Fatalf("%s has %x: %v", r.Kind, []byte(raw), err)
		}
	}
}
