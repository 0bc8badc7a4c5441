package mongo_test

import (
	"crypto/sha256"
	"maps"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"sigs.k8s.io/yaml"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// aroundFlows is a run of 100 operations over 500 documents with a field num, their record number.
const aroundFlows = `
dataset:
  collections:
    - name: things
      documentCount: 500
      fields:
        - {name: num, type: Sequence}
        - {name: text, type: String, bytes: {minLength: 5, maxLength: 50}}
        - name: nested.list
          type: Array
          array: {minItems: 3, maxItems: 3, element: {type: Int, integer: {min: 7, max: 7}}}
      indexes: [{keys: [{field: num}]}]
workload:
  steps:
    - name: flows
      operationCount: 100
      threads: 4
      operations:
`

// flowPlan is the plan of a run with operations, which have to be valid, as YAML.
func flowPlan(t *testing.T, database, operations string, client benchv1alpha1.Client) planv1.Plan {
	t.Helper()
	run := &benchv1alpha1.BenchmarkRun{}
	indented := strings.ReplaceAll(operations, "\n", "\n        ")
	if err := yaml.UnmarshalStrict([]byte(aroundFlows+indented), &run.Spec); err != nil {
		t.Fatal(err)
	}
	run.Spec.Dataset.Database = &database
	run.Spec.LoadGenerator = &benchv1alpha1.LoadGenerator{Client: &client}
	if errs := validation.ValidateRun(run); len(errs) > 0 {
		t.Fatal(errs)
	}
	return spec.Compile(run.Spec)
}

// everyAnswer captures from the answer of every kind that has one, and checks what came by the record number.
const everyAnswer = `
- name: flow
  kind: Flow
  parameters: [{name: who, type: Key, key: {field: num, rangePercent: 90}}]
- {name: start, partOf: flow, kind: FindOne, filter: {num: {$param: who}},
   captures: [{name: num, path: num}, {name: id, path: _id}, {name: text, path: text}, {name: seven,
   path: nested.list.2}],
   checks: [{name: same, that: num == who}, {name: nested, that: seven == 7}]}
- {name: below, partOf: flow, kind: CountDocuments, filter: {num: {$lt: {$captured: num}}},
   captures: [{name: below, of: Count}], checks: [{name: counted, that: below == num}]}
- {name: about, partOf: flow, kind: EstimatedDocumentCount,
   captures: [{name: about, of: Count}], checks: [{name: estimated, that: about >= 500}]}
- {name: list, partOf: flow, kind: Find,
   filter: {num: {$gte: {$captured: num}, $lt: 500}}, sort: [{field: num}], limit: 3, batchSize: 2,
   captures: [{name: ids, of: Documents, path: _id}, {name: many, of: Count}],
   checks: [{name: three, that: many == 3 && size(ids) == 3}]}
- {name: visit, partOf: flow, kind: UpdateOne, filter: {_id: {$captured: one}}, update: {$inc: {visits: 1}},
   repeat: {limit: 5, each: ids, as: one}, captures: [{name: m, of: Modified}, {name: f, of: Matched}],
   checks: [{name: modified, that: m == 1 && f == 1}]}
- {name: values, partOf: flow, kind: Distinct, field: num, filter: {_id: {$in: {$captured: ids}}},
   captures: [{name: ns, of: Documents}, {name: least}],
   checks: [{name: distinct, that: size(ns) == many && least == num}]}
- {name: sum, partOf: flow, kind: Aggregate,
   pipeline: [{$match: {_id: {$in: {$captured: ids}}}}, {$group: {_id: null, sum: {$sum: $num}}}],
   captures: [{name: sum, path: sum}], checks: [{name: summed, that: sum > num && sum != null}]}
- {name: new, partOf: flow, kind: InsertOne, captures: [{name: new, path: _id}, {name: inserted, of: Inserted}],
   checks: [{name: inserted, that: inserted == 1}]}
- {name: own, partOf: flow, kind: FindOneAndUpdate, filter: {_id: {$captured: new}},
   update: {$set: {owner: {$captured: text}, from: {$captured: id}}},
   captures: [{name: old, path: _id}, {name: owner, path: owner}],
   checks: [{name: before, that: old == new && !has(owner)}]}
- {name: seen, partOf: flow, kind: RunCommand,
   command: '{"count": "things", "query": {"from": {"$captured": "id"}, "_id": {"$captured": "new"}}}',
   captures: [{name: seen, path: 'n'}], checks: [{name: seen, that: seen == 1}]}
- {name: modify, partOf: flow, kind: ReadModifyWrite, filter: {_id: {$captured: new}},
   update: {$set: {owner: nobody}},
   captures: [{name: owner, path: owner}], checks: [{name: read, that: owner == text}]}
- {name: skipped, partOf: flow, kind: DeleteMany, filter: {}, when: owner == "nobody" || num < 0}
- {name: gone, partOf: flow, kind: FindOneAndDelete, filter: {_id: {$captured: new}},
   captures: [{name: owner, path: owner}, {name: deleted, of: Deleted}],
   checks: [{name: deleted, that: owner == "nobody" && deleted == 1}]}
`

func TestFlowsCaptureFromEveryAnswer(t *testing.T) {
	for _, version := range mongotest.Versions() {
		for _, client := range everyClient {
			t.Run(version+" "+string(client), func(t *testing.T) {
				captureFromEveryAnswer(t, mongotest.Shared(t, version), client)
			})
		}
	}
}

func captureFromEveryAnswer(t *testing.T, server *mongotest.Server, client benchv1alpha1.Client) {
	t.Helper()
	db := database(t, server, "flows")
	counts := wantFlows(t, followed(t, flowPlan(t, db.Name(), everyAnswer, client), server))
	if counts["flow"] != 100 || counts["visit"] != 300 || counts["skipped"] != 0 || counts["gone"] != 100 {
		t.Errorf("operations %v", counts)
	}
	if visits := sumOf(t, db, "visits"); visits != 300 {
		t.Errorf("%d visits are in the documents, want 300", visits)
	}
	if documents := documentsOf(t, db, "things"); len(documents) != 500 {
		t.Errorf("%d documents are left, want the 500 that were loaded", len(documents))
	}
}

// followed is the last step of a plan that was followed.
func followed(t *testing.T, plan planv1.Plan, server *mongotest.Server) reportv1.Step {
	t.Helper()
	reports, err := drivertest.Run(t.Context(), plan, open(t, server))
	if err != nil {
		t.Fatal(err)
	}
	return reports[0].Steps[len(reports[0].Steps)-1]
}

// wantFlows wants no error and no failed check, and returns how often each operation succeeded.
func wantFlows(t *testing.T, step reportv1.Step) map[string]int64 {
	t.Helper()
	counts := map[string]int64{}
	for _, o := range step.Operations {
		counts[o.Name] = o.Count
		if o.Errors > 0 {
			t.Errorf("%s failed: %+v", o.Name, o.ErrorClasses)
		}
		if (o.PartOf == "") != (o.Kind == "Flow") {
			t.Errorf("%s is part of %q", o.Name, o.PartOf)
		}
		for _, check := range o.Checks {
			if check.Made != o.Count || check.Failed > 0 {
				t.Errorf("%s: check %+v of %d", o.Name, check, o.Count)
			}
		}
	}
	return counts
}

// sumOf adds a field of all documents up.
func sumOf(t *testing.T, db *driver.Database, field string) (sum int64) {
	t.Helper()
	for _, document := range documentsOf(t, db, "things") {
		number, _ := document.Lookup(field).AsInt64OK()
		sum += number
	}
	return sum
}

// transfers moves an amount that was read, in a transaction; one in four is taken back by an error.
const transfers = `
- name: flow
  kind: Flow
  parameters: [{name: from, type: Int, integer: {min: 1, max: 499}}, {name: wrong, type: Int, integer: {max: 3}}]
- {name: look, partOf: flow, kind: FindOne, filter: {num: {$param: from}},
   captures: [{name: from, path: num}, {name: taken, path: _id}]}
- {name: both, partOf: flow, kind: Transaction, writeConcern: {w: majority}, readConcern: Snapshot}
- {name: read, partOf: both, kind: FindOne, filter: {num: {$captured: from}},
   captures: [{name: had, path: moved, otherwise: 0}]}
- {name: take, partOf: both, kind: UpdateOne, filter: {num: {$captured: from}}, update: {$inc: {moved: -3}}}
- {name: again, partOf: both, kind: FindOne, filter: {num: {$captured: from}}, captures: [{name: has, path: moved}],
   checks: [{name: taken, that: has < had}]}
- {name: give, partOf: both, kind: UpdateOne, filter: {num: 0}, update: {$inc: {moved: 3}}, repeat: {limit: 1}}
- {name: fail, partOf: both, when: wrong == 0, kind: RunCommand,
   command: '{"insert": "things", "documents": [{"_id": {"$captured": "taken"}}]}'}
`

func TestFlowsInTransactions(t *testing.T) {
	for _, version := range mongotest.Versions() {
		for _, client := range everyClient[:2] {
			t.Run(version+" "+string(client), func(t *testing.T) { transferInFlows(t, replicaSet(t, version), client) })
		}
	}
}

func transferInFlows(t *testing.T, server *mongotest.Server, client benchv1alpha1.Client) {
	t.Helper()
	db := database(t, server, "transfers")
	plan := flowPlan(t, db.Name(), transfers, client)
	plan.Steps[len(plan.Steps)-1].Threads = 1 // Others would write to the same document at the same time.
	of := map[string]reportv1.Operation{}
	for _, o := range followed(t, plan, server).Operations {
		of[o.Name] = o
	}
	failed := of["flow"].Errors
	if failed < 10 || failed > 45 || of["flow"].Count != 100-failed || of["both"].Errors != failed {
		t.Errorf("of 100 flows %d failed, and the transaction %+v", failed, of["both"])
	}
	if of["give"].Count != 100 || of["again"].Checks[0] != (reportv1.Check{Name: "taken", Made: 100}) {
		t.Errorf("the last update %+v, the check %+v", of["give"], of["again"].Checks)
	}
	if sum := sumOf(t, db, "moved"); sum != 0 {
		t.Errorf("what was taken and given adds up to %d", sum)
	}
	var first bson.M
	if err := db.Collection("things").FindOne(t.Context(), bson.D{{Key: "num", Value: 0}}).Decode(&first); err != nil {
		t.Fatal(err)
	}
	if given, _ := first["moved"].(int32); int64(given) != 3*(100-failed) {
		t.Errorf("%d was given in %d transactions", given, 100-failed)
	}
}

// TestAFlowThatLacksAValueFails counts it as a failure of the flow, whose requests all succeeded.
func TestAFlowThatLacksAValueFails(t *testing.T) {
	const lacking = `
- {name: flow, kind: Flow}
- {name: read, partOf: flow, kind: FindOne, filter: {num: {$key: num}}, captures: [{name: x, path: missing}]}
- {name: use, partOf: flow, kind: FindOne, filter: {_id: {$captured: x}}}
- {name: other, kind: FindOne, weight: 3}
`
	server := mongotest.Shared(t, mongotest.Newest())
	db := database(t, server, "lacking")
	step := followed(t, flowPlan(t, db.Name(), lacking, benchv1alpha1.ClientWire), server)
	flow, read, use := step.Operations[0], step.Operations[1], step.Operations[2]
	if flow.Count != 0 || len(flow.ErrorClasses) != 1 || flow.ErrorClasses[0].Class != reportv1.ClassFlow ||
		!strings.Contains(flow.ErrorClasses[0].FirstMessage, `the captured "x", which has no value`) {
		t.Errorf("the flow: %+v", flow)
	}
	if read.Count != flow.Errors || read.Errors != 0 || use.Count+use.Errors != 0 {
		t.Errorf("its parts: %d and %d succeeded, of %d", read.Count, use.Count, flow.Errors)
	}
}

// wandering is a flow whose way is drawn, with draws of its parts, inserts, and updates that may come in any order.
const wandering = `
- name: flow
  kind: Flow
  parameters: [{name: who, type: Key, key: {field: num}}]
- {name: start, partOf: flow, kind: FindOne, filter: {num: {$param: who}}, captures: [{name: num, path: num}],
   next: [{to: visit, weight: 2}, {to: new, weight: 1}, {weight: 1}]}
- {name: visit, partOf: flow, kind: UpdateOne, filter: {num: {$param: other}}, update: {$inc: {visits: 1}},
   parameters: [{name: other, type: Int, integer: {max: 499}}], repeat: {limit: 3},
   next: [{to: start, weight: 1}, {to: new, weight: 1}]}
- {name: new, partOf: flow, kind: InsertOne, repeat: {limit: 2}, captures: [{name: new, path: _id}]}
- {name: mark, partOf: flow, kind: UpdateOne, filter: {_id: {$captured: new}}, update: {$set: {by: {$captured: num}}}}
`

// TestFlowsAreTheSameOnAnyNumberOfPods compares one pod with eight threads with four pods with two.
func TestFlowsAreTheSameOnAnyNumberOfPods(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Newest())
	db := database(t, server, "wandering")
	plan := flowPlan(t, db.Name(), wandering, benchv1alpha1.ClientWire)
	plan.Steps[len(plan.Steps)-1].Threads = 8
	hashes, counts := make([][sha256.Size]byte, 0, 2), make([]map[string]int64, 0, 2)
	for _, pods := range []int{1, 4} {
		plan.Pods, plan.ReloadAlways = pods, true
		reports, err := drivertest.Run(t.Context(), plan, open(t, server))
		if err != nil {
			t.Fatal(err)
		}
		sum := map[string]int64{}
		for _, report := range reports {
			for name, count := range wantFlows(t, report.Steps[len(report.Steps)-1]) {
				sum[name] += count
			}
		}
		hashes, counts = append(hashes, hashOf(t, db, "things")), append(counts, sum)
	}
	if hashes[0] != hashes[1] || !maps.Equal(counts[0], counts[1]) || counts[0]["mark"] == 0 || counts[0]["flow"] != 100 {
		t.Errorf("the documents are the same: %t; operations of one pod %v, of four %v", hashes[0] == hashes[1], counts[0],
			counts[1])
	}
}

// TestTheSampleOfFlowsIsFollowed has every part of it done, each as it says.
func TestTheSampleOfFlowsIsFollowed(t *testing.T) {
	server := replicaSet(t, mongotest.Newest())
	db := database(t, server, "shop")
	step := followed(t, inShort(t, "flows", db.Name()), server)
	byName := map[string]reportv1.Operation{}
	for _, o := range step.Operations {
		byName[o.Name] = o
		for _, class := range o.ErrorClasses {
			// The driver begins a transaction again that conflicts with another; the part of it has failed then.
			if o.Name != "take" || class.Class != "write conflict" {
				t.Errorf("%s: %+v", o.Name, class)
			}
		}
		requireChecks(t, o)
	}
	taken, ordered := byName["take"], byName["order"]
	if taken.Modified == 0 || taken.Modified != ordered.Count {
		t.Errorf("%d were taken and %d orders written", taken.Modified, ordered.Count)
	}
}

// requireChecks wants every check of an operation made, and none failed.
func requireChecks(t *testing.T, o reportv1.Operation) {
	t.Helper()
	for _, check := range o.Checks {
		if o.Count == 0 || check.Made == 0 || check.Failed > 0 {
			t.Errorf("%s: check %+v", o.Name, check)
		}
	}
}

// TestOtherClientsRefuseFlows names the client that speaks of flows in one sentence.
func TestOtherClientsRefuseFlows(t *testing.T) {
	const transaction = `
- {name: flow, kind: Flow}
- {name: both, partOf: flow, kind: Transaction}
- {name: read, partOf: both, kind: FindOne}
`
	run := &benchv1alpha1.BenchmarkRun{}
	indented := strings.ReplaceAll(transaction, "\n", "\n        ")
	if err := yaml.UnmarshalStrict([]byte(aroundFlows+indented), &run.Spec); err != nil {
		t.Fatal(err)
	}
	run.Spec.LoadGenerator = &benchv1alpha1.LoadGenerator{Client: new(benchv1alpha1.ClientWire)}
	errs := validation.ValidateRun(run)
	if len(errs) == 0 || !strings.Contains(errs.ToAggregate().Error(), "the Wire client does no such operation") {
		t.Errorf("errors %v", errs)
	}
}
