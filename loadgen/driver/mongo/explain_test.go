package mongo_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// explained are operations with what every server says of them.
var explained = []struct {
	operation planv1.Operation
	want      []reportv1.Explained
}{
	{
		planv1.Operation{
			Parameters: byID, Request: planv1.Request{Kind: "FindOne", Filter: `{"_id": {"$param": "id"}}`},
		},
		[]reportv1.Explained{{Stages: "IDHACK", Examined: &reportv1.Examined{Keys: 1, Documents: 1, Found: 1}}},
	},
	{
		planv1.Operation{Request: planv1.Request{
			Kind: "Find", Filter: `{"n": {"$gte": 10}, "text": {"$gt": ""}}`, Limit: 20,
			Sort: []benchv1alpha1.SortKey{{Field: "n", Direction: benchv1alpha1.SortDescending}},
		}},
		[]reportv1.Explained{{
			Stages:   "LIMIT < FETCH < IXSCAN n_1",
			Examined: &reportv1.Examined{Keys: 20, Documents: 20, Found: 20},
		}},
	},
	{
		planv1.Operation{
			Request:       planv1.Request{Kind: "UpdateMany", Filter: `{"text": {"$gt": ""}}`, Update: `{"$set": {"x": 1}}`},
			WholeSettings: planv1.WholeSettings{WriteConcern: &planv1.WriteConcern{W: "majority"}},
		},
		[]reportv1.Explained{{
			Stages: "UPDATE < COLLSCAN", Examined: &reportv1.Examined{Documents: loaded, Found: loaded},
		}},
	},
	{
		planv1.Operation{Request: planv1.Request{Kind: "DeleteOne", Filter: `{"n": -1}`}},
		[]reportv1.Explained{{Stages: "DELETE < FETCH < IXSCAN n_1", Examined: &reportv1.Examined{}}},
	},
	{
		planv1.Operation{
			Parameters: byID,
			Request: planv1.Request{
				Kind: "ReadModifyWrite", Filter: `{"_id": {"$param": "id"}}`, Update: `{"$set": {"x": 1}}`,
			},
		},
		[]reportv1.Explained{{Stages: "UPDATE < IDHACK", Examined: &reportv1.Examined{Keys: 1, Documents: 1, Found: 1}}},
	},
	{
		planv1.Operation{
			Parameters: byID, Request: planv1.Request{
				Kind: "FindOneAndUpdate", Filter: `{"_id": {"$param": "id"}}`, Update: `{"$set": {"x": 1}}`,
			},
		},
		[]reportv1.Explained{{Stages: "UPDATE < IDHACK", Examined: &reportv1.Examined{Keys: 1, Documents: 1, Found: 1}}},
	},
	{
		planv1.Operation{
			Parameters: byID, Request: planv1.Request{Kind: "FindOneAndDelete", Filter: `{"_id": {"$param": "id"}}`},
		},
		[]reportv1.Explained{{Stages: "DELETE < IDHACK", Examined: &reportv1.Examined{Keys: 1, Documents: 1, Found: 1}}},
	},
	{
		planv1.Operation{Request: planv1.Request{Kind: "EstimatedDocumentCount"}},
		[]reportv1.Explained{{Stages: "RECORD_STORE_FAST_COUNT", Examined: &reportv1.Examined{Found: loaded}}},
	},
	{
		planv1.Operation{Request: planv1.Request{Kind: "Distinct", Filter: `{"n": {"$lt": 7}}`, Field: "n"}},
		[]reportv1.Explained{{
			Stages:   "PROJECTION_COVERED < DISTINCT_SCAN n_1",
			Examined: &reportv1.Examined{Keys: 8, Found: 7},
		}},
	},
	{
		// What it would write is not written, and so it is not carried out.
		planv1.Operation{Request: planv1.Request{
			Kind: "Aggregate", Pipeline: `[{"$match": {"n": {"$lt": 3}}}, {"$out": "written"}]`,
		}},
		[]reportv1.Explained{{Stages: "$out < FETCH < IXSCAN n_1"}},
	},
	{planv1.Operation{Request: planv1.Request{Kind: "InsertOne"}}, nil},
	{planv1.Operation{
		Request: planv1.Request{Kind: "RunCommand"}, WholeSettings: planv1.WholeSettings{Command: `{"ping": 1}`},
	}, nil},
	{
		planv1.Operation{
			Request: planv1.Request{Kind: "RunCommand"},
			WholeSettings: planv1.WholeSettings{
				Command: `{"count": "things", "query": {"n": {"$lt": 5}}, "maxTimeMS": 9}`,
			},
		},
		[]reportv1.Explained{{Stages: "COUNT < COUNT_SCAN n_1", Examined: &reportv1.Examined{Keys: 6, Found: 5}}},
	},
	{
		planv1.Operation{Request: planv1.Request{Kind: "Find", Filter: `{"$where": "sleep(20) || true"}`}},
		// It takes far longer than a second, and is not carried out to its end.
		[]reportv1.Explained{{Stages: "COLLSCAN"}},
	},
	{
		planv1.Operation{
			Parameters: byID, Request: planv1.Request{Kind: "BulkWrite"},
			WholeSettings: planv1.WholeSettings{Operations: []planv1.Request{
				{Kind: "UpdateOne", Filter: `{"_id": {"$param": "id"}}`, Update: `{"$set": {"x": 1}}`},
				{Kind: "InsertOne"},
				{Kind: "DeleteMany", Filter: `{"text": ""}`},
			}},
		},
		[]reportv1.Explained{
			{Part: 1, Stages: "UPDATE < IDHACK", Examined: &reportv1.Examined{Keys: 1, Documents: 1, Found: 1}},
			{Part: 3, Stages: "DELETE < COLLSCAN", Examined: &reportv1.Examined{Documents: loaded}},
		},
	},
}

func TestTheServerExplainsEachOperationOfAStep(t *testing.T) {
	for _, version := range mongotest.All() {
		t.Run("mongod "+version, func(t *testing.T) {
			server := mongotest.Shared(t, version)
			db := database(t, server, "explained")
			step, want := explainedStep()
			plan := planOf(db.Name(), step)
			plan.Steps[3].Operations[0].Weight = 1_000_000
			reports, err := drivertest.Run(t.Context(), plan, open(t, server))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, reports[0].Steps[3].Explained); diff != "" {
				t.Errorf("explained (-want +got):\n%s", diff)
			}
			// Most of what is explained would change documents, or remove them.
			if found := count(t, db, `{"x": {"$exists": false}}`); int64(found) != loaded {
				t.Errorf("%d of %d documents are as they were", found, loaded)
			}
			written, err := db.ListCollectionNames(t.Context(), bson.D{{Key: "name", Value: "written"}})
			if err != nil || len(written) > 0 {
				t.Errorf("collections %v (%v) were written by being explained", written, err)
			}
		})
	}
}

// explainedStep has all operations that are explained, and sends one of them.
func explainedStep() (step planv1.Step, want []reportv1.Explained) {
	step = planv1.Step{Threads: 1, OperationCount: 1}
	for i, one := range explained {
		one.operation.Name = string(rune('a' + i))
		step.Operations = append(step.Operations, one.operation)
		for _, explained := range one.want {
			explained.Operation = one.operation.Name
			want = append(want, explained)
		}
	}
	return step, want
}

func TestAServerThatMayNotBeAskedLeavesANote(t *testing.T) {
	server := mongotest.SharedAs(t, "explaining", mongotest.Newest(), "--setParameter", "enableTestCommands=1")
	db := database(t, server, "unexplained")
	plan := planOf(db.Name(), planv1.Step{
		Threads: 1, OperationCount: 1, Operations: []planv1.Operation{explained[0].operation},
	})
	plan.Steps[3].Operations[0].Name = "read"
	target := open(t, server)
	refuse := bson.D{
		{Key: "configureFailPoint", Value: "failCommand"},
		{Key: "mode", Value: "alwaysOn"},
		{Key: "data", Value: bson.D{
			{Key: "failCommands", Value: bson.A{"explain"}},
			{Key: "errorCode", Value: 13},
			{Key: "appName", Value: "mongobench"},
		}},
	}
	admin := db.Client().Database("admin")
	if err := admin.RunCommand(t.Context(), refuse, options.RunCmd()).Err(); err != nil {
		t.Fatal(err)
	}
	reports, err := drivertest.Run(t.Context(), plan, target)
	if err != nil {
		t.Fatal(err)
	}
	explained := reports[0].Steps[3].Explained
	if len(explained) != 1 || explained[0].Operation != "read" || explained[0].Missing == "" || explained[0].Stages != "" {
		t.Errorf("explained %+v, want why there is no plan", explained)
	}
}
