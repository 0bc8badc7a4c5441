package mongo_test

import (
	"errors"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
	"github.com/mongobench/mongobench-operator/loadgen/verify"
)

// measurements is a time series of many sensors, whose documents have their fields in no order that a server keeps:
// what says which series it is comes last, and is itself a document whose fields are not sorted.
func measurements() planv1.Collection {
	value := func(name string, v planv1.Value) planv1.Field { return planv1.Field{Name: name, Value: v} }
	return planv1.Collection{
		Name: "things", DocumentCount: 3 * loaded,
		TimeSeries: &planv1.TimeSeriesOptions{TimeField: "at", MetaField: new("sensor")},
		Fields: []planv1.Field{
			value("_id", planv1.Value{Type: benchv1alpha1.GeneratorObjectID}),
			value("zeal", planv1.Value{Type: benchv1alpha1.GeneratorDouble, Seed: 1, MaxDouble: 40}),
			value("n", planv1.Value{Type: benchv1alpha1.GeneratorSequence, Step: 1}),
			value("at", planv1.Value{
				Type: benchv1alpha1.GeneratorDate, Seed: 2, Min: 1_700_000_000_000, Max: 1_700_100_000_000,
			}),
			value("sensor.z", planv1.Value{Type: benchv1alpha1.GeneratorInt, Seed: 3, Max: 9}),
			value("sensor.a", planv1.Value{Type: benchv1alpha1.GeneratorString, Seed: 4, Min: 1, Max: 1}),
		},
		Indexes: []planv1.Index{{Keys: []planv1.IndexKey{{Field: "sensor.z", Order: "1"}, {Field: "at", Order: "-1"}}}},
	}
}

// of is planOf with this collection, all of whose documents are compared after the load.
func of(database string, client benchv1alpha1.Client, collection planv1.Collection, step planv1.Step) planv1.Plan {
	plan := planOf(database, step)
	plan.Client, plan.Collections[0] = client, collection
	plan.Steps[2].Check = benchv1alpha1.VerifyAll
	return plan
}

// seriesOperations read and write a time series.
func seriesOperations() planv1.Step {
	return planv1.Step{Threads: 2, OperationCount: 200, Operations: []planv1.Operation{
		{Name: "get", Parameters: byID, Request: planv1.Request{Kind: "FindOne", Filter: `{"_id": {"$param": "id"}}`}},
		{Name: "count", Request: planv1.Request{Kind: "CountDocuments", Filter: `{"sensor.z": 3}`}},
		{Name: "put", Request: planv1.Request{Kind: "InsertOne"}},
		{
			Name: "many", Request: planv1.Request{Kind: "InsertMany", BatchDocuments: 10},
			WholeSettings: planv1.WholeSettings{Order: benchv1alpha1.WriteUnordered},
		},
	}}
}

// withSeries are the versions that have time series.
func withSeries(t *testing.T, test func(t *testing.T, server *mongotest.Server)) {
	t.Helper()
	for _, version := range mongotest.All() {
		if mongod.ParseRelease(version).AtLeast(mongod.Release{Major: 5}) {
			t.Run("mongod "+version, func(t *testing.T) { test(t, replicaSet(t, version)) })
		}
	}
}

func TestTimeSeriesAreLoadedComparedAndMeasured(t *testing.T) {
	withSeries(t, func(t *testing.T, server *mongotest.Server) {
		t.Helper()
		for _, client := range everyClient {
			t.Run(string(client), func(t *testing.T) { checkSeries(t, server, client) })
		}
	})
}

func checkSeries(t *testing.T, server *mongotest.Server, client benchv1alpha1.Client) {
	t.Helper()
	db, target := database(t, server, "series"), open(t, server)
	plan := of(db.Name(), client, measurements(), seriesOperations())
	reports, err := drivertest.Run(t.Context(), plan, target)
	if err != nil {
		t.Fatal(err)
	}
	step := reports[0].Steps[3]
	inserted := step.Operations[2].Count + 10*step.Operations[3].Count
	for _, o := range step.Operations {
		if o.Errors > 0 || o.Count == 0 {
			t.Errorf("operation %s: %d succeeded, errors %+v", o.Name, o.Count, o.ErrorClasses)
		}
	}
	if got := step.Operations[0]; got.Documents != got.Count {
		t.Errorf("%d reads by _id found %d documents", got.Count, got.Documents)
	}
	wantStored(t, db, target, 3*loaded+inserted, plan.Collections[0])
}

// wantStored wants this many documents, by every way of counting, and sizes that are of something.
func wantStored(t *testing.T, db *driver.Database, target *mongo.Target, want int64, collection planv1.Collection) {
	t.Helper()
	counted, err := target.Count(t.Context(), db.Name(), collection.Name)
	estimated, wrong := target.Estimate(t.Context(), db.Name(), collection.Name)
	sizes, failed := target.Sizes(t.Context(), db.Name(), []planv1.Collection{collection})
	if err := errors.Join(err, wrong, failed); err != nil {
		t.Fatal(err)
	}
	if counted != want || estimated != want {
		t.Errorf("counted %d documents, estimated %d, want %d", counted, estimated, want)
	}
	if len(sizes) != 1 || sizes[0].Documents != want || sizes[0].DataBytes == 0 || sizes[0].StorageBytes == 0 ||
		len(sizes[0].Indexes) == 0 {
		t.Errorf("sizes %+v, want those of %d documents", sizes, want)
	}
}

func TestTimeSeriesThatDifferAreFound(t *testing.T) {
	withSeries(t, func(t *testing.T, server *mongotest.Server) {
		t.Helper()
		db, target := database(t, server, "different"), open(t, server)
		plan := of(db.Name(), benchv1alpha1.ClientWire, measurements(), planv1.Step{})
		plan.Steps = plan.Steps[:3]
		if _, err := drivertest.Run(t.Context(), plan, target); err != nil {
			t.Fatal(err)
		}
		// One document more has an _id that is there already, and of the others one field was to be another.
		things := db.Collection("things")
		one := things.FindOne(t.Context(), bson.D{{Key: "n", Value: 17}})
		document, err := one.Raw()
		if err != nil {
			t.Fatal(err)
		}
		if _, err = things.InsertOne(t.Context(), document); err != nil {
			t.Fatal(err)
		}
		plan.Collections[0].Fields[4].Seed = 99
		verified, err := verify.Verify(t.Context(), target, plan, verify.Options{Check: benchv1alpha1.VerifyAll})
		if err != nil {
			t.Fatal(err)
		}
		found := verified[0]
		most := found.Different >= 2*loaded && found.Different < 3*loaded
		if found.Compared != 3*loaded || !most || found.Found != 3*loaded+1 || found.Differences[0].Field != "sensor.z" {
			t.Errorf("verified %+v; want nine of ten to differ in sensor.z, and one document too many", found)
		}
	})
}

func TestAViewIsReadByTheKeysOfItsSource(t *testing.T) {
	for _, version := range mongotest.All() {
		t.Run("mongod "+version, func(t *testing.T) {
			for _, client := range everyClient {
				t.Run(string(client), func(t *testing.T) { checkView(t, version, client) })
			}
		})
	}
}

func checkView(t *testing.T, version string, client benchv1alpha1.Client) {
	t.Helper()
	server := replicaSet(t, version)
	db := database(t, server, "views")
	const byKey = `{"_id": {"$param": "id"}}`
	plan := planOf(db.Name(), planv1.Step{Threads: 2, OperationCount: 600, Operations: []planv1.Operation{
		{Name: "upper", Parameters: byID, Request: planv1.Request{Kind: "FindOne", Filter: byKey}},
		{Name: "count", Request: planv1.Request{Kind: "CountDocuments", Filter: "{}"}},
		{Name: "aggregate", Request: planv1.Request{Kind: "Aggregate", Pipeline: `[{"$limit": 3}]`}},
	}})
	view := func(name, source, pipeline string) planv1.Collection {
		return planv1.Collection{Name: name, View: &planv1.View{Source: source, Pipeline: text(pipeline)}}
	}
	// Views may come before what they are of.
	plan.Collections = append([]planv1.Collection{
		view("few", "upper", `[{"$match": {"n": {"$lt": 400}}}]`),
		view("upper", "things", `[{"$match": {"n": {"$gte": 250}}}]`),
	}, plan.Collections...)
	plan.Client = client
	plan.Steps[3].Operations[0].Collection = "upper"
	plan.Steps[3].Operations[1].Collection = "few"
	plan.Steps[3].Operations[2].Collection = "few"
	reports, err := drivertest.Run(t.Context(), plan, open(t, server))
	if err != nil {
		t.Fatal(err)
	}
	operations := reports[0].Steps[3].Operations
	// Half of the keys are of documents that the view leaves out.
	share := 100 * operations[0].Documents / operations[0].Count
	if share < 30 || share > 70 {
		t.Errorf("%d %% of the keys were found in the view of one half", share)
	}
	if o := operations[2]; o.Documents != 3*o.Count || o.Errors > 0 {
		t.Errorf("%d reads of three documents found %d, errors %+v", o.Count, o.Documents, o.ErrorClasses)
	}
	if found := count(t, db, "{}"); found != loaded {
		t.Errorf("%d documents, want %d", found, loaded)
	}
}

func TestDocumentsThatAreNotValidEndTheLoad(t *testing.T) {
	for _, version := range mongotest.All() {
		t.Run("mongod "+version, func(t *testing.T) {
			server := replicaSet(t, version)
			db := database(t, server, "valid")
			for filter, want := range map[string]string{
				`{"n": {"$gte": 0}}`: "", `{"n": {"$lt": 400}}`: "failed validation",
			} {
				plan := planOf(db.Name(), planv1.Step{})
				plan.Steps = plan.Steps[:3]
				plan.Collections[0].Validator = &planv1.Validator{Filter: text(filter)}
				_, err := drivertest.Run(t.Context(), plan, open(t, server))
				if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
					t.Errorf("validator %s: error %v, want %q", filter, err, want)
				}
			}
		})
	}
}
