package mongo_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen/document"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// operationCase is one operation, sent a hundred times by four workers, and what is true afterwards.
type operationCase struct {
	operation planv1.Operation
	// wantDocuments that all hundred returned or wrote.
	wantDocuments int64
	// wantChanges are what the report has of them beside: inserted, matched, modified, deleted, and of which operations
	// found nothing.
	wantChanges reportv1.Operation
	// wantCount of documents in the collection.
	wantCount int
	check     func(t *testing.T, db *driver.Database)
}

// sent is how often each operation is sent.
const sent = 100

var byID = []planv1.Parameter{key}

var readCases = map[string]operationCase{
	"FindOne reads one document": {
		operation: planv1.Operation{
			Parameters: byID, Request: planv1.Request{Kind: "FindOne", Filter: `{"_id": {"$param": "id"}}`},
		},
		wantDocuments: sent, wantCount: loaded,
	},
	"Connect comes upon nothing": {
		operation: planv1.Operation{Request: planv1.Request{Kind: "Connect"}}, wantCount: loaded,
	},
	"FindOne of nothing reads nothing and is no error": {
		operation:     planv1.Operation{Request: planv1.Request{Kind: "FindOne", Filter: `{"_id": "absent"}`}},
		wantDocuments: 0, wantCount: loaded,
		wantChanges: reportv1.Operation{Empty: sent},
	},
	"Find reads its cursor to the end": {
		operation: planv1.Operation{
			Request: planv1.Request{
				Kind: "Find", Filter: `{"n": {"$gte": 100}}`, Projection: `{"n": 1}`, BatchSize: 7, Skip: 10, Limit: 120,
				Sort: []benchv1alpha1.SortKey{{Field: "n", Direction: benchv1alpha1.SortDescending}},
			},
		},
		wantDocuments: sent * 120, wantCount: loaded,
	},
	"Find of the first batch reads no more": {
		operation: planv1.Operation{
			Request: planv1.Request{Kind: "Find", Filter: `{}`, BatchSize: 7, Fetch: benchv1alpha1.FetchFirstBatch},
		},
		wantDocuments: sent * 7, wantCount: loaded, check: noOpenCursor,
	},
	"Aggregate reads its cursor to the end": {
		operation: planv1.Operation{
			Request: planv1.Request{
				Kind: "Aggregate", BatchSize: 3,
				Pipeline: `[{"$group": {"_id": {"$mod": ["$n", 10]}, "sum": {"$sum": "$n"}}}]`,
			},
		},
		wantDocuments: sent * 10, wantCount: loaded,
	},
	"Aggregate of the first batch reads no more": {
		operation: planv1.Operation{
			Request: planv1.Request{
				Kind: "Aggregate", BatchSize: 1, Fetch: benchv1alpha1.FetchFirstBatch, Pipeline: `[{"$sort": {"text": 1}}]`,
			},
		},
		wantDocuments: sent, wantCount: loaded, check: noOpenCursor,
	},
	"CountDocuments answers with one document": {
		operation: planv1.Operation{
			Request: planv1.Request{Kind: "CountDocuments", Filter: `{"n": {"$lt": 50}}`, Skip: 2, Limit: 20},
		},
		wantDocuments: sent, wantCount: loaded,
	},
	"EstimatedDocumentCount answers with one document": {
		operation:     planv1.Operation{Request: planv1.Request{Kind: "EstimatedDocumentCount"}},
		wantDocuments: sent, wantCount: loaded,
	},
	"Distinct returns every value once": {
		operation: planv1.Operation{
			Request: planv1.Request{Kind: "Distinct", Field: "n", Filter: `{"n": {"$lt": 30}}`},
		},
		wantDocuments: 30 * sent, wantCount: loaded,
	},
	"RunCommand leaves no cursor open": {
		operation: planv1.Operation{
			Request:       planv1.Request{Kind: "RunCommand"},
			WholeSettings: planv1.WholeSettings{Command: `{"find": "things", "batchSize": 3}`},
		},
		wantDocuments: 3 * sent, wantCount: loaded, check: noOpenCursor,
	},
	"RunCommand runs any command": {
		operation: planv1.Operation{
			Request:       planv1.Request{Kind: "RunCommand"},
			WholeSettings: planv1.WholeSettings{Command: `{"collStats": "things"}`},
		},
		wantCount: loaded,
	},
}

var writeCases = map[string]operationCase{
	"InsertOne adds documents of the dataset": {
		operation:     planv1.Operation{Request: planv1.Request{Kind: "InsertOne"}},
		wantDocuments: sent, wantCount: loaded + sent,
		wantChanges: reportv1.Operation{Inserted: sent},
	},
	"InsertMany adds batches of them": {
		operation:     planv1.Operation{Request: planv1.Request{Kind: "InsertMany", BatchDocuments: 3}},
		wantDocuments: 3 * sent, wantCount: loaded + 3*sent,
		wantChanges: reportv1.Operation{Inserted: 3 * sent},
	},
	"InsertThenFind adds documents and sees them": {
		operation:     planv1.Operation{Request: planv1.Request{Kind: "InsertThenFind"}},
		wantDocuments: 2 * sent, wantCount: loaded + sent,
		wantChanges: reportv1.Operation{Inserted: sent},
	},
	"UpdateOne changes by operators": {
		operation: planv1.Operation{
			Parameters: byID,
			Request: planv1.Request{
				Kind: "UpdateOne", Filter: `{"_id": {"$param": "id"}}`, Update: `{"$inc": {"touched": 1}}`,
			},
		},
		wantDocuments: sent, wantCount: loaded, check: touchedInAll,
		wantChanges: reportv1.Operation{Matched: sent, Modified: sent},
	},
	"UpdateOne changes by a pipeline": {
		operation: planv1.Operation{
			Parameters: byID,
			Request: planv1.Request{
				Kind: "UpdateOne", Filter: `{"_id": {"$param": "id"}}`,
				Update: `[{"$set": {"touched": {"$add": [{"$ifNull": ["$touched", 0]}, 1]}}}]`,
			},
		},
		wantDocuments: sent, wantCount: loaded, check: touchedInAll,
		wantChanges: reportv1.Operation{Matched: sent, Modified: sent},
	},
	"ReadModifyWrite reads and changes": {
		operation: planv1.Operation{
			Parameters: byID,
			Request: planv1.Request{
				Kind: "ReadModifyWrite", Filter: `{"_id": {"$param": "id"}}`, Update: `{"$inc": {"touched": 1}}`,
			},
		},
		wantDocuments: sent, wantCount: loaded, check: touchedInAll,
		wantChanges: reportv1.Operation{Matched: sent, Modified: sent},
	},
	"ReplaceOne writes another version of the document": {
		operation: planv1.Operation{
			Parameters: byID,
			Request:    planv1.Request{Kind: "ReplaceOne", ReplaceKey: "id", Filter: `{"_id": {"$param": "id"}}`},
		},
		wantDocuments: sent, wantCount: loaded, check: someReplaced,
		wantChanges: reportv1.Operation{Matched: sent, Modified: sent},
	},
	"DeleteOne deletes one": {
		operation:     planv1.Operation{Request: planv1.Request{Kind: "DeleteOne", Filter: `{"n": {"$lt": 250}}`}},
		wantDocuments: sent, wantCount: loaded - sent,
		wantChanges: reportv1.Operation{Deleted: sent},
	},
	"FindOneAndDelete deletes one and returns it": {
		operation:     planv1.Operation{Request: planv1.Request{Kind: "FindOneAndDelete", Filter: `{"n": {"$lt": 250}}`}},
		wantDocuments: sent, wantCount: loaded - sent,
		wantChanges: reportv1.Operation{Deleted: sent},
	},
	"FindOneAndReplace writes another version of the document": {
		operation: planv1.Operation{
			Parameters: byID,
			Request: planv1.Request{
				Kind: "FindOneAndReplace", ReplaceKey: "id", Filter: `{"_id": {"$param": "id"}}`,
			},
		},
		wantDocuments: sent, wantCount: loaded, check: someReplaced,
		wantChanges: reportv1.Operation{Matched: sent},
	},
	"DeleteMany deletes all that match": {
		operation:     planv1.Operation{Request: planv1.Request{Kind: "DeleteMany", Filter: `{"n": {"$lt": 50}}`}},
		wantDocuments: 50, wantCount: loaded - 50,
		wantChanges: reportv1.Operation{Deleted: 50},
	},
}

func TestEveryKindIsSent(t *testing.T) {
	cases := slices.AppendSeq(slices.Collect(maps.Values(readCases)), maps.Values(writeCases))
	for _, planned := range newKinds() {
		cases = append(cases, operationCase{operation: planned})
	}
	for kind := range operation.Kinds() {
		isOfKind := func(tc operationCase) bool { return tc.operation.Kind == kind.Row().Name }
		// Those that wait for something are sent in feed_test.go, and a flow sends nothing but its parts, in flows_test.go.
		if kind != benchv1alpha1.OperationFlow && !kind.Row().Takes(operation.MaxAwaitMillis) && !slices.ContainsFunc(cases, isOfKind) {
			t.Errorf("loadgen/driver/mongo/operations_test.go: no operation of kind %s is sent to a server", kind)
		}
	}
}

func TestReads(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			server := mongotest.Shared(t, version)
			testOperations(t, server, readCases)
		})
	}
}

func TestWrites(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			server := mongotest.Shared(t, version)
			testOperations(t, server, writeCases)
		})
	}
}

// testOperations tests operations by both clients.
func testOperations(t *testing.T, server *mongotest.Server, cases map[string]operationCase) {
	t.Helper()
	for name, tc := range cases {
		for _, client := range everyClient {
			if client == benchv1alpha1.ClientWire && !operation.Of(tc.operation.Kind).SentBy(operation.Wire) {
				continue
			}
			t.Run(name+" by "+string(client), func(t *testing.T) { testOperation(t, server, tc, client) })
		}
	}
}

// testOperation loads a collection, sends one operation a hundred times, and looks at what came of it.
func testOperation(t *testing.T, server *mongotest.Server, tc operationCase, client benchv1alpha1.Client) {
	t.Helper()
	db := database(t, server, "operations")
	tc.operation.Name = "it"
	plan := planOf(db.Name(), planv1.Step{
		Threads: 4, OperationCount: sent, Operations: []planv1.Operation{tc.operation},
	})
	plan.Client = client
	reports, err := drivertest.Run(t.Context(), plan, open(t, server))
	if err != nil {
		t.Fatal(err)
	}
	measured := reports[0].Steps[3].Operations[0]
	want := tc.wantChanges
	want.Name, want.Kind, want.Count, want.Documents = "it", string(tc.operation.Kind), sent, tc.wantDocuments
	if tc.operation.Kind == "DeleteMany" {
		// The first of them leave nothing to the others; how many share in it is chance.
		if want.Empty = measured.Empty; want.Empty <= 0 || want.Empty >= sent {
			t.Errorf("%d of %d found nothing", want.Empty, sent)
		}
	}
	if measured.BusyMicros <= 0 {
		t.Errorf("the workers were busy for %d µs", measured.BusyMicros)
	}
	// What is expected of an operation is its plan's.
	others := cmpopts.IgnoreFields(reportv1.Operation{},
		"ServiceTime", "FirstDocument", "Intervals", "IntervalErrors", "IntervalTimes", "Expect", "BusyMicros")
	if diff := cmp.Diff(want, measured, others); diff != "" {
		t.Errorf("the report (-want +got):\n%s", diff)
	}
	found := documentsOf(t, db, "things")
	if len(found) != tc.wantCount {
		t.Errorf("the collection has %d documents, want %d", len(found), tc.wantCount)
	}
	if tc.check != nil {
		tc.check(t, db)
	}
}

// touchedInAll sums the counter that the updates count up.
func touchedInAll(t *testing.T, db *driver.Database) {
	t.Helper()
	var touched int64
	for _, document := range documentsOf(t, db, "things") {
		count, _ := document.Lookup("touched").AsInt64OK()
		touched += count
	}
	if touched != sent {
		t.Errorf("%d updates reached the documents, want %d", touched, sent)
	}
}

// someReplaced compares with what was loaded: the same _id, other values in some.
func someReplaced(t *testing.T, db *driver.Database) {
	t.Helper()
	want := generated(t, planOf(db.Name(), planv1.Step{}), 0, loaded)
	var replaced int
	for _, document := range documentsOf(t, db, "things") {
		original, ok := want[document.Lookup("_id").String()]
		if !ok {
			t.Fatalf("document %s was never loaded", document)
		}
		if string(original) != string(document) {
			replaced++
		}
	}
	if replaced == 0 || replaced > sent {
		t.Errorf("%d documents were replaced, want 1 to %d", replaced, sent)
	}
}

// noOpenCursor asks the server which cursors on the collection are left open.
func noOpenCursor(t *testing.T, db *driver.Database) {
	t.Helper()
	cursor, err := db.Client().Database("admin").Aggregate(t.Context(), bson.A{
		bson.D{{Key: "$currentOp", Value: bson.D{{Key: "idleCursors", Value: true}}}},
		bson.D{{Key: "$match", Value: bson.D{{Key: "type", Value: "idleCursor"}, {Key: "ns", Value: db.Name() + ".things"}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var open []bson.Raw
	if err := cursor.All(t.Context(), &open); err != nil {
		t.Fatal(err)
	}
	if len(open) != 0 {
		t.Errorf("%d cursors are left open, want none", len(open))
	}
}

// generated are documents as the generator makes them, by their _id.
func generated(t *testing.T, plan planv1.Plan, first, count int64) map[string]bson.Raw {
	t.Helper()
	generator, err := document.Compile(plan.Seed, plan.Collections[0])
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]bson.Raw{}
	for record := first; record < first+count; record++ {
		document := bson.Raw(generator.Append(nil, record))
		made[document.Lookup("_id").String()] = document
	}
	return made
}
