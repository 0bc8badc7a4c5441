package mongo_test

import (
	"os"
	"strconv"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// copies are how many collections a declared one stands for, where a few will do.
const copies = 7

// copiedPlan loads 500 documents into so many collections, reads and writes them, and inserts.
func copiedPlan(database string, copies int64) planv1.Plan {
	byID := `{"_id": {"$param": "id"}}`
	keyed := []planv1.Parameter{key}
	plan := planOf(database, planv1.Step{Threads: 4, OperationCount: 600, Operations: []planv1.Operation{
		{Name: "read", Parameters: keyed, Request: planv1.Request{Kind: "FindOne", Filter: planv1.Document(byID)}},
		{
			Name: "update", Parameters: keyed,
			Request: planv1.Request{Kind: "UpdateOne", Filter: planv1.Document(byID), Update: `{"$inc": {"changed": 1}}`},
		},
		{Name: "insert", Request: planv1.Request{Kind: "InsertOne"}},
		{Name: "scan", Request: planv1.Request{Kind: "Find", Filter: "{}", Limit: 5}},
		{
			Name: "bulk", Parameters: keyed, Request: planv1.Request{Kind: "BulkWrite"},
			WholeSettings: planv1.WholeSettings{Operations: []planv1.Request{
				{Kind: "UpdateOne", Filter: planv1.Document(byID), Update: `{"$inc": {"changed": 1}}`},
				{Kind: "UpdateOne", Filter: planv1.Document(byID), Update: `{"$inc": {"changed": 1}}`},
			}},
		},
	}})
	plan.Collections[0].Copies = copies
	plan.Collections[0].DocumentCount = max(loaded, copies)
	plan.Steps[2].Check = benchv1alpha1.VerifyAll
	return plan
}

func TestACollectionStandsForMany(t *testing.T) {
	for _, version := range mongotest.All() {
		t.Run(version, func(t *testing.T) {
			server := mongotest.Shared(t, version)
			for _, client := range everyClient {
				checkCopies(t, server, client)
			}
		})
	}
}

func checkCopies(t *testing.T, server *mongotest.Server, client benchv1alpha1.Client) {
	t.Helper()
	db := database(t, server, "copied")
	plan := copiedPlan(db.Name(), copies)
	plan.Client, plan.Pods = client, 2
	reports, err := drivertest.Run(t.Context(), plan, open(t, server))
	if err != nil {
		t.Fatal(err)
	}
	inserted := wantCopiesHit(t, client, reports)
	names, err := db.ListCollectionNames(t.Context(), bson.D{})
	if err != nil || len(names) != copies {
		t.Errorf("collections %v, error %v", names, err)
	}
	all, changed := int64(0), int64(0)
	for i := range copies {
		documents, changes := wantCopy(t, db, i)
		all, changed = all+documents, changed+changes
	}
	if all != loaded+inserted || changed == 0 {
		t.Errorf("%d documents, %d were inserted, and %d changes", all, inserted, changed)
	}
}

// wantCopy wants a copy to hold its share of what was loaded and some of what was inserted, and returns how many
// documents it holds, and how often they were changed.
func wantCopy(t *testing.T, db *driver.Database, index int) (all, changes int64) {
	t.Helper()
	name := "things_" + strconv.Itoa(index)
	first, number := planv1.Share(loaded, copies, index)
	var own int64
	for _, document := range documentsOf(t, db, name) {
		if n := document.Lookup("n").AsInt64(); n >= first && n < first+number {
			own++
		}
		by, _ := document.Lookup("changed").AsInt64OK()
		all, changes = all+1, changes+by
	}
	if own != number || all == number {
		t.Errorf("%s holds %d of its %d loaded documents, and %d in all; want some that were inserted", name, own, number,
			all)
	}
	wantIndex(t, db, name)
	return all, changes
}

func wantIndex(t *testing.T, db *driver.Database, collection string) {
	t.Helper()
	indexes, err := db.Collection(collection).Indexes().ListSpecifications(t.Context())
	if err != nil || len(indexes) != 2 {
		t.Errorf("indexes of %s: %v, error %v", collection, indexes, err)
	}
}

// wantCopiesHit wants every operation to have come upon its documents, and returns how many were inserted.
func wantCopiesHit(t *testing.T, client benchv1alpha1.Client, reports []reportv1.Report) (inserted int64) {
	t.Helper()
	for _, report := range reports {
		for _, o := range report.Steps[len(report.Steps)-1].Operations {
			each := map[string]int64{"read": 1, "update": 1, "insert": 1, "scan": 5, "bulk": 2}[o.Name]
			few := o.Name == "scan" && o.Documents >= o.Count // Of hundreds, each has less than five documents.
			if o.Count == 0 || o.Errors > 0 || o.Documents != o.Count*each && !few {
				t.Errorf("%s: %s: %d came upon %d documents, errors %+v", client, o.Name, o.Count, o.Documents, o.ErrorClasses)
			}
			if o.Name == "insert" {
				inserted += o.Documents
			}
		}
	}
	return inserted
}

// TestHundredsOfCollections makes as many as COPIES says: what the page about them tells was measured with it.
func TestHundredsOfCollections(t *testing.T) {
	copies := int64(300)
	if more, err := strconv.ParseInt(os.Getenv("COPIES"), 10, 64); err == nil {
		copies = more
	}
	server := mongotest.Shared(t, mongotest.Newest())
	db := database(t, server, "hundreds")
	plan := copiedPlan(db.Name(), copies)
	for round := range 2 { // The second drops them first.
		reports, err := drivertest.Run(t.Context(), plan, open(t, server))
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range reports[0].Steps {
			t.Logf("round %d, %s: %s", round, step.Name, step.End.Sub(step.Start))
		}
		wantCopiesHit(t, plan.Client, reports)
	}
}
