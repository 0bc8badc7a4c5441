package workload_test

import (
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

const byID = `{"_id": {"$param": "id"}}`

// name and other are fresh texts.
var (
	name = planv1.Parameter{Name: "name", Value: planv1.Value{
		Type: benchv1alpha1.GeneratorString, Seed: 2, Min: 1,
		Max: 40,
	}}
	field = planv1.Parameter{Name: "field", Value: planv1.Value{
		Type: benchv1alpha1.GeneratorChoice, Seed: 3,
		Choices: []planv1.Choice{
			{Value: `"field0"`, Weight: new(int32(1))},
			{Value: `"field1"`, Weight: new(int32(1))},
			{Value: `"a.longer.field"`, Weight: new(int32(2))},
		},
	}}
	count = planv1.Parameter{Name: "count", Value: planv1.Value{Type: benchv1alpha1.GeneratorInt, Seed: 4, Min: 1, Max: 5}}
)

// bulk has every part that a BulkWrite may have, and transaction those that it may have besides.
var (
	bulk = planv1.Operation{
		Name: "bulk", Weight: 1, Parameters: []planv1.Parameter{person, name},
		Request: planv1.Request{Kind: "BulkWrite", Collection: "people"},
		WholeSettings: planv1.WholeSettings{
			Order: benchv1alpha1.WriteOrdered,
			Operations: []planv1.Request{
				{Kind: "InsertOne"},
				{Kind: "UpdateOne", Filter: byID, Update: `{"$set": {"name": {"$param": "name"}}}`, WhenMissing: "Insert"},
				{Kind: "UpdateMany", Filter: `{"age": 5}`, Update: `[{"$set": {"name": {"$param": "name"}}}]`},
				{Kind: "ReplaceOne", Filter: byID, ReplaceKey: "id"},
				{Kind: "DeleteOne", Filter: byID},
				{Kind: "DeleteMany", Filter: `{"name": {"$param": "name"}}`},
				{Kind: "InsertOne"},
			},
		},
	}
	transaction = planv1.Operation{
		Name: "transaction", Weight: 1, Parameters: []planv1.Parameter{person, name, field, count},
		Request: planv1.Request{Kind: "Transaction", Collection: "people"},
		WholeSettings: planv1.WholeSettings{
			Operations: []planv1.Request{
				{Kind: "InsertMany", BatchDocuments: 3},
				{Kind: "FindOne", Filter: byID, Projection: `{"$param:field": 1}`},
				{
					Kind: "Find", Filter: `{}`, LimitParameter: "count",
					Sort: []benchv1alpha1.SortKey{{Field: "age", Direction: "Ascending"}},
				},
				{
					Kind: "FindOneAndUpdate", Filter: byID, WhenMissing: "Insert",
					Update: `{"$set": {"$param:field": {"$param": "name"}}}`,
				},
				{Kind: "ReadModifyWrite", Filter: byID, Update: `{"$inc": {"age": 1}}`},
				{Kind: "Aggregate", Pipeline: `[{"$match": {"name": {"$param": "name"}}}]`},
				{Kind: "CountDocuments", Filter: `{}`},
				{Kind: "InsertOne", Collection: "empty"},
				{Kind: "InsertOne"},
			},
		},
	}
)

func TestPartsAreFilledInLikeSingleRequests(t *testing.T) {
	for _, op := range []planv1.Operation{bulk, transaction} {
		_, m := compile(t, single(op), 0)
		var r workload.Request
		for number := range int64(200) {
			m.Draw(number, &r)
			if len(r.Parts) != len(op.Operations) || r.Declared.Name != op.Name || r.Ordered != (op.Order == "Ordered") {
				t.Fatalf("%s has %d parts, declared as %q", op.Name, len(r.Parts), r.Declared.Name)
			}
			for i := range r.Parts {
				checkPart(t, &r.Parts[i], op.Operations[i])
			}
		}
	}
}

// checkPart checks what a part has against its declaration.
func checkPart(tb testing.TB, part *workload.Request, declared planv1.Request) {
	tb.Helper()
	upsert := declared.WhenMissing == benchv1alpha1.MissingInsert
	if part.Kind.Row().Name != declared.Kind || part.Upsert != upsert || part.Declared.Kind != declared.Kind {
		tb.Fatalf("a %s became a %s", declared.Kind, part.Kind)
	}
	texts := map[string]struct {
		declared string
		got      bson.Raw
	}{
		"filter": {declared.Filter.Text(), part.Filter}, "update": {declared.Update.Text(), part.Update},
		"projection": {declared.Projection.Text(), part.Projection}, "pipeline": {declared.Pipeline.Text(), part.Pipeline},
	}
	for name, text := range texts {
		if (text.declared == "") != (text.got == nil) {
			tb.Errorf("%s: %s is %v", declared.Kind, name, text.got)
		}
		if text.got != nil {
			decode(tb, text.got)
		}
	}
	documents := map[benchv1alpha1.OperationKind]int{
		"InsertOne": 1, "ReplaceOne": 1, "InsertMany": int(declared.BatchDocuments),
	}[declared.Kind]
	if len(part.Documents) != documents {
		tb.Errorf("%s has %d documents", declared.Kind, len(part.Documents))
	}
	for _, document := range part.Documents {
		decode(tb, document)
	}
}

func TestPartsShareTheParametersOfTheWhole(t *testing.T) {
	_, m := compile(t, single(transaction), 0)
	var r workload.Request
	limits := map[int64]bool{}
	for number := range int64(100) {
		m.Draw(number, &r)
		set := decode(t, r.Parts[3].Update)[0].Value.(bson.D)[0]
		projected := decode(t, r.Parts[1].Projection)[0].Key
		matched := r.Parts[5].Pipeline.Lookup("0", "$match", "name").StringValue()
		if set.Key != projected || set.Value != matched {
			t.Errorf("field %q is set to %q, %q is projected, and %q is matched", set.Key, set.Value, projected, matched)
		}
		if !r.Parts[1].Filter.Lookup("_id").Equal(r.Parts[4].Filter.Lookup("_id")) {
			t.Errorf("filters are %v and %v", r.Parts[1].Filter, r.Parts[4].Filter)
		}
		limits[r.Parts[2].Limit] = true
	}
	for limit := range limits {
		if limit < 1 || limit > 5 {
			t.Errorf("limit is %d", limit)
		}
	}
	if len(limits) != 5 {
		t.Errorf("limits are %v", limits)
	}
}

func TestPartsInsertNoDocumentTwice(t *testing.T) {
	p := single(bulk)
	second := transaction
	second.Name = "second"
	p.Steps[0].Operations = append(p.Steps[0].Operations, second)
	_, m := compile(t, p, 0)
	seen := map[string]int64{}
	var r workload.Request
	for number := range int64(500) {
		m.Draw(number, &r)
		for i := range r.Parts {
			part := &r.Parts[i]
			if part.Kind != operation.InsertOne && part.Kind != operation.InsertMany {
				continue
			}
			for _, document := range part.Documents {
				id := part.Collection + string(document.Lookup("_id").Value)
				if before, ok := seen[id]; ok {
					t.Fatalf("operation %d inserts what operation %d did", number, before)
				}
				seen[id] = number
			}
		}
	}
	if len(seen) < 1000 {
		t.Errorf("only %d documents were looked at", len(seen))
	}
}

func TestARequestHasNothingOfTheOperationBefore(t *testing.T) {
	p := plan()
	operations := p.Steps[1].Operations
	p.Steps[1].Operations = append(slices.Clone(operations), bulk, transaction)
	_, m := compile(t, p, 1)
	var reused workload.Request
	for number := range int64(2000) {
		m.Draw(number, &reused)
		var fresh workload.Request
		m.Draw(number, &fresh)
		if got, want := describeAll(&reused), describeAll(&fresh); got != want {
			t.Fatalf("request %d differs from a fresh one:\n%s\n%s", number, got, want)
		}
	}
}

// describeAll writes what a request and its parts hold.
func describeAll(r *workload.Request) string {
	var text strings.Builder
	text.WriteString(describe(r))
	for i := range r.Parts {
		text.WriteString("\n" + describe(&r.Parts[i]))
	}
	return text.String()
}

func TestReadersWaitAsDeclared(t *testing.T) {
	for kind, texts := range map[benchv1alpha1.OperationKind][2]string{"ChangeStream": {"", "{}"}, "Tail": {"{}", ""}} {
		_, m := compile(t, single(planv1.Operation{
			Request: planv1.Request{Kind: kind}, WholeSettings: planv1.WholeSettings{MaxAwaitMillis: 250},
		}), 0)
		var r workload.Request
		m.Draw(0, &r)
		if r.MaxAwaitMillis != 250 || (r.Filter == nil) != (texts[0] == "") || (r.Pipeline == nil) != (texts[1] == "") {
			t.Errorf("%s has filter %v, pipeline %v, waits %d ms", kind, r.Filter, r.Pipeline, r.MaxAwaitMillis)
		}
	}
}

func TestWrongPartsAreRefusedWithTheirPlace(t *testing.T) {
	part := func(whole, kind benchv1alpha1.OperationKind, change func(*planv1.Request)) planv1.Operation {
		op := planv1.Operation{Parameters: []planv1.Parameter{person}, Request: planv1.Request{Kind: whole}}
		op.Operations = []planv1.Request{{Kind: "DeleteOne", Filter: byID}, {Kind: kind, Filter: `{}`}}
		change(&op.Operations[1])
		return op
	}
	nothing := func(*planv1.Request) {}
	in := func(collection string) func(*planv1.Request) {
		return func(p *planv1.Request) { p.Collection, p.ReplaceKey = collection, "id" }
	}
	limit := func(name string) func(*planv1.Request) {
		return func(p *planv1.Request) { p.LimitParameter = name }
	}
	array := func(p *planv1.Request) { p.Filter = `[]` }
	tests := map[string]struct {
		op   planv1.Operation
		want string
	}{
		"no parts": {planv1.Operation{
			Request: planv1.Request{Kind: "BulkWrite"},
		}, "operations are required"},
		"a read in a bulk write":       {part("BulkWrite", "FindOne", nothing), "part 1, FindOne: it cannot be"},
		"a command in a transaction":   {part("Transaction", "RunCommand", nothing), "part 1, RunCommand: it cannot be"},
		"a transaction in another":     {part("Transaction", "Transaction", nothing), "it cannot be a part"},
		"a wrong part":                 {part("Transaction", "Find", array), "part 1, Find: filter"},
		"a part of nowhere":            {part("Transaction", "Find", in("x")), `collection "x"`},
		"a limit by no parameter":      {part("Transaction", "Find", limit("x")), `limitParameter "x"`},
		"a limit by no number":         {part("Transaction", "Find", limit("id")), `limitParameter "id"`},
		"a replacement of no key":      {part("BulkWrite", "ReplaceOne", nothing), "replaceKey"},
		"a replacement somewhere else": {part("Transaction", "ReplaceOne", in("empty")), "draws from another collection"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d, err := workload.NewDataset(single(tc.op))
			if err != nil {
				t.Fatal(err)
			}
			if _, err = workload.Compile(d, 0); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error is %v, wanted one with %q", err, tc.want)
			}
		})
	}
}
