package mongo_test

import (
	"strings"
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// newKinds are operations of a plan, of the kinds that only the driver knows and some that need it.
func newKinds() []planv1.Operation {
	const byKey = `{"_id": {"$param": "id"}}`
	part := func(kind benchv1alpha1.OperationKind, filter, update string) planv1.Request {
		return planv1.Request{
			Kind: kind, Collection: "things", Filter: planv1.Document(filter), Update: planv1.Document(update),
		}
	}
	return []planv1.Operation{
		{
			Name: "transaction", Parameters: byID, Request: planv1.Request{Kind: "Transaction"},
			WholeSettings: planv1.WholeSettings{
				ReadConcern: "Snapshot", WriteConcern: &planv1.WriteConcern{W: "majority"},
				Operations: []planv1.Request{
					part("FindOne", byKey, ""),
					part("UpdateOne", byKey, `{"$inc": {"moved": 1}}`),
					{Kind: "InsertOne", Collection: "things"},
				},
			},
		},
		{
			Name: "bulk", Parameters: byID, Request: planv1.Request{Kind: "BulkWrite"},
			WholeSettings: planv1.WholeSettings{
				Order: benchv1alpha1.WriteOrdered,
				Operations: []planv1.Request{
					part("UpdateOne", byKey, `{"$inc": {"bulk": 1}}`),
					{Kind: "InsertOne", Collection: "things"},
					part("DeleteOne", `{"_id": "absent"}`, ""),
				},
			},
		},
		{
			Name: "stream", Request: planv1.Request{Kind: "ChangeStream"},
			WholeSettings: planv1.WholeSettings{MaxAwaitMillis: 50},
		},
		{
			Name:          "silent",
			Request:       planv1.Request{Kind: "UpdateMany", Filter: `{"n": {"$lt": 10}}`, Update: `{"$set": {"seen": true}}`},
			WholeSettings: planv1.WholeSettings{WriteConcern: &planv1.WriteConcern{W: "0"}},
		},
		{
			Name: "exchange", Parameters: byID,
			Request: planv1.Request{
				Kind: "FindOneAndUpdate", Filter: byKey, Update: `{"$inc": {"exchanged": 1}}`,
				WhenMissing: benchv1alpha1.MissingInsert,
			},
		},
		{
			Name: "count", Request: planv1.Request{Kind: "CountDocuments", Filter: `{"n": {"$gte": 0}}`},
			WholeSettings: planv1.WholeSettings{ReadConcern: "Majority", ReadPreference: "Nearest"},
		},
	}
}

func TestEveryKindComesFromAPlan(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			server := replicaSet(t, version)
			db := database(t, server, "plan")
			plan := planOf(db.Name(), planv1.Step{
				Threads: 4, OperationCount: 600, Retry: benchv1alpha1.RetryOnce, Operations: newKinds(),
			})
			plan.Client = benchv1alpha1.ClientApplication
			reports, err := drivertest.Run(t.Context(), plan, open(t, server))
			if err != nil {
				t.Fatal(err)
			}
			step := reports[0].Steps[3]
			for _, operation := range step.Operations {
				checkPlanned(t, version, operation)
			}
			if !strings.HasPrefix(step.Client, "mongo-driver") || step.Traffic.Checkouts < 600 {
				t.Errorf("sent by %s, traffic %+v; want the driver, and a checkout of each", step.Client, step.Traffic)
			}
			inserted := step.Operations[0].Count + step.Operations[1].Count
			if found := count(t, db, `{"n": {"$gte": 0}}`); int64(found) != loaded+inserted {
				t.Errorf("%d documents, want the %d that were loaded and %d", found, loaded, inserted)
			}
		})
	}
}

// checkPlanned looks at what was measured of one of the operations.
func checkPlanned(t *testing.T, version string, o reportv1.Operation) {
	t.Helper()
	for _, class := range o.ErrorClasses {
		// Transactions conflict with one another, and with the writes beside them.
		if class.Class != "write conflict" {
			t.Errorf("operation %s: %+v", o.Name, class)
		}
	}
	timed := o.Unacknowledged == 0
	checks := map[string]bool{
		"transaction": o.Documents == 3*o.Count && timed,
		"bulk":        o.Documents == 2*o.Count && timed,
		"exchange":    o.Documents == o.Count && timed,
		// What the majority has may be nothing yet: 4.4 acknowledges a load by one member, unless told otherwise.
		"count":  o.Documents > 0 && o.Documents <= o.Count && timed,
		"silent": o.Documents == 0 && o.Unacknowledged == o.Count,
		// Each of four workers has opened the stream once, and servers before 6.0 do not date changes.
		"stream": o.Documents > 0 && o.Unacknowledged >= 4 && (o.Unacknowledged < o.Count) == (version >= "6"),
	}
	if !checks[o.Name] {
		t.Errorf("operation %s: %d succeeded with %d documents, %d of them without a time",
			o.Name, o.Count, o.Documents, o.Unacknowledged)
	}
}
