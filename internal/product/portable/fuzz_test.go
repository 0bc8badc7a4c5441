package portable_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/product/portable"
)

// FuzzBind has documents of all kinds bound: what is accepted is JSON, names columns alone, and means the same when it
// is read again; what is refused says why.
func FuzzBind(f *testing.F) {
	f.Add("FindOne", `{"_id": {"$param": "id"}}`, "", `{"age": 1}`)
	f.Add("UpdateOne", `{"_id": 5}`, `{"$set": {"name": {"$param": "name"}, "age": 7}}`, "")
	f.Add("Find", `{"age": {"$gte": 5, "$lt": 6}, "colour": "red"}`, "", `{"photo": 0}`)
	f.Add("Find", `{"device": {"$binary": {"base64": "AA==", "subType": "04"}}}`, "", `{"_id": 0}`)
	f.Add("DeleteOne", `{"_id": {"$eq": {"$numberLong": "5"}}}`, "", "")
	f.Add("FindOne", `{"age": {"$gt": 1} }}`, "", `{]`)
	f.Fuzz(func(t *testing.T, kind, filter, update, projection string) {
		asked := planv1.Operation{
			Parameters: parameters(),
			Request: planv1.Request{
				Kind: benchv1alpha1.OperationKind(kind), Collection: "people",
				Filter: planv1.Document(filter), Update: planv1.Document(update), Projection: planv1.Document(projection),
			},
		}
		statement, refusal := portable.Bind(people(), asked)
		if refusal != nil {
			if refusal.Field == "" || refusal.Detail == "" {
				t.Errorf("refused without a reason: %+v", refusal)
			}
			return
		}
		if again, _ := portable.Bind(people(), asked); !cmp.Equal(statement, again) {
			t.Errorf("bound twice: %+v and %+v", statement, again)
		}
		if statement.Row().Effect != operation.Inserts {
			checkStatement(t, asked, statement)
		}
	})
}

// checkStatement looks at what was made of an operation's documents.
func checkStatement(t *testing.T, asked planv1.Operation, statement portable.Statement) {
	t.Helper()
	if !json.Valid([]byte(asked.Filter)) || statement.Kind == "UpdateOne" && !json.Valid([]byte(asked.Update)) {
		t.Errorf("what is no JSON was bound: %q, %q", asked.Filter, asked.Update)
	}
	columns, _ := portable.Table(people())
	used := slices.Concat(statement.Set, statement.Columns)
	for _, condition := range statement.Where {
		used = append(used, condition.Column)
	}
	for _, name := range used {
		if !slices.ContainsFunc(columns, func(c portable.Column) bool { return c.Name == name }) {
			t.Errorf("%q is no column", name)
		}
	}
}
