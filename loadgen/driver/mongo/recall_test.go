package mongo_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// nearest are the stages that find the ten documents whose vector is most like that of a drawn one.
const nearest = `{"$project": {"like": {"$reduce": {` +
	`"input": {"$zip": {"inputs": ["$v", {"$param": "v"}]}}, "initialValue": 0, ` +
	`"in": {"$add": ["$$value", ` +
	`{"$multiply": [{"$arrayElemAt": ["$$this", 0]}, {"$arrayElemAt": ["$$this", 1]}]}]}}}}}, ` +
	`{"$sort": {"like": -1, "_id": 1}}, {"$limit": 10}`

// vectors has documents with vectors in eight clusters, and the number of the cluster beside each.
func vectors(database string, operations ...planv1.Operation) planv1.Plan {
	for i := range operations {
		operations[i].Parameters = []planv1.Parameter{
			{Name: "v", Value: planv1.Value{Type: planv1.TypeKey, KeyField: "v", KeyRangePercent: 100}},
			{
				Name: "cell", Value: planv1.Value{Type: planv1.TypeKey, KeyField: "cell", KeyRangePercent: 100},
				SameRecordAs: "v",
			},
		}
	}
	plan := planOf(database, planv1.Step{Threads: 2, OperationCount: 20, Operations: operations})
	things := &plan.Collections[0]
	things.DocumentCount, things.Indexes = 800, []planv1.Index{{Keys: []planv1.IndexKey{{Field: "cell", Order: "1"}}}}
	things.Fields = append(things.Fields, planv1.Field{
		Name: "v", Value: planv1.Value{
			Type: benchv1alpha1.GeneratorVector, Seed: 5,
			Vector: &planv1.Vector{Dimensions: 12, Clusters: 8, SpreadPercent: 40},
		},
	}, planv1.Field{Name: "cell", Value: planv1.Value{Type: benchv1alpha1.GeneratorInt, Seed: 5, Max: 7}})
	return plan
}

func approximately(name, pipeline, exact string, least *int32) planv1.Operation {
	return planv1.Operation{
		Name: name, Request: planv1.Request{Kind: "Aggregate", Pipeline: planv1.Document(pipeline)},
		WholeSettings: planv1.WholeSettings{Recall: &benchv1alpha1.Recall{
			Exact: planv1.Document(exact), Requests: 30, MinPercent: least,
		}},
	}
}

// TestTheRecallOfASearchIsKnown has a search look at all documents, at those of one cluster, and at every second one of
// them all, whose recall is therefore one, high, and about a half.
func TestTheRecallOfASearchIsKnown(t *testing.T) {
	for _, version := range mongotest.Versions() {
		for _, client := range everyClient {
			t.Run(fmt.Sprintf("mongod %s, %s", version, client), func(t *testing.T) { checkRecall(t, version, client) })
		}
	}
}

func checkRecall(t *testing.T, version string, client benchv1alpha1.Client) {
	t.Helper()
	server := mongotest.Shared(t, version)
	const cell, half = `[{"$match": {"cell": {"$param": "cell"}}}, `, `[{"$match": {"n": {"$mod": [2, 0]}}}, `
	plan := vectors(database(t, server, "recall").Name(),
		approximately("all", "["+nearest+"]", "["+nearest+"]", nil),
		approximately("cell", cell+nearest+"]", "["+nearest+"]", nil),
		approximately("half", half+nearest+"]", "["+nearest+"]", new(int32(90))),
	)
	plan.Client = client
	reports, err := drivertest.Run(t.Context(), plan, open(t, server))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ least, most int64 }{{300, 300}, {270, 300}, {110, 190}} {
		o := reports[0].Steps[3].Operations[i]
		got := *o.Recall
		if got.Found < want.least || got.Found > want.most {
			t.Errorf("%s: %+v, want %d to %d found", o.Name, got, want.least, want.most)
		}
		got.Found, got.MinPercent = 0, 0
		if full := (reportv1.Recall{Wanted: 30, Compared: 30, Exact: 300}); got != full {
			t.Errorf("%s: %+v, want %+v", o.Name, got, full)
		}
	}
}

func TestARecallThatCannotBeKnownSaysWhy(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Newest())
	all := "[" + nearest + "]"
	plan := vectors(database(t, server, "norecall").Name(),
		approximately("without _id", `[{"$project": {"_id": 0}}]`, all, nil),
		approximately("wrong", all, `[{"$vectorSearch": {}}]`, nil),
		approximately("none", all, `[{"$match": {"n": -1}}]`, nil),
	)
	reports, err := drivertest.Run(t.Context(), plan, open(t, server))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"has no _id", "answering exactly: ", ""} {
		r := reports[0].Steps[3].Operations[i].Recall
		if r.PerMillion() != nil || !strings.Contains(r.Missing, want) || (want == "") != (r.Missing == "") {
			t.Errorf("%+v, want nothing known, and %q", r, want)
		}
	}
}

// TestVectorsAreWhatTheServersTakeThemFor reads both forms of vectors back.
func TestVectorsAreWhatTheServersTakeThemFor(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) { checkVectors(t, version) })
	}
}

func checkVectors(t *testing.T, version string) {
	t.Helper()
	server := mongotest.Shared(t, version)
	db := database(t, server, "vectors")
	plan := vectors(db.Name(), planv1.Operation{Request: planv1.Request{Kind: "Find", Limit: 1}})
	packed := plan.Collections[0].Fields[3]
	packed.Name, packed.Vector = "packed", new(*packed.Vector)
	packed.Vector.Float32 = true
	plan.Collections[0].Fields = append(plan.Collections[0].Fields, packed)
	plan.Steps[3].Operations[0].Parameters = nil
	if _, err := drivertest.Run(t.Context(), plan, open(t, server)); err != nil {
		t.Fatal(err)
	}
	const both = `{"v": {"$size": 12}, "v.0": {"$type": "double"}, "packed": {"$type": "binData"}}`
	if found := count(t, db, both); found != 800 {
		t.Errorf("%d documents have vectors, want 800", found)
	}
	var stored struct {
		V      []float64
		Packed bson.Vector
	}
	if err := db.Collection("things").FindOne(t.Context(), bson.D{}).Decode(&stored); err != nil {
		t.Fatal(err)
	}
	for i, element := range stored.Packed.Float32() {
		if float64(element) != stored.V[i] || math.Abs(stored.V[i]) > 2 {
			t.Errorf("element %d is %v in one form and %v in the other", i, stored.V[i], element)
		}
	}
}
