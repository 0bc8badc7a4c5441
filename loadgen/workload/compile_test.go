package workload_test

import (
	"strings"
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

func TestWrongOperationsAreRefusedWithTheirPlace(t *testing.T) {
	find := func(change func(*planv1.Operation)) planv1.Operation {
		op := planv1.Operation{Parameters: []planv1.Parameter{person}, Request: planv1.Request{Kind: "Find", Filter: `{}`}}
		change(&op)
		return op
	}
	key := func(change func(*planv1.Parameter)) planv1.Operation {
		p := person
		change(&p)
		return planv1.Operation{Parameters: []planv1.Parameter{p}, Request: planv1.Request{Kind: "Find", Filter: `{}`}}
	}
	tests := map[string]struct {
		op   planv1.Operation
		want string
	}{
		"an unknown kind": {planv1.Operation{Request: planv1.Request{Kind: "Upsert"}}, `kind "Upsert"`},
		"an unknown collection": {planv1.Operation{
			Request: planv1.Request{Kind: "InsertOne", Collection: "x"},
		}, `collection "x"`},
		"a negative weight": {planv1.Operation{Weight: -1, Request: planv1.Request{Kind: "InsertOne"}}, "weight"},
		"no documents":      {planv1.Operation{Request: planv1.Request{Kind: "InsertMany"}}, "batchDocuments"},
		"no filter":         {planv1.Operation{Request: planv1.Request{Kind: "DeleteOne"}}, "filter is required"},
		"no update": {planv1.Operation{
			Request: planv1.Request{Kind: "UpdateOne", Filter: `{}`},
		}, "update is required"},
		"no pipeline": {planv1.Operation{Request: planv1.Request{Kind: "Aggregate"}}, "pipeline is required"},
		"no command":  {planv1.Operation{Request: planv1.Request{Kind: "RunCommand"}}, "command is required"},
		"no replaceKey": {planv1.Operation{
			Request: planv1.Request{Kind: "ReplaceOne", Filter: `{}`},
		}, "replaceKey"},
		"a wrong filter":     {find(func(op *planv1.Operation) { op.Filter = `{"a":` }), "filter: reading JSON at byte 5"},
		"a wrong projection": {find(func(op *planv1.Operation) { op.Projection = `[]` }), "projection: "},
		"an unknown parameter": {
			find(func(op *planv1.Operation) { op.Filter = `{"a": {"$param": "q"}}` }),
			`filter: at a: parameter "q" is not declared`,
		},
		"a wrong order": {
			find(func(op *planv1.Operation) { op.Sort = []benchv1alpha1.SortKey{{Field: "a", Direction: "Hashed"}} }), "sort: ",
		},
		"an order without a field": {
			find(func(op *planv1.Operation) { op.Sort = []benchv1alpha1.SortKey{{Direction: "Ascending"}} }), "sort: ",
		},
		"a key of an unknown field": {
			key(func(p *planv1.Parameter) { p.KeyField = "x" }), `parameter "id": collection "people" has no field "x"`,
		},
		"a key of no range": {key(func(p *planv1.Parameter) { p.KeyRangePercent = 0 }), `parameter "id": `},
		"a key drawn in a way that is not known": {
			key(func(p *planv1.Parameter) { p.Distribution.Type = "Newest" }), `parameter "id": `,
		},
		"a parameter of no type": {key(func(p *planv1.Parameter) { p.Type = "" }), `parameter "id": `},
		"a key of an empty collection": {
			find(func(op *planv1.Operation) { op.Collection = "empty" }), "no documents to draw from",
		},
		"code with a scope in a filter": {
			find(func(op *planv1.Operation) { op.Filter = `{"$where": {"$code": "x", "$scope": {}}}` }), "filter: at $where",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d, err := workload.NewDataset(single(tc.op))
			if err != nil {
				t.Fatal(err)
			}
			_, err = workload.Compile(d, 0)
			const place = `step "single": operation "only": `
			if err == nil || !strings.HasPrefix(err.Error(), place) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error is %v, wanted one with %q", err, tc.want)
			}
		})
	}
}

func TestOnlyMeasurementsHaveAMix(t *testing.T) {
	d, err := workload.NewDataset(plan())
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []int{-1, 0, 3} {
		if _, err := workload.Compile(d, step); err == nil {
			t.Errorf("step %d has a mix", step)
		}
	}
	empty := single(planv1.Operation{})
	empty.Steps[0].Operations = nil
	if d, err = workload.NewDataset(empty); err != nil {
		t.Fatal(err)
	}
	if _, err := workload.Compile(d, 0); err == nil {
		t.Error("a step without operations has a mix")
	}
}

func TestADatasetNamesTheCollectionThatIsWrong(t *testing.T) {
	p := plan()
	p.Collections[0].Fields[0].Type = "Text"
	_, err := workload.NewDataset(p)
	if err == nil || !strings.Contains(err.Error(), `collection "people": field "name"`) {
		t.Errorf("error is %v", err)
	}
	d, _ := compile(t, plan(), 1)
	if d.Generator("people").Name() != "people" || d.Generator("missing") != nil {
		t.Error("generators are not found by the names of their collections")
	}
}
