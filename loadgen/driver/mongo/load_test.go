package mongo_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

func TestLoadedDocumentsAreTheGeneratorsByteForByte(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			server := mongotest.Shared(t, version)
			db := database(t, server, "loaded")
			plan := planOf(db.Name(), planv1.Step{})
			plan.Steps = plan.Steps[:3]
			if _, err := drivertest.Run(t.Context(), plan, open(t, server)); err != nil {
				t.Fatal(err)
			}
			want := generated(t, plan, 0, loaded)
			found := map[string]bson.Raw{}
			for _, document := range documentsOf(t, db, "things") {
				found[document.Lookup("_id").String()] = document
			}
			if diff := cmp.Diff(want, found); diff != "" {
				t.Errorf("documents (-generated +stored):\n%s", diff)
			}
			checkCollection(t, db.RunCommand(t.Context(), bson.D{{Key: "listCollections", Value: 1}}), "block_compressor=zlib")
			checkCollection(t, db.RunCommand(t.Context(), bson.D{{Key: "listIndexes", Value: "things"}}), `"n_1"`)
		})
	}
}

// checkCollection looks for a setting in what the server says of a collection.
func checkCollection(t *testing.T, reply interface{ Raw() (bson.Raw, error) }, want string) {
	t.Helper()
	raw, err := reply.Raw()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(raw.String(), want) {
		t.Errorf("the server says %s, want it to hold %s", raw, want)
	}
}

func TestThreadsAndPodsMakeTheSameCollection(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			server := mongotest.Shared(t, version)
			hashes := map[[32]byte]bool{}
			for _, tc := range []struct{ pods, threads int }{{1, 1}, {1, 4}, {2, 4}, {3, 5}} {
				db := database(t, server, "same")
				const filter = `{"_id": {"$param": "id"}}`
				plan := planOf(db.Name(), planv1.Step{OperationCount: 300, Operations: []planv1.Operation{
					{Name: "insert", Request: planv1.Request{Kind: "InsertOne"}},
					{
						Name: "update", Parameters: byID,
						Request: planv1.Request{Kind: "UpdateOne", Filter: filter, Update: `{"$inc": {"x": 1}}`},
					},
					{Name: "read", Parameters: byID, Request: planv1.Request{Kind: "FindOne", Filter: filter}},
				}})
				plan.Pods, plan.Steps[1].Threads, plan.Steps[3].Threads = tc.pods, tc.threads, tc.threads
				if _, err := drivertest.Run(t.Context(), plan, open(t, server)); err != nil {
					t.Fatal(err)
				}
				hashes[hashOf(t, db, "things")] = true
			}
			if len(hashes) != 1 {
				t.Errorf("the same plan with other pods and threads left %d different collections, want 1", len(hashes))
			}
		})
	}
}

func TestBatchesAreCutToWhatTheServerTakes(t *testing.T) {
	// The driver's batch is one document of at most 16 MiB, the wire client's a message of at most 48 MB.
	want := map[benchv1alpha1.Client]int64{
		benchv1alpha1.ClientApplication: 2, benchv1alpha1.ClientDriver: 4, benchv1alpha1.ClientWire: 2,
	}
	eachClient(t, func(t *testing.T, version string, client benchv1alpha1.Client) {
		t.Helper()
		server := mongotest.Shared(t, version)
		db := database(t, server, "large")
		plan := planOf(db.Name(), planv1.Step{})
		plan.Client, plan.Steps = client, plan.Steps[:3]
		plan.Steps[1].BatchDocuments = 60
		plan.Collections[0].DocumentCount, plan.Collections[0].Compressor = 60, "none"
		plan.Collections[0].Fields[2].Value = planv1.Value{
			Type: benchv1alpha1.GeneratorBinary, Seed: 1, Min: 1 << 20,
			Max: 1 << 20,
		}
		reports, err := drivertest.Run(t.Context(), plan, open(t, server))
		if err != nil {
			t.Fatal(err)
		}
		if got := reports[0].Steps[1].Operations[0]; got.Documents != 60 || got.Count != want[client] {
			t.Errorf("%d documents of 1 MiB in %d inserts, want 60 in %d", got.Documents, got.Count, want[client])
		}
	})
}

func TestDocumentsOfOthersAreFoundByTheCount(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			server := mongotest.Shared(t, version)
			db := database(t, server, "count")
			plan := planOf(db.Name(), planv1.Step{})
			plan.Steps = []planv1.Step{plan.Steps[1], plan.Steps[2]}
			if _, err := db.Collection("things").InsertOne(t.Context(), bson.D{{Key: "n", Value: -1}}); err != nil {
				t.Fatal(err)
			}
			_, err := drivertest.Run(t.Context(), plan, open(t, server))
			if err == nil || !strings.Contains(err.Error(), "expected 500 documents, found 501") {
				t.Errorf("error %v, want one with both numbers", err)
			}
		})
	}
}

func TestDocumentsThatAreThereAlreadyAreNotLoadedTwice(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Versions()[1])
	db := database(t, server, "twice")
	plan := planOf(db.Name(), planv1.Step{})
	plan.Steps = []planv1.Step{plan.Steps[1], plan.Steps[1]}
	if _, err := drivertest.Run(t.Context(), plan, open(t, server)); err != nil {
		t.Error(err)
	}
	if count, err := db.Collection("things").CountDocuments(t.Context(), bson.D{}); err != nil || count != loaded {
		t.Errorf("there are %d documents, %v, want %d", count, err, loaded)
	}
}

// batch is one insert of documents with these values of _id and n, by a session for a load.
type batch []bson.D

func (b batch) Append(dst []byte, record int64) []byte {
	document, _ := bson.Marshal(b[record])
	return append(dst, document...)
}

// loadCase is a batch that is written beside the ten documents.
type loadCase struct {
	use       loadgen.Use
	documents batch
	wantError bool
	wantFound int
}

func TestWhatALoadDoesAboutDocumentsThatAreThereAlready(t *testing.T) {
	item := func(id, n int) bson.D { return bson.D{{Key: "_id", Value: id}, {Key: "n", Value: n}} }
	cases := map[string]loadCase{
		"a resumed load passes over them": {
			loadgen.Use{Resume: true}, batch{item(1, 1), item(50, 50), item(2, 2), item(51, 51)}, false, 12,
		},
		"a resumed load passes over them in an ordered batch too": {
			loadgen.Use{Resume: true, Step: planv1.Step{Ordered: true}}, batch{item(1, 1), item(50, 50)}, false, 11,
		},
		"a resumed load fails on another unique index": {
			loadgen.Use{Resume: true}, batch{item(1, 1), item(50, 1)}, true, 10,
		},
		"a load that is not resumed fails, and writes the others": {
			loadgen.Use{}, batch{item(1, 100), item(50, 50)}, true, 11,
		},
		"an ordered one ends there": {
			loadgen.Use{Step: planv1.Step{Ordered: true}}, batch{item(50, 50), item(1, 100), item(51, 51)}, true, 11,
		},
	}
	eachClient(t, func(t *testing.T, version string, client benchv1alpha1.Client) {
		t.Helper()
		for name, tc := range cases {
			tc.use.Client, tc.use.Step.Kind = client, planv1.StepLoad
			t.Run(name, func(t *testing.T) { checkLoad(t, mongotest.Shared(t, version), tc) })
		}
	})
}

func checkLoad(t *testing.T, server *mongotest.Server, tc loadCase) {
	t.Helper()
	db := database(t, server, "resume")
	ten(t, db)
	tc.use.Database = db.Name()
	session, target := sessionOf(t, server.URI(), tc.use)
	indexed := planv1.Collection{
		Name: "things", Indexes: []planv1.Index{{Keys: []planv1.IndexKey{{Field: "n", Order: "1"}}, Unique: true}},
	}
	for range 2 {
		if err := target.Index(t.Context(), db.Name(), indexed); err != nil {
			t.Fatalf("making the index, which may be there: %v", err)
		}
	}
	all := int64(len(tc.documents))
	if encoded := session.Encode("things", tc.documents, 0, all); encoded != all {
		t.Fatalf("%d documents encoded", encoded)
	}
	err := errors.Join(session.Send(t.Context()), session.Acknowledge(t.Context()))
	if (err != nil) != tc.wantError || err != nil && target.Classify(err) != "duplicate key" {
		t.Errorf("error %v, want one of a duplicate key: %t", err, tc.wantError)
	}
	if found := count(t, db, `{}`); found != tc.wantFound {
		t.Errorf("%d documents, want %d", found, tc.wantFound)
	}
}
