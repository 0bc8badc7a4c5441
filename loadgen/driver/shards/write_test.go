package shards

import (
	"crypto/sha256"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

func loadedKey(name, field string) planv1.Parameter {
	return planv1.Parameter{Name: name, Value: planv1.Value{
		Type: planv1.TypeKey, Seed: uint64(len(name)), KeyField: field, KeyRangePercent: 100,
	}}
}

// everyKind is a step with operations of all kinds that can be routed, on a collection that is spread by field n.
func everyKind() planv1.Step {
	const byN, byID, touch = `{"n": {"$param": "n"}}`, `{"_id": {"$param": "id"}}`, `{"$inc": {"touched": 1}}`
	n, id := []planv1.Parameter{loadedKey("n", "n")}, []planv1.Parameter{loadedKey("id", "_id")}
	// What is inserted has the _id of the document that was there before, and not one of the server's.
	same := planv1.Parameter{Name: "id", Value: planv1.Value{Type: planv1.TypeKey, KeyField: "_id"}, SameRecordAs: "n"}
	nAndID := []planv1.Parameter{n[0], same}
	const both = `{"n": {"$param": "n"}, "_id": {"$param": "id"}}`
	part := func(kind benchv1alpha1.OperationKind, filter, update string) planv1.Request {
		return planv1.Request{
			Kind: kind, Collection: "things", Filter: planv1.Document(filter), Update: planv1.Document(update),
		}
	}
	operations := []planv1.Operation{
		{Name: "insert", Request: planv1.Request{Kind: "InsertOne"}},
		{Name: "inserts", Request: planv1.Request{Kind: "InsertMany", BatchDocuments: 40}},
		{Name: "find one", Parameters: n, Request: planv1.Request{Kind: "FindOne", Filter: byN}},
		{Name: "find anywhere", Parameters: id, Request: planv1.Request{Kind: "FindOne", Filter: byID}},
		{
			Name: "find",
			Request: planv1.Request{
				Kind: "Find", Filter: `{"few": {"$lt": 4}}`, Sort: sortBy("n"), Limit: 100, BatchSize: 30,
			},
		},
		{Name: "update", Parameters: n, Request: planv1.Request{Kind: "UpdateOne", Filter: byN, Update: touch}},
		{Name: "update anywhere", Parameters: id, Request: planv1.Request{Kind: "UpdateOne", Filter: byID, Update: touch}},
		{
			Name: "upsert", Parameters: nAndID,
			Request: planv1.Request{
				Kind: "UpdateOne", Filter: both, Update: touch, WhenMissing: benchv1alpha1.MissingInsert,
			},
		},
		{Name: "many", Request: planv1.Request{Kind: "UpdateMany", Filter: `{"few": 3}`, Update: touch}},
		{Name: "replace", Parameters: n, Request: planv1.Request{Kind: "ReplaceOne", ReplaceKey: "n", Filter: byN}},
		{Name: "delete", Parameters: id, Request: planv1.Request{Kind: "DeleteOne", Filter: byID}},
		{Name: "delete many", Request: planv1.Request{Kind: "DeleteMany", Filter: `{"n": {"$gte": 100, "$lt": 110}}`}},
		{
			Name: "read and write", Parameters: n,
			Request: planv1.Request{Kind: "ReadModifyWrite", Filter: byN, Update: touch},
		},
		{
			Name: "read and write anywhere", Parameters: id,
			Request: planv1.Request{Kind: "ReadModifyWrite", Filter: byID, Update: touch},
		},
		{
			Name: "find and update", Parameters: n,
			Request: planv1.Request{Kind: "FindOneAndUpdate", Filter: byN, Update: touch},
		},
		{
			Name: "find and delete", Parameters: n,
			Request: planv1.Request{Kind: "FindOneAndDelete", Filter: byN},
		},
		{
			Name: "find and replace", Parameters: n,
			Request: planv1.Request{Kind: "FindOneAndReplace", ReplaceKey: "n", Filter: byN},
		},
		{Name: "estimate", Request: planv1.Request{Kind: "EstimatedDocumentCount"}},
		{Name: "count", Request: planv1.Request{Kind: "CountDocuments", Filter: `{"few": {"$lt": 10}}`, Limit: 50}},
		{
			Name:    "aggregate",
			Request: planv1.Request{Kind: "Aggregate", Pipeline: `[{"$group": {"_id": "$few", "n": {"$sum": 1}}}]`},
		},
		{
			Name: "command", Request: planv1.Request{Kind: "RunCommand"},
			WholeSettings: planv1.WholeSettings{Command: `{"ping": 1}`},
		},
		{
			Name: "ordered", Parameters: n, Request: planv1.Request{Kind: "BulkWrite"},
			WholeSettings: planv1.WholeSettings{
				Order: benchv1alpha1.WriteOrdered,
				Operations: []planv1.Request{
					part("UpdateOne", byN, touch),
					{Kind: "InsertOne", Collection: "things"},
					part("UpdateMany", `{"few": 5}`, touch),
					part("DeleteOne", byN, ""),
					part("UpdateOne", `{"_id": "absent"}`, touch),
				},
			},
		},
		{
			Name: "unordered", Parameters: n, Request: planv1.Request{Kind: "BulkWrite"},
			WholeSettings: planv1.WholeSettings{
				Operations: []planv1.Request{
					part("UpdateOne", byN, touch),
					{Kind: "InsertOne", Collection: "things"},
					{Kind: "InsertOne", Collection: "things"},
					part("DeleteMany", `{"n": {"$gte": 200, "$lt": 203}}`, ""),
					part("UpdateMany", `{"few": 6}`, touch),
				},
			},
		},
		{Name: "wrong", Request: planv1.Request{Kind: "UpdateMany", Filter: `{}`, Update: `{"$inc": {"text": 1}}`}},
	}
	for i := range operations {
		operations[i].Collection, operations[i].Weight = "things", 1
	}
	// One worker, so that the operations come in one order.
	return planv1.Step{Name: "measured", Kind: planv1.StepMeasure, Threads: 1, OperationCount: 700, Operations: operations}
}

// measurePlan loads and measures.
func measurePlan(sharding *planv1.Sharding, pods int) planv1.Plan {
	return planv1.Plan{
		Version: planv1.Version, Seed: 8, Pods: pods, Database: "writes",
		Collections: []planv1.Collection{things(sharding)},
		Steps: []planv1.Step{
			{Name: "prepare", Kind: planv1.StepPrepare},
			{Name: "load", Kind: planv1.StepLoad, Threads: 4, BatchDocuments: 130},
			{Name: "verify", Kind: planv1.StepVerify, Check: benchv1alpha1.VerifyAll},
			everyKind(),
		},
	}
}

// contents is a hash of all documents in the order of their _id.
func contents(t *testing.T, target loadgen.Target, collection planv1.Collection) [32]byte {
	t.Helper()
	find := &workload.Request{
		Kind: operation.Find, Collection: collection.Name, Filter: encodeText(t, `{}`), Sort: encodeText(t, `{"_id": 1}`),
	}
	use := loadgen.Use{Database: "writes", Collections: []planv1.Collection{collection}, Step: only()}
	var documents []bson.Raw
	switch target := target.(type) {
	case *Target:
		session, err := target.session(t.Context(), use)
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		if documents, err = session.answer(t.Context(), find); err != nil {
			t.Fatal(err)
		}
	case *mongo.Target:
		stream, err := target.Stream(t.Context(), use)
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Close()
		documents = one(t, stream, find)
	}
	hash := sha256.New()
	for _, document := range documents {
		hash.Write(document)
	}
	return [32]byte(hash.Sum(nil))
}

// counts leaves out of operations what time made of them.
func counts(operations []reportv1.Operation) []reportv1.Operation {
	counted := make([]reportv1.Operation, 0, len(operations))
	for _, o := range operations {
		classes := make([]reportv1.ErrorClass, 0, len(o.ErrorClasses))
		for _, class := range o.ErrorClasses {
			classes = append(classes, reportv1.ErrorClass{Class: class.Class, Count: class.Count})
		}
		counted = append(counted, reportv1.Operation{
			Name: o.Name, Count: o.Count, Documents: o.Documents, Errors: o.Errors, ErrorClasses: classes,
		})
	}
	return counted
}

func TestWritesDoWhatTheyDoOnOneServer(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			routed, _ := open(t, version, 2)
			plain := openOne(t, mongotest.Shared(t, version))
			for name, sharding := range map[string]*planv1.Sharding{
				"hashed": {Key: key("n", "hashed")}, "ranges": {Key: key("n", "1")},
			} {
				t.Run(name, func(t *testing.T) { compareWrites(t, measurePlan(sharding, 1), routed, plain) })
			}
		})
	}
}

// compareWrites follows a plan on both, and compares what is reported and what is left.
func compareWrites(t *testing.T, plan planv1.Plan, routed *Target, plain *mongo.Target) {
	t.Helper()
	check(t, routed.Check(plan))
	var hashes [2][32]byte
	var operations [2][]reportv1.Operation
	for i, target := range []loadgen.Target{plain, routed} {
		reports, err := drivertest.Run(t.Context(), plan, target)
		if err != nil {
			t.Fatal(err)
		}
		measured := reports[0].Steps[3]
		if i == 1 && (measured.Client != clientName || reports[0].Driver != clientName) {
			t.Errorf("sent by %q, driver %q", measured.Client, reports[0].Driver)
		}
		operations[i], hashes[i] = counts(measured.Operations), contents(t, target, plan.Collections[0])
	}
	if diff := cmp.Diff(operations[0], operations[1]); diff != "" {
		t.Errorf("the reports (-one server +router):\n%s", diff)
	}
	if hashes[0] != hashes[1] {
		t.Error("the collections differ")
	}
}

func TestAnyNumberOfPodsPlacesDocumentsAlike(t *testing.T) {
	version := mongotest.Versions()[1]
	routed, _ := open(t, version, 3)
	var placed [2][]int64
	for i, pods := range []int{1, 3} {
		plan := measurePlan(nil, pods)
		plan.Steps = plan.Steps[:3]
		if _, err := drivertest.Run(t.Context(), plan, routed); err != nil {
			t.Fatal(err)
		}
		for _, shard := range routed.shards {
			count, err := shard.Count(t.Context(), "writes", "things")
			if err != nil {
				t.Fatal(err)
			}
			placed[i] = append(placed[i], count)
		}
	}
	if diff := cmp.Diff(placed[0], placed[1]); diff != "" {
		t.Errorf("documents of each shard (-one pod +three):\n%s", diff)
	}
	for _, count := range placed[0] {
		if count < loaded/3-100 || count > loaded/3+100 {
			t.Errorf("a shard has %d documents of %d", count, loaded)
		}
	}
}

func TestAReplacementStaysOnItsShard(t *testing.T) {
	routed, _ := open(t, mongotest.Versions()[1], 2)
	session, err := routed.session(t.Context(), loadgen.Use{Database: "moved", Step: only()})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	rule := session.rules.of("things")
	here := encodeText(t, `{"_id": 0}`)
	for id := 1; ; id++ {
		there, err := bson.Marshal(bson.D{{Key: "_id", Value: id}})
		if err != nil {
			t.Fatal(err)
		}
		if rule.Of(there) == rule.Of(here) {
			continue
		}
		var reply loadgen.Reply
		err = session.Execute(t.Context(), &workload.Request{
			Kind: operation.ReplaceOne, Collection: "things", Filter: here, Documents: []bson.Raw{there},
		}, &reply)
		if err == nil || !strings.Contains(err.Error(), "another shard") {
			t.Errorf("error %v", err)
		}
		return
	}
}
