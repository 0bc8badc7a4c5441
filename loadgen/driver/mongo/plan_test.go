package mongo_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/mongotest"
	"github.com/mongobench/mongobench-operator/loadgen/targettest"
)

// newKinds are operations of a plan, of the kinds that only the driver knows and some that need it.
func newKinds() []planv1.Operation {
	const byKey = `{"_id": {"$param": "id"}}`
	part := func(kind, filter, update string) planv1.Operation {
		return planv1.Operation{Name: kind, Kind: kind, Collection: "things", Filter: filter, Update: update}
	}
	return []planv1.Operation{
		{
			Name: "transaction", Kind: "Transaction", Parameters: byID, ReadConcern: "snapshot",
			WriteConcern: &planv1.WriteConcern{W: "majority"},
			Operations: []planv1.Operation{
				part("FindOne", byKey, ""), part("UpdateOne", byKey, `{"$inc": {"moved": 1}}`),
				{Name: "log", Kind: "InsertOne", Collection: "things"},
			},
		},
		{
			Name: "bulk", Kind: "BulkWrite", Parameters: byID, Ordered: true,
			Operations: []planv1.Operation{
				part("UpdateOne", byKey, `{"$inc": {"bulk": 1}}`), {Name: "new", Kind: "InsertOne", Collection: "things"},
				part("DeleteOne", `{"_id": "nobody"}`, ""),
			},
		},
		{Name: "stream", Kind: "ChangeStream", MaxAwaitMillis: 50},
		{
			Name: "silent", Kind: "UpdateMany", Filter: `{"n": {"$lt": 10}}`, Update: `{"$set": {"seen": true}}`,
			WriteConcern: &planv1.WriteConcern{W: "0"},
		},
		{
			Name: "exchange", Kind: "FindOneAndUpdate", Parameters: byID, Filter: byKey, Update: `{"$inc": {"exchanged": 1}}`,
			Upsert: true,
		},
		{
			Name: "count", Kind: "CountDocuments", Filter: `{"n": {"$gte": 0}}`, ReadConcern: "majority",
			ReadPreference: "nearest",
		},
	}
}

func TestEveryKindComesFromAPlan(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			server := replicaSet(t, version)
			db := database(t, server, "plan")
			plan := planOf(db.Name(), planv1.Step{Threads: 4, OperationCount: 600, Retry: true, Operations: newKinds()})
			plan.Client = planv1.ClientAuto
			reports, err := targettest.Run(t.Context(), plan, open(t, server))
			if err != nil {
				t.Fatal(err)
			}
			step := reports[0].Steps[3]
			for _, operation := range step.Operations {
				checkPlanned(t, operation)
			}
			if diff := cmp.Diff(open(t, server).Driver(), step.Client); diff != "" {
				t.Errorf("sent by (-want +got):\n%s", diff)
			}
			if step.Traffic.BytesIn == 0 || step.Traffic.BytesOut == 0 || step.Traffic.Checkouts < 600 {
				t.Errorf("traffic %+v", step.Traffic)
			}
			inserted := step.Operations[0].Count + step.Operations[1].Count
			if found := count(t, db, `{"n": {"$gte": 0}}`); int64(found) != loaded+inserted {
				t.Errorf("%d documents, want the %d that were loaded and %d", found, loaded, inserted)
			}
		})
	}
}

// checkPlanned looks at what was measured of one of the operations. Transactions may conflict with one another.
func checkPlanned(t *testing.T, o reportv1.Operation) {
	t.Helper()
	for _, class := range o.ErrorClasses {
		if class.Class != "write conflict" || o.Name == "silent" || o.Name == "stream" {
			t.Errorf("operation %s: %+v", o.Name, class)
		}
	}
	want := map[string]int64{"transaction": 3 * o.Count, "bulk": 2 * o.Count, "exchange": o.Count, "count": o.Count}
	if documents, ok := want[o.Name]; ok && (o.Documents != documents || o.Unacknowledged != 0) {
		t.Errorf("operation %s: %d documents of %d, %d without a time", o.Name, o.Documents, o.Count, o.Unacknowledged)
	}
	switch o.Name {
	case "silent":
		if o.Unacknowledged != o.Count || o.Count == 0 || o.Documents != 0 {
			t.Errorf("%d of %d writes had no answer, and %d documents are claimed", o.Unacknowledged, o.Count, o.Documents)
		}
	case "stream":
		if o.Documents == 0 || o.Unacknowledged == 0 || o.Unacknowledged == o.Count {
			t.Errorf("%d events in %d operations, %d without a time", o.Documents, o.Count, o.Unacknowledged)
		}
	default:
	}
}
