package mongo_test

import (
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// building is an action that builds an index.
func building(index planv1.Index) planv1.Action {
	return planv1.Action{
		Name: "build", Type: benchv1alpha1.ActionCreateIndex, Collection: "things", Index: &index,
	}
}

// dropping is an action that drops one.
func dropping(name string) planv1.Action {
	return planv1.Action{Name: "drop", Type: benchv1alpha1.ActionDropIndex, Collection: "things", IndexName: name}
}

var byText = planv1.Index{Keys: []planv1.IndexKey{{Field: "text", Order: "1"}, {Field: "n", Order: "-1"}}}

// namesOfIndexes are those that a server lists.
func namesOfIndexes(t *testing.T, db *driver.Database) []string {
	t.Helper()
	specifications, err := db.Collection("things").Indexes().ListSpecifications(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, 0, len(specifications))
	for _, one := range specifications {
		names = append(names, one.Name)
	}
	slices.Sort(names)
	return names
}

func TestIndexesAreBuiltAndDroppedUnderLoad(t *testing.T) {
	for _, version := range mongotest.All() {
		t.Run("mongod "+version, func(t *testing.T) {
			t.Parallel()
			server := replicaSet(t, version)
			for _, client := range everyClient {
				t.Run(string(client), func(t *testing.T) { checkBuilding(t, server, client) })
			}
		})
	}
}

func checkBuilding(t *testing.T, server *mongotest.Server, client benchv1alpha1.Client) {
	t.Helper()
	db := database(t, server, "building")
	plan := planOf(db.Name(), planv1.Step{
		Threads: 2, DurationSeconds: 2, Actions: []planv1.Action{building(byText), dropping("n_1")},
		Operations: []planv1.Operation{
			{Name: "get", Parameters: byID, Request: planv1.Request{Kind: "FindOne", Filter: `{"_id": {"$param": "id"}}`}},
			{Name: "put", Request: planv1.Request{Kind: "InsertOne"}},
		},
	})
	plan.Client, plan.Steps[3].Actions[1].AfterSeconds = client, 1
	reports, err := drivertest.Run(t.Context(), plan, open(t, server))
	if err != nil {
		t.Fatal(err)
	}
	step := reports[0].Steps[3]
	for _, action := range step.Actions {
		if action.Error != "" || action.TookMicros <= 0 || action.Member != "" {
			t.Errorf("%+v; want it done, and its time", action)
		}
	}
	for _, o := range step.Operations {
		if o.Count == 0 {
			t.Errorf("operation %s did not go on meanwhile", o.Name)
		}
	}
	if names := namesOfIndexes(t, db); !slices.Equal(names, []string{"_id_", "text_1_n_-1"}) {
		t.Errorf("indexes %v, want the one that was built and not the one that was dropped", names)
	}
}

func TestIndexesThatCannotBeBuiltOrDroppedSayWhy(t *testing.T) {
	for _, version := range mongotest.All() {
		t.Run("mongod "+version, func(t *testing.T) {
			server := replicaSet(t, version)
			db, target := database(t, server, "unbuilt"), open(t, server)
			same := []any{bson.D{{Key: "text", Value: 1}}, bson.D{{Key: "text", Value: 1}}}
			if _, err := db.Collection("things").InsertMany(t.Context(), same); err != nil {
				t.Fatal(err)
			}
			mine, hidden, unique := byText, byText, byText
			mine.Name, hidden.Name, hidden.Hidden, unique.Unique = "mine", "hidden", true, true
			hiding := ""
			if !mongod.ParseRelease(version).AtLeast(mongod.Release{Major: 4, Minor: 4}) {
				hiding = "properties needs MongoDB 4.4 or later, and this is 4.2"
			}
			for i, tc := range []struct {
				action planv1.Action
				want   string
			}{
				{building(unique), "duplicate key"},
				{dropping("absent"), `dropping index "absent"`},
				{building(mine), ""},
				{building(mine), "was there already"},
				{dropping("mine"), ""},
				{building(hidden), hiding},
			} {
				if _, err := target.Act(t.Context(), db.Name(), tc.action); !says(err, tc.want) {
					t.Errorf("action %d, %s: error %v, want %q", i, tc.action.Name, err, tc.want)
				}
			}
		})
	}
}

// says is whether an error has these words; without words there is to be none.
func says(err error, words string) bool {
	if err == nil || words == "" {
		return err == nil && words == ""
	}
	return strings.Contains(err.Error(), words)
}
