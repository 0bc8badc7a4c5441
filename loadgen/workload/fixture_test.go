package workload_test

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// loaded is the number of documents of the collection "people".
const loaded = 1000

// person is the parameter that most operations use: the _id of a loaded document.
var person = planv1.Parameter{Name: "id", Value: planv1.Value{
	Type: planv1.TypeKey, Seed: 1, KeyField: "_id", KeyRangePercent: 100,
}}

// plan has every kind of operation, one each.
func plan() planv1.Plan {
	name := planv1.Parameter{Name: "name", Value: planv1.Value{
		Type: benchv1alpha1.GeneratorString, Seed: 2, Min: 1,
		Max: 40,
	}}
	age := planv1.Parameter{Name: "age", Value: planv1.Value{Type: benchv1alpha1.GeneratorInt, Seed: 3, Min: 0, Max: 99}}
	operations := []planv1.Operation{
		{Name: "insert", Weight: 2, Request: planv1.Request{Kind: "InsertOne"}},
		{Name: "insert-many", Weight: 1, Request: planv1.Request{Kind: "InsertMany", BatchDocuments: 7}},
		{
			Name: "find-one", Weight: 5,
			Request: planv1.Request{Kind: "FindOne", Filter: `{"_id": {"$param": "id"}}`, Projection: `{"name": 1}`},
		},
		{
			Name: "find", Weight: 3,
			Request: planv1.Request{
				Kind: "Find", Filter: `{"age": {"$gte": {"$param": "age"}}, "x": [{"$param": "name"}]}`,
				Sort: []benchv1alpha1.SortKey{{Field: "age", Direction: "Descending"}, {Field: "_id", Direction: "Ascending"}},
				Skip: 3, Limit: 50, BatchSize: 10, Fetch: benchv1alpha1.FetchFirstBatch,
			},
		},
		{
			Name: "update", Weight: 4,
			Request: planv1.Request{
				Kind: "UpdateOne", Filter: `{"_id": {"$param": "id"}}`,
				Update: `{"$set": {"name": {"$param": "name"}, "by": "load"}, "$inc": {"age": 1}}`,
			},
		},
		{
			Name: "update-pipeline", Weight: 1,
			Request: planv1.Request{
				Kind: "UpdateOne", Filter: `{"_id": {"$param": "id"}}`,
				Update: `[{"$set": {"name": {"$param": "name"}}}, {"$unset": "old"}]`,
			},
		},
		{
			Name: "replace", Weight: 1,
			Request: planv1.Request{Kind: "ReplaceOne", Filter: `{"_id": {"$param": "id"}}`, ReplaceKey: "id"},
		},
		{Name: "delete", Weight: 1, Request: planv1.Request{Kind: "DeleteOne", Filter: `{"_id": {"$param": "id"}}`}},
		{
			Name: "read-modify-write", Weight: 1,
			Request: planv1.Request{
				Kind: "ReadModifyWrite", Filter: `{"_id": {"$param": "id"}}`,
				Update: `{"$set": {"name": {"$param": "name"}}}`,
			},
		},
		{
			Name: "aggregate", Weight: 1,
			Request: planv1.Request{
				Kind: "Aggregate", Pipeline: `[{"$match": {"age": {"$param": "age"}}}, {"$count": "n"}]`,
			},
		},
		{Name: "count", Weight: 1, Request: planv1.Request{Kind: "CountDocuments", Filter: `{}`, Limit: 5}},
		{
			Name: "command", Weight: 1, Request: planv1.Request{Kind: "RunCommand"},
			WholeSettings: planv1.WholeSettings{Command: `{"ping": 1, "comment": {"$param": "name"}}`},
		},
	}
	for i := range operations {
		operations[i].Collection = "people"
		operations[i].Parameters = []planv1.Parameter{person, name, age}
	}
	return planv1.Plan{
		Seed: 5,
		Collections: []planv1.Collection{{Name: "people", DocumentCount: loaded, Fields: []planv1.Field{
			{Name: "name", Value: planv1.Value{Type: benchv1alpha1.GeneratorString, Seed: 4, Min: 5, Max: 20}},
			{Name: "age", Value: planv1.Value{Type: benchv1alpha1.GeneratorInt, Seed: 5, Max: 99}},
			{Name: "address.zip", Value: planv1.Value{Type: benchv1alpha1.GeneratorSequence, Start: 10, Step: 1}},
		}}, {Name: "empty"}},
		Steps: []planv1.Step{
			{Name: "load", Kind: planv1.StepLoad},
			{Name: "first", Kind: planv1.StepMeasure, Operations: operations},
			{Name: "second", Kind: planv1.StepMeasure, Operations: operations},
		},
	}
}

// single is the plan with one step of one operation.
func single(op planv1.Operation) planv1.Plan {
	p := plan()
	if op.Weight == 0 {
		op.Weight = 1
	}
	if op.Collection == "" {
		op.Collection = "people"
	}
	if op.Name == "" {
		op.Name = "only"
	}
	p.Steps = []planv1.Step{{Name: "single", Kind: planv1.StepMeasure, Operations: []planv1.Operation{op}}}
	if op.Kind == benchv1alpha1.OperationFlow {
		part := planv1.Operation{Name: "part", Request: planv1.Request{Kind: "FindOne", Collection: op.Collection}}
		part.PartOf = op.Name
		p.Steps[0].Operations = append(p.Steps[0].Operations, part)
	}
	return p
}

func compile(tb testing.TB, p planv1.Plan, step int) (*workload.Dataset, *workload.Mix) {
	tb.Helper()
	d, err := workload.NewDataset(p)
	if err != nil {
		tb.Fatal(err)
	}
	m, err := workload.Compile(d, step)
	if err != nil {
		tb.Fatal(err)
	}
	return d, m
}

// decode reads a document, or an array as a document.
func decode(tb testing.TB, raw bson.Raw) bson.D {
	tb.Helper()
	if err := raw.Validate(); err != nil {
		tb.Fatalf("%x: %v", []byte(raw), err)
	}
	doc := bson.D{}
	if err := bson.Unmarshal(raw, &doc); err != nil {
		tb.Fatal(err)
	}
	return doc
}
