package mongo_test

import (
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/config/samples"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/spec/presets"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// readyWorkload is what a test knows of one.
type readyWorkload struct {
	// scale of the dataset.
	scale string
	// seldom are operations that only some runs come to.
	seldom string
	// left looks at what a run left that did these operations.
	left func(t *testing.T, db *driver.Database, did map[string]reportv1.Operation)
	// spoils are commands that do what a check is there to find, by the name of the check's operation, in their order.
	spoils [][2]string
}

var readyWorkloads = map[string]readyWorkload{
	"tpc-c-like": {scale: "1", left: leftByTPCC, spoils: [][2]string{
		{"condition-1", `{"update": "warehouses", "updates": [{"q": {}, "u": {"$inc": {"ytd": 1}}}]}`},
		{"condition-2", `{"update": "districts", "updates": [{"q": {"_id": 5}, "u": {"$inc": {"next": 1}}}]}`},
		{"condition-3", `{"delete": "new-orders", "deletes": [{"q": {"o": 2900}, "limit": 1}]}`},
		{"condition-4", `{"delete": "order-lines", "deletes": [{"q": {}, "limit": 1}]}`},
	}},
	"social-graph": {scale: "0.1", left: leftBySocialGraph, spoils: [][2]string{
		{"counted", `{"update": "people", "updates": [{"q": {}, "u": {"$inc": {"following": 1}}}]}`},
		{"known", `{"insert": "follows", "documents": [{"from": 1, "to": -1}]}`},
	}},
	"orders-inventory": {scale: "0.1", seldom: "put-back", left: leftByOrders, spoils: [][2]string{
		{"inventory", `{"update": "products", "updates": [{"q": {"_id": 7}, "u": {"$inc": {"stock": 1}}}]}`},
		{"orders", `{"update": "products", "updates": [{"q": {"_id": 8}, "u": {"$inc": {"stock": -1, "sold": 1}}}]}`},
	}},
	"iot": {scale: "0.1", left: leftByIoT, spoils: [][2]string{
		{"once", `{"insert": "readings", "documents": [{"at": {"$date": "2026-01-01T00:00:00Z"}, "sensor": {"id": 0}}]}`},
		{"known", `{"insert": "readings", "documents": [{"at": {"$date": "2026-01-01T00:00:00Z"}, "sensor": {"id": -1}}]}`},
	}},
	"queue": {scale: "0.1", left: leftByQueue, spoils: [][2]string{
		{"claims", `{"update": "jobs", "updates": [{"q": {"state": "done"}, "u": {"$inc": {"claims": 1}}}]}`},
		{"done", `{"update": "jobs", "updates": [{"q": {"state": "done"}, "u": {"$unset": {"done": 1}}}]}`},
		{"expired", `{"update": "jobs", "updates": [{"q": {"state": "done", "done": {"$exists": true}},
			"u": {"$set": {"done": {"$date": "2026-01-01T00:00:00Z"}}}}]}`},
	}},
	"content-store": {scale: "0.1", seldom: "again", left: leftByContent, spoils: [][2]string{
		{"edited", `{"update": "articles", "updates": [{"q": {}, "u": {"$inc": {"revision": 1}}}]}`},
	}},
	"session-store": {scale: "0.1", seldom: "log-in", left: leftBySessions, spoils: [][2]string{
		{"expired", `{"insert": "sessions", "documents": [
			{"user": 1, "visits": 1, "seen": {"$date": "2026-01-01T00:00:00Z"}}]}`},
		{"whole", `{"update": "sessions", "updates": [{"q": {}, "u": {"$unset": {"user": 1}}}]}`},
	}},
}

// operationsOfGroups are how many a group does in place of a time.
var operationsOfGroups = map[string]int64{
	"sensors": 20, "dashboard": 100, "producers": 50, "workers": 200, "reaper": 1,
}

// TestReadyWorkloads runs every preset that is a sample in short, looks at what it left, and has its checks find what
// is wrong once it is.
func TestReadyWorkloads(t *testing.T) {
	server := replicaSet(t, mongotest.Newest())
	for _, name := range samples.Workloads() {
		t.Run(name, func(t *testing.T) {
			workload, known := readyWorkloads[name]
			if !known {
				t.Fatal("what it leaves is not tested")
			}
			db := database(t, server, name)
			plan := readyPlan(t, name, workload.scale, db.Name())
			reports, err := drivertest.Run(t.Context(), plan, open(t, server))
			if err != nil {
				t.Fatal(err)
			}
			steps := reports[0].Steps
			did := wantWorkload(t, steps[len(steps)-2:], workload.seldom)
			workload.left(t, db, did)
			checks := plan.Steps[len(plan.Steps)-1].Operations[1:] // The first one is the Flow of them.
			wantSpoiled(t, db, checks, workload.spoils)
		})
	}
}

// readyPlan is the plan of a preset with a few hundred operations in place of a time.
func readyPlan(t *testing.T, name, scale, database string) planv1.Plan {
	t.Helper()
	run := &benchv1alpha1.BenchmarkRun{}
	expanded, errs := presets.Expand(benchv1alpha1.BenchmarkRunSpec{Preset: &benchv1alpha1.Preset{
		Name: benchv1alpha1.PresetName(name), Parameters: map[string]string{"scale": scale}, WarmupSeconds: new(int32(0)),
	}})
	run.Spec = expanded
	run.Spec.Dataset.Database = &database
	for _, collection := range run.Spec.Dataset.Collections {
		for i := range collection.Indexes {
			if after := collection.Indexes[i].ExpireAfterSeconds; after != nil {
				*after = 10 * 365 * 24 * 3600 // Nothing goes while it is counted, and nothing that is spoiled.
			}
		}
	}
	step := &run.Spec.Workload.Steps[0]
	step.DurationSeconds = nil
	for i := range step.Groups {
		step.Groups[i].OperationCount = new(operationsOfGroups[step.Groups[i].Name])
	}
	if len(step.Groups) == 0 {
		step.OperationCount = new(int64(250))
	}
	if errs = append(errs, validation.ValidateRun(run)...); len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return spec.Compile(run.Spec)
}

// wantWorkload wants every operation done and its checks made, and returns them by name.
func wantWorkload(t *testing.T, steps []reportv1.Step, seldom string) map[string]reportv1.Operation {
	t.Helper()
	did := map[string]reportv1.Operation{}
	for _, step := range steps {
		for _, o := range step.Operations {
			did[o.Name] = o
			if o.Name == seldom {
				continue
			}
			// Parts of a transaction that met another one fail, and are done again with it.
			if o.Count == 0 || o.PartOf == "" && o.Errors > 0 || o.Unexpected > 0 {
				t.Errorf("%s: %d succeeded, %d of them not as expected, errors %+v", o.Name, o.Count, o.Unexpected, o.ErrorClasses)
			}
			requireChecks(t, o)
		}
	}
	return did
}

// wantSpoiled wants every check to find nothing, and then what was spoiled for it.
func wantSpoiled(t *testing.T, db *driver.Database, checks []planv1.Operation, spoils [][2]string) {
	t.Helper()
	if len(checks) != len(spoils) {
		t.Fatalf("%d checks, and %d of them are tested", len(checks), len(spoils))
	}
	for i, check := range checks {
		if check.Name != spoils[i][0] {
			t.Fatalf("check %s comes where %s is tested", check.Name, spoils[i][0])
		}
		before := foundBy(t, db, check)
		var command bson.D
		if err := bson.UnmarshalExtJSON([]byte(spoils[i][1]), false, &command); err != nil {
			t.Fatal(err)
		}
		if err := db.RunCommand(t.Context(), command).Err(); err != nil {
			t.Fatal(err)
		}
		if after := foundBy(t, db, check); before != 0 || after != 1 {
			t.Errorf("%s finds %d, and %d after one was spoiled", check.Name, before, after)
		}
	}
}

// foundBy is how many documents the request of a check comes upon.
func foundBy(t *testing.T, db *driver.Database, check planv1.Operation) int {
	t.Helper()
	pipeline := check.Pipeline.Text()
	if pipeline == "" {
		pipeline = `[{"$match": ` + check.Filter.Text() + `}]`
	}
	var parsed struct{ Pipeline bson.A }
	if err := bson.UnmarshalExtJSON([]byte(`{"pipeline": `+pipeline+`}`), false, &parsed); err != nil {
		t.Fatal(err)
	}
	cursor, err := db.Collection(check.Collection).Aggregate(t.Context(), parsed.Pipeline)
	if err != nil {
		t.Fatal(err)
	}
	var found []bson.Raw
	if err := cursor.All(t.Context(), &found); err != nil {
		t.Fatal(err)
	}
	return len(found)
}

// wantCount wants so many documents to match a filter.
func wantCount(t *testing.T, db *driver.Database, collection string, filter bson.M, want int64) {
	t.Helper()
	if got, err := db.Collection(collection).CountDocuments(t.Context(), filter); err != nil || got != want {
		t.Errorf("%d documents of %s match %v, want %d; error %v", got, collection, filter, want, err)
	}
}

// wantKindOfIndex wants the server to say so of the indexes of a collection.
func wantKindOfIndex(t *testing.T, db *driver.Database, collection, want string) {
	t.Helper()
	checkCollection(t, db.RunCommand(t.Context(), bson.D{{Key: "listIndexes", Value: collection}}), want)
}

func leftByTPCC(t *testing.T, db *driver.Database, did map[string]reportv1.Operation) {
	t.Helper()
	wantCount(t, db, "orders", bson.M{}, 30_000+did["new-order"].Count)
	wantCount(t, db, "history", bson.M{}, 30_000+did["payment"].Count)
}

func leftBySocialGraph(t *testing.T, db *driver.Database, did map[string]reportv1.Operation) {
	t.Helper()
	wantCount(t, db, "posts", bson.M{}, 5000+did["post"].Count)
	known := bson.M{"$gte": 0, "$lt": 1000}
	wantCount(t, db, "follows", bson.M{"$nor": bson.A{bson.M{"from": known, "to": known}}}, 0)
	if edges, err := db.Collection("follows").CountDocuments(t.Context(), bson.M{}); err != nil || edges == 10_000 {
		t.Errorf("%d edges, as many as were loaded; error %v", edges, err)
	}
}

func leftByOrders(t *testing.T, db *driver.Database, did map[string]reportv1.Operation) {
	t.Helper()
	wantCount(t, db, "orders", bson.M{"state": bson.M{"$ne": "archived"}}, did["order"].Count)
	var sold, out int64
	for _, product := range documentsOf(t, db, "products") {
		number := func(field string) int64 { n, _ := product.Lookup(field).AsInt64OK(); return n }
		if number("stock")+number("sold") != number("delivered") {
			t.Errorf("product %s", product)
		}
		sold += number("sold")
	}
	for _, order := range documentsOf(t, db, "orders") {
		if state := order.Lookup("state").StringValue(); state != "new" && state != "shipped" {
			continue
		}
		lines, _ := order.Lookup("lines").Array().Values()
		for _, line := range lines {
			out += line.Document().Lookup("pieces").AsInt64()
		}
	}
	if sold == 0 || sold != out {
		t.Errorf("%d pieces are sold, and the orders have %d", sold, out)
	}
}

func leftByIoT(t *testing.T, db *driver.Database, did map[string]reportv1.Operation) {
	t.Helper()
	collections, err := db.ListCollectionSpecifications(t.Context(), bson.M{"name": "readings"})
	if err != nil || len(collections) != 1 || collections[0].Type != "timeseries" {
		t.Errorf("the readings are in %+v, error %v", collections, err)
	}
	wantCount(t, db, "readings", bson.M{}, 30_000+100*did["ingest"].Count)
}

func leftByQueue(t *testing.T, db *driver.Database, did map[string]reportv1.Operation) {
	t.Helper()
	wantKindOfIndex(t, db, "jobs", `"expireAfterSeconds"`)
	wantCount(t, db, "jobs", bson.M{}, 2000+did["put"].Count)
	wantCount(t, db, "jobs", bson.M{"state": "done"}, did["finish"].Modified)
	wantCount(t, db, "jobs", bson.M{"claims": 1}, did["claim"].Documents)
	workers := map[string]bool{}
	for _, job := range documentsOf(t, db, "jobs") {
		if _, by, claimed := job.Lookup("by").BinaryOK(); claimed {
			workers[string(by)] = true
		}
	}
	if int64(len(workers)) != did["claim"].Documents {
		t.Errorf("%d claims are those of %d executions", did["claim"].Documents, len(workers))
	}
}

func leftByContent(t *testing.T, db *driver.Database, did map[string]reportv1.Operation) {
	t.Helper()
	wantKindOfIndex(t, db, "articles", `"textIndexVersion"`)
	wantCount(t, db, "articles", bson.M{}, 1000+did["new"].Count)
	wantCount(t, db, "edits", bson.M{}, did["note"].Count)
	var revisions int64
	for _, article := range documentsOf(t, db, "articles") {
		revisions += article.Lookup("revision").AsInt64() - 1
		if strings.TrimSpace(article.Lookup("body").StringValue()) == "" {
			t.Errorf("an article without a text: %s", article)
		}
	}
	if revisions != did["note"].Count {
		t.Errorf("%d revisions of %d edits", revisions, did["note"].Count)
	}
}

func leftBySessions(t *testing.T, db *driver.Database, did map[string]reportv1.Operation) {
	t.Helper()
	wantKindOfIndex(t, db, "sessions", `"expireAfterSeconds"`)
	left := 10_000 + did["log-in"].Inserted - did["log-out"].Deleted
	wantCount(t, db, "sessions", bson.M{"user": bson.M{"$gte": 0}}, left)
}
