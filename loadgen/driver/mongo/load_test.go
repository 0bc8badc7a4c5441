package mongo_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/mongotest"
	"github.com/mongobench/mongobench-operator/loadgen/targettest"
)

func TestLoadedDocumentsAreTheGeneratorsByteForByte(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			server := mongotest.Shared(t, version)
			db := database(t, server, "loaded")
			plan := planOf(db.Name(), planv1.Step{})
			plan.Steps = plan.Steps[:3]
			if _, err := targettest.Run(t.Context(), plan, open(t, server)); err != nil {
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
					{Name: "insert", Kind: "InsertOne"},
					{Name: "update", Kind: "UpdateOne", Parameters: byID, Filter: filter, Update: `{"$inc": {"x": 1}}`},
					{Name: "read", Kind: "FindOne", Parameters: byID, Filter: filter},
				}})
				plan.Pods, plan.Steps[1].Threads, plan.Steps[3].Threads = tc.pods, tc.threads, tc.threads
				if _, err := targettest.Run(t.Context(), plan, open(t, server)); err != nil {
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
	server := mongotest.Shared(t, mongotest.Versions()[0])
	db := database(t, server, "large")
	plan := planOf(db.Name(), planv1.Step{})
	plan.Steps = plan.Steps[:3]
	plan.Steps[1].BatchDocuments = 40
	plan.Collections[0].DocumentCount, plan.Collections[0].Compressor = 40, "none"
	plan.Collections[0].Fields[2].Value = planv1.Value{Type: planv1.TypeBinary, Seed: 1, Min: 1 << 20, Max: 1 << 20}
	reports, err := targettest.Run(t.Context(), plan, open(t, server))
	if err != nil {
		t.Fatal(err)
	}
	if got := reports[0].Steps[1].Operations[0]; got.Documents != 40 || got.Count != 3 {
		t.Errorf("%d documents of 1 MiB in %d inserts, want 40 in 3 of at most 16 MiB", got.Documents, got.Count)
	}
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
			_, err := targettest.Run(t.Context(), plan, open(t, server))
			if err == nil || !strings.Contains(err.Error(), "expected 500 documents, found 501") {
				t.Errorf("error %v, want one with both numbers", err)
			}
		})
	}
}

func TestDocumentsThatAreThereAlreadyFailTheLoad(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Versions()[1])
	db := database(t, server, "twice")
	plan := planOf(db.Name(), planv1.Step{})
	plan.Steps = []planv1.Step{plan.Steps[1], plan.Steps[1]}
	_, err := targettest.Run(t.Context(), plan, open(t, server))
	if err == nil || !strings.Contains(err.Error(), "duplicate key") || !strings.Contains(err.Error(), `"things"`) {
		t.Errorf("error %v, want one about a duplicate key in collection things", err)
	}
}
