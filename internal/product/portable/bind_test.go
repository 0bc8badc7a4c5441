package portable_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/product/portable"
)

// parameters that the operations of these tests may use.
func parameters() []planv1.Parameter {
	key := func(name, field string) planv1.Parameter {
		return planv1.Parameter{Name: name, Value: planv1.Value{Type: planv1.TypeKey, KeyField: field}}
	}
	return []planv1.Parameter{
		key("id", "_id"), key("theirAge", "age"), key("shoe", "shoe"),
		{Name: "int", Value: of(benchv1alpha1.GeneratorInt)},
		{Name: "long", Value: of(benchv1alpha1.GeneratorLong)},
		{Name: "name", Value: text(benchv1alpha1.GeneratorString, 20)},
		{Name: "essay", Value: text(benchv1alpha1.GeneratorString, 21)},
		{Name: "colour", Value: choice(`"red"`)},
	}
}

// operationOf is one on people, with all parameters.
func operationOf(kind benchv1alpha1.OperationKind, change func(*planv1.Operation)) planv1.Operation {
	made := planv1.Operation{Parameters: parameters(), Request: planv1.Request{Kind: kind, Collection: "people"}}
	if kind != "InsertOne" && kind != "InsertMany" {
		made.Filter = `{"_id": {"$param": "id"}}`
	}
	if kind == "UpdateOne" {
		made.Update = `{"$set": {"age": {"$param": "int"}}}`
	}
	if change != nil {
		change(&made)
	}
	return made
}

func filtered(filter string) func(*planv1.Operation) {
	return func(o *planv1.Operation) { o.Filter = planv1.Document(filter) }
}

func updated(update string) func(*planv1.Operation) {
	return func(o *planv1.Operation) { o.Update = planv1.Document(update) }
}

func projected(projection string) func(*planv1.Operation) {
	return func(o *planv1.Operation) { o.Projection = planv1.Document(projection) }
}

func TestBind(t *testing.T) {
	id := portable.Condition{Column: "_id", Operator: portable.Equal}
	byID := []portable.Condition{id}
	tests := map[string]struct {
		operation planv1.Operation
		want      portable.Statement
	}{
		"an insert":      {operationOf("InsertOne", nil), portable.Statement{Kind: "InsertOne"}},
		"a batch":        {operationOf("InsertMany", nil), portable.Statement{Kind: "InsertMany"}},
		"by primary key": {operationOf("FindOne", nil), portable.Statement{Kind: "FindOne", Where: byID}},
		"a delete":       {operationOf("DeleteOne", nil), portable.Statement{Kind: "DeleteOne", Where: byID}},
		"an update": {
			operationOf("UpdateOne", nil), portable.Statement{Kind: "UpdateOne", Where: byID, Set: []string{"age"}},
		},
		"everything there": {operationOf("Find", filtered("{}")), portable.Statement{Kind: "Find"}},
		"an update of several columns, in their order": {
			operationOf("UpdateOne", updated(`{"$set": {"name": {"$param": "name"}, "age": 5, `+
				`"born": {"$date": {"$numberLong": "0"}}}}`)),
			portable.Statement{Kind: "UpdateOne", Where: byID, Set: []string{"name", "age", "born"}},
		},
		"a range in an order": {
			operationOf("Find", func(o *planv1.Operation) {
				o.Filter = `{"colour": "red", "age": {"$gte": {"$param": "theirAge"}, "$lt": 60}}`
				o.Sort, o.Limit = []benchv1alpha1.SortKey{{Field: "age", Direction: benchv1alpha1.SortDescending}}, 10
			}),
			portable.Statement{
				Kind: "Find", Limit: 10, Order: []benchv1alpha1.SortKey{{Field: "age", Direction: "Descending"}},
				Where: []portable.Condition{
					{Column: "colour", Operator: portable.Equal},
					{Column: "age", Operator: portable.GreaterOrEqual},
					{Column: "age", Operator: portable.Less},
				},
			},
		},
		"a limit that is drawn": {
			operationOf("Find", func(o *planv1.Operation) {
				o.Filter, o.LimitParameter = `{"_id": {"$gt": {"$param": "id"}}}`, "int"
			}),
			portable.Statement{
				Kind: "Find", LimitParameter: true,
				Where: []portable.Condition{{Column: "_id", Operator: portable.Greater}},
			},
		},
		"equality by its operator": {
			operationOf("FindOne", filtered(`{"_id": {"$eq": {"$numberLong": "5"}}}`)),
			portable.Statement{Kind: "FindOne", Where: byID},
		},
		"an Int where a Long is": {
			operationOf("FindOne", filtered(`{"_id": 5, "height": {"$lte": 2}}`)),
			portable.Statement{
				Kind: "FindOne", Where: []portable.Condition{
					id, {Column: "height", Operator: portable.LessOrEqual},
				},
			},
		},
		"columns in the order of the table": {
			operationOf("FindOne", projected(`{"name": 1, "age": true}`)),
			portable.Statement{Kind: "FindOne", Where: byID, Columns: []string{"_id", "age", "name"}},
		},
		"columns without the key": {
			operationOf("FindOne", projected(`{"name": 1, "_id": 0}`)),
			portable.Statement{Kind: "FindOne", Where: byID, Columns: []string{"name"}},
		},
		"the key alone": {
			operationOf("FindOne", projected(`{"_id": 1}`)),
			portable.Statement{Kind: "FindOne", Where: byID, Columns: []string{"_id"}},
		},
		"all but some": {
			operationOf("FindOne", projected(
				`{"photo": 0, "name": false, "friend": 0, "device": 0, "account": 0, "colour": 0}`)),
			portable.Statement{
				Kind: "FindOne", Where: byID, Columns: []string{"_id", "age", "wealth", "height", "alive", "born"},
			},
		},
		"the values of a column": {
			operationOf("Distinct", func(o *planv1.Operation) { o.Field, o.Filter = "age", "{}" }),
			portable.Statement{Kind: "Distinct", Columns: []string{"age"}},
		},
		"an empty projection is everything": {
			operationOf("FindOne", projected("{}")), portable.Statement{Kind: "FindOne", Where: byID},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, refusal := portable.Bind(people(), tc.operation)
			if refusal != nil {
				t.Fatal(refusal)
			}
			tc.want.Table = "people"
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("statement (-want +got):\n%s", diff)
			}
		})
	}
	for kind := range operation.Kinds() {
		bound := false
		for _, tc := range tests {
			bound = bound || tc.operation.Kind == kind.Row().Name
		}
		if kind.Row().SentBy(operation.SQL) && !bound {
			t.Errorf("internal/product/portable/bind_test.go: no operation of kind %s is bound", kind)
		}
	}
}

func TestRefusedOperations(t *testing.T) {
	tests := map[string]struct {
		operation planv1.Operation
		want      string
	}{
		"the values of no column": {
			operationOf("Distinct", func(o *planv1.Operation) { o.Field = "shoe" }), `field: "shoe" is no column`,
		},
		"another kind": {
			operationOf("Aggregate", nil), "kind: a table is read and written by InsertOne, InsertMany, FindOne, Find, ",
		},
		"a replacement":  {operationOf("ReplaceOne", nil), "kind: "},
		"a read concern": {operationOf("FindOne", func(o *planv1.Operation) { o.ReadConcern = "Local" }), "readConcern: "},
		"a read preference": {
			operationOf("FindOne", func(o *planv1.Operation) { o.ReadPreference = "Nearest" }), "readPreference: ",
		},
		"a write concern": {
			operationOf("InsertOne", func(o *planv1.Operation) {
				o.WriteConcern = &planv1.WriteConcern{W: "1", Journal: benchv1alpha1.JournalRequired}
			}), "writeConcern: a table has none; leave it out, and set durability",
		},
		"an upsert": {
			operationOf("UpdateOne", func(o *planv1.Operation) { o.WhenMissing = "Insert" }), "whenMissing: ",
		},
		"a hint":        {operationOf("Find", func(o *planv1.Operation) { o.Hint = "a_1" }), "hint: "},
		"array filters": {operationOf("UpdateOne", func(o *planv1.Operation) { o.ArrayFilters = "[]" }), "arrayFilters: "},
		"a collation": {operationOf("Find", func(o *planv1.Operation) {
			o.Collation = &benchv1alpha1.Collation{Locale: "de"}
		}), "collation: "},
		"variables":       {operationOf("Find", func(o *planv1.Operation) { o.Let = "{}" }), "let: "},
		"a limit of time": {operationOf("Find", func(o *planv1.Operation) { o.MaxTimeMillis = 5 }), "maxTimeMillis: "},
		"a comment":       {operationOf("Find", func(o *planv1.Operation) { o.Comment = "a" }), "comment: "},
		"an update by an order": {operationOf("UpdateOne", func(o *planv1.Operation) {
			o.Sort = []benchv1alpha1.SortKey{{Field: "age"}}
		}), "sort: "},
		"a skip":          {operationOf("Find", func(o *planv1.Operation) { o.Skip = 1 }), "skip: "},
		"a first batch":   {operationOf("Find", func(o *planv1.Operation) { o.Fetch = "FirstBatch" }), "fetch: "},
		"batches":         {operationOf("Find", func(o *planv1.Operation) { o.BatchSize = 5 }), "batchSize: "},
		"any row at all":  {operationOf("FindOne", filtered("{}")), "filter: must have a condition"},
		"no filter":       {operationOf("FindOne", filtered("")), "filter: must be an object"},
		"half a filter":   {operationOf("FindOne", filtered(`{"age": `)), "filter: "},
		"two filters":     {operationOf("FindOne", filtered(`{"age": 5} {}`)), "filter: must be one object"},
		"no column":       {operationOf("FindOne", filtered(`{"shoe": 5}`)), `filter: "shoe" is no column`},
		"a nested column": {operationOf("FindOne", filtered(`{"name.first": "a"}`)), `filter: "name.first" is no column`},
		"a logic operator": {
			operationOf("FindOne", filtered(`{"$or": [{"age": 5}]}`)), `filter: "$or" has no place`,
		},
		"a column by a parameter": {
			operationOf("FindOne", filtered(`{"$param:colour": 5}`)), `filter: "$param:colour" has no place`,
		},
		"another operator": {operationOf("FindOne", filtered(`{"age": {"$in": [5]}}`)), `filter: column "age": "$in"`},
		"another operator, second": {
			operationOf("FindOne", filtered(`{"age": {"$gt": 5, "$ne": 7}}`)), `filter: "$ne" cannot`,
		},
		"a regular expression": {operationOf("FindOne", filtered(`{"name": {"$regex": "a"}}`)), `"$regex"`},
		"an array":             {operationOf("FindOne", filtered(`{"age": [5]}`)), "an array is no value"},
		"nothing":              {operationOf("FindOne", filtered(`{"age": null}`)), "null is no value"},
		"a document":           {operationOf("FindOne", filtered(`{"age": {"a": 1}}`)), "a document is no value"},
		"an empty document":    {operationOf("FindOne", filtered(`{"age": {}}`)), "a document is no value"},
		"two equalities":       {operationOf("FindOne", filtered(`{"age": 5, "age": 6}`)), `"age" is compared twice`},
		"two lower bounds": {
			operationOf("FindOne", filtered(`{"age": {"$gt": 5, "$gte": 6}}`)), `"age" is compared twice`,
		},
		"a text for a number": {
			operationOf("FindOne", filtered(`{"age": "5"}`)), `column "age" is of type Int, and the value is of type String`,
		},
		"a fraction for a number": {operationOf("FindOne", filtered(`{"age": 1.5}`)), "the value is of type Double"},
		"a Long for an Int": {
			operationOf("FindOne", filtered(`{"age": {"$param": "long"}}`)), "the value is of type Long",
		},
		"a key of another type": {
			operationOf("FindOne", filtered(`{"name": {"$param": "theirAge"}}`)), "the value is of type Int",
		},
		"a key of no column": {
			operationOf("FindOne", filtered(`{"age": {"$param": "shoe"}}`)), `field "shoe", which is no column`,
		},
		"a parameter that is not": {operationOf("FindOne", filtered(`{"age": {"$param": "none"}}`)), `no parameter "none"`},
		"a date that a table lacks": {
			operationOf("FindOne", filtered(`{"born": {"$gte": {"$date": "0001-01-01T00:00:00Z"}}}`)),
			`filter: column "born": a table has only dates of the years 1000 to 9999`,
		},
		"an update to infinity": {
			operationOf("UpdateOne", updated(`{"$set": {"height": {"$numberDouble": "Infinity"}}}`)),
			`update: column "height": a Double of a table is a finite number`,
		},
		"a text that is too long": {
			operationOf("FindOne", filtered(`{"name": {"$param": "essay"}}`)), "at most 20 bytes, and the value may have 21",
		},
		"an update without a key": {operationOf("UpdateOne", filtered(`{"age": 5}`)), "filter: must compare _id"},
		"a delete of a range":     {operationOf("DeleteOne", filtered(`{"_id": {"$gt": 5}}`)), "filter: must compare _id"},
		"an increment": {
			operationOf("UpdateOne", updated(`{"$inc": {"age": 1}}`)), `update: must be {"$set": {...}}`,
		},
		"two updates": {
			operationOf("UpdateOne", updated(`{"$set": {"age": 1}, "$inc": {"wealth": 1}}`)), "update: ",
		},
		"a pipeline":           {operationOf("UpdateOne", updated(`[{"$set": {"age": 1}}]`)), "update: "},
		"an update of nothing": {operationOf("UpdateOne", updated(`{"$set": {}}`)), "update: must set a column"},
		"an update of the key": {operationOf("UpdateOne", updated(`{"$set": {"_id": 1}}`)), "update: must leave _id"},
		"an update twice": {
			operationOf("UpdateOne", updated(`{"$set": {"age": 1, "age": 2}}`)), `update: sets column "age" twice`,
		},
		"an update of no column":   {operationOf("UpdateOne", updated(`{"$set": {"shoe": 1}}`)), `update: "shoe"`},
		"an update by a parameter": {operationOf("UpdateOne", updated(`{"$set": {"$param:colour": 1}}`)), "update: "},
		"a projection of parts": {
			operationOf("FindOne", projected(`{"name": {"$slice": 1}}`)), "projection: must be 1 or 0",
		},
		"a projection of both ways": {
			operationOf("FindOne", projected(`{"name": 1, "age": 0}`)), "projection: must either",
		},
		"a projection of no column": {operationOf("FindOne", projected(`{"shoe": 1}`)), `projection: "shoe"`},
		"a projection of a list":    {operationOf("FindOne", projected(`[]`)), "projection: must be an object"},
		"an order of one row": {
			operationOf("FindOne", func(o *planv1.Operation) { o.Sort = []benchv1alpha1.SortKey{{Field: "age"}} }),
			"sort: applies only to Find",
		},
		"an order of no column": {
			operationOf("Find", func(o *planv1.Operation) { o.Sort = []benchv1alpha1.SortKey{{Field: "shoe"}} }),
			`sort: "shoe"`,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, refusal := portable.Bind(people(), tc.operation)
			wantRefusal(t, refusal, tc.want)
		})
	}
}

func TestAConditionSaysThatItsColumnIsKeptApart(t *testing.T) {
	collection := people()
	collection.Fields = append(collection.Fields, field("essay", text(benchv1alpha1.GeneratorString, 65_000)))
	statement, refusal := portable.Bind(collection, operationOf("Find", filtered(
		`{"_id": {"$gte": 5}, "essay": "once", "name": {"$lt": "m"}}`)))
	if refusal != nil {
		t.Fatal(refusal)
	}
	want := []portable.Condition{
		{Column: "_id", Operator: ">="}, {Column: "essay", Operator: "=", KeptApart: true}, {Column: "name", Operator: "<"},
	}
	if diff := cmp.Diff(want, statement.Where); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
	// As an operator, too.
	statement, refusal = portable.Bind(collection, operationOf("FindOne", filtered(`{"essay": {"$gt": "once"}}`)))
	if refusal != nil || !statement.Where[0].KeptApart {
		t.Errorf("refused %v, conditions %+v", refusal, statement.Where)
	}
}

func TestWhatIsNoTableHasNoStatements(t *testing.T) {
	collection := people()
	collection.CappedBytes = 4096
	_, refusal := portable.Bind(collection, operationOf("FindOne", nil))
	wantRefusal(t, refusal, "collection: people is no table: options.capped")
}

func TestAllButEverything(t *testing.T) {
	collection := planv1.Collection{Name: "c", Fields: []planv1.Field{field("_id", of(benchv1alpha1.GeneratorLong))}}
	shown := operationOf("FindOne", projected(`{"_id": 0}`))
	_, refusal := portable.Bind(collection, shown)
	wantRefusal(t, refusal, "projection: must leave a column")
}
