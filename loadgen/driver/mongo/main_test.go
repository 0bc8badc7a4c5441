package mongo_test

import (
	"context"
	"crypto/sha256"
	"os"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// everyClient are the clients that speak to MongoDB.
var everyClient = []benchv1alpha1.Client{
	benchv1alpha1.ClientApplication, benchv1alpha1.ClientDriver, benchv1alpha1.ClientWire,
}

func TestMain(m *testing.M) {
	os.Exit(mongotest.Main(m))
}

// open connects the driver that is tested.
func open(t *testing.T, server *mongotest.Server) *mongo.Target {
	t.Helper()
	target, err := mongo.Open(t.Context(), mongo.Config{URIs: []string{server.URI()}, Connections: 8})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.Close(context.Background()) })
	return target
}

// database is a plain connection for looking at what was done, to an empty database named after the test's purpose.
func database(t *testing.T, server *mongotest.Server, name string) *driver.Database {
	t.Helper()
	client, err := driver.Connect(options.Client().ApplyURI(server.URI()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.Background()) })
	db := client.Database(name)
	if err := db.Drop(t.Context()); err != nil {
		t.Fatal(err)
	}
	return db
}

// documentsOf are the documents of a collection in the order of their _id.
func documentsOf(t *testing.T, db *driver.Database, collection string) []bson.Raw {
	t.Helper()
	byID := options.Find().SetSort(bson.D{{Key: "_id", Value: 1}})
	cursor, err := db.Collection(collection).Find(t.Context(), bson.D{}, byID)
	if err != nil {
		t.Fatal(err)
	}
	var found []bson.Raw
	if err := cursor.All(t.Context(), &found); err != nil {
		t.Fatal(err)
	}
	return found
}

// hashOf is a hash of all documents of a collection.
func hashOf(t *testing.T, db *driver.Database, collection string) [sha256.Size]byte {
	t.Helper()
	hash := sha256.New()
	for _, document := range documentsOf(t, db, collection) {
		hash.Write(document)
	}
	return [sha256.Size]byte(hash.Sum(nil))
}

// loaded is how many documents the test plans load.
const loaded = 500

// key is a parameter that draws a loaded document.
var key = planv1.Parameter{Name: "id", Value: planv1.Value{Type: planv1.TypeKey, KeyField: "_id", KeyRangePercent: 100}}

// planOf loads a collection with 500 documents whose field n is their record number, and measures one step.
func planOf(database string, step planv1.Step) planv1.Plan {
	step.Name, step.Kind = "measured", planv1.StepMeasure
	for i := range step.Operations {
		step.Operations[i].Collection = "things"
		step.Operations[i].Weight = 1
	}
	return planv1.Plan{
		Version: planv1.Version, Seed: 11, Pods: 1, Client: benchv1alpha1.ClientDriver, Database: database,
		Collections: []planv1.Collection{{
			Name: "things", DocumentCount: loaded,
			Fields: []planv1.Field{
				{Name: "_id", Value: planv1.Value{Type: benchv1alpha1.GeneratorObjectID}},
				{Name: "n", Value: planv1.Value{Type: benchv1alpha1.GeneratorSequence, Step: 1}},
				{Name: "text", Value: planv1.Value{Type: benchv1alpha1.GeneratorString, Seed: 1, Min: 5, Max: 50}},
			},
			Indexes:    []planv1.Index{{Keys: []planv1.IndexKey{{Field: "n", Order: "1"}}}},
			Compressor: "zlib",
		}},
		Steps: []planv1.Step{
			{Name: "prepare", Kind: planv1.StepPrepare},
			{Name: "load", Kind: planv1.StepLoad, Threads: 4, BatchDocuments: 77},
			{Name: "verify", Kind: planv1.StepVerify},
			step,
		},
	}
}
