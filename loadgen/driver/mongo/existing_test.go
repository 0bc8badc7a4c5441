package mongo_test

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// theirOrders are documents that somebody else made, with an _id of any type.
const theirOrders = 700

// existingDatabase fills a database as an application would.
func existingDatabase(t *testing.T, server *mongotest.Server, name string) *driver.Database {
	t.Helper()
	db := database(t, server, name)
	documents := make([]any, theirOrders)
	for i := range documents {
		id := any(i)
		if i%3 == 0 {
			id = "order-" + strconv.Itoa(i)
		}
		documents[i] = bson.D{
			{Key: "_id", Value: id},
			{Key: "customer", Value: bson.D{{Key: "number", Value: i % 50}}},
			{Key: "lines", Value: bson.A{bson.D{{Key: "sku", Value: i}}, bson.D{{Key: "sku", Value: -i}}}},
		}
	}
	if _, err := db.Collection("orders").InsertMany(t.Context(), documents); err != nil {
		t.Fatal(err)
	}
	return db
}

// existingPlan measures the orders by one operation whose keys are sampled.
func existingPlan(database string, sampled int64, operation planv1.Operation) planv1.Plan {
	operation.Collection, operation.Weight = "orders", 1
	return planv1.Plan{
		Version: planv1.Version, Seed: 3, Pods: 1, Database: database, Dataset: "declared",
		Collections: []planv1.Collection{{Name: "orders", Fields: []planv1.Field{}}},
		Existing:    &planv1.Existing{SampledKeys: sampled},
		Steps: []planv1.Step{
			{Name: "survey", Kind: planv1.StepSurvey},
			{
				Name: "measured", Kind: planv1.StepMeasure, Threads: 4, OperationCount: 400,
				Operations: []planv1.Operation{operation},
			},
		},
	}
}

// sampledKey draws a field of the documents that are there.
func sampledKey(name, field string) planv1.Parameter {
	return planv1.Parameter{Name: name, Value: planv1.Value{Type: planv1.TypeKey, KeyField: field, KeyRangePercent: 100}}
}

// readsByKeys finds every document by three of its fields, one of them in an array.
func readsByKeys() planv1.Operation {
	customer, line := sampledKey("customer", "customer.number"), sampledKey("sku", "lines.sku")
	customer.SameRecordAs, line.SameRecordAs = "id", "id"
	return planv1.Operation{
		Name: "read", Parameters: []planv1.Parameter{sampledKey("id", "_id"), customer, line},
		Request: planv1.Request{
			Kind:   "FindOne",
			Filter: `{"_id": {"$param": "id"}, "customer.number": {"$param": "customer"}, "lines.sku": {"$param": "sku"}}`,
		},
	}
}

func TestAnExistingDatasetIsMeasuredAsItIs(t *testing.T) {
	for _, version := range mongotest.All() {
		t.Run(version, func(t *testing.T) { checkExisting(t, mongotest.Shared(t, version)) })
	}
}

func checkExisting(t *testing.T, server *mongotest.Server) {
	t.Helper()
	target, db := open(t, server), existingDatabase(t, server, "existing")
	before := hashOf(t, db, "orders")
	for _, client := range everyClient {
		for _, sampled := range []int64{100, 100_000} {
			plan := existingPlan("existing", sampled, readsByKeys())
			plan.Client = client
			reports, err := drivertest.Run(t.Context(), plan, target)
			if err != nil {
				t.Fatalf("%s: %v", client, err)
			}
			wantFound(t, reports[0])
		}
	}
	names, err := db.ListCollectionNames(t.Context(), bson.D{})
	if diff := cmp.Diff([]string{"orders"}, names); err != nil || diff != "" {
		t.Errorf("collections that were left, error %v (-want +got):\n%s", err, diff)
	}
	if hashOf(t, db, "orders") != before {
		t.Error("the documents have changed")
	}
}

// wantFound wants a report to tell what lay there, and every read to have found its document.
func wantFound(t *testing.T, report reportv1.Report) {
	t.Helper()
	survey, measured := report.Steps[0], report.Steps[1].Operations[0]
	if survey.Documents != theirOrders || len(survey.Sizes) != 1 || survey.Sizes[0].DataBytes == 0 {
		t.Errorf("found %d documents, sizes %+v", survey.Documents, survey.Sizes)
	}
	if measured.Count != 400 || measured.Errors != 0 || measured.Documents != 400 {
		t.Errorf("%d reads found %d documents, with %d errors", measured.Count, measured.Documents, measured.Errors)
	}
}

// keysOf are the keys that a load pod reads.
func keysOf(t *testing.T, target *mongo.Target, collection string, most int64) (keys []string) {
	t.Helper()
	query := loadgen.KeyQuery{
		Database: "keys", Collection: collection, Fields: []string{"customer.number"}, Most: most,
	}
	err := target.FindKeys(t.Context(), query, func(document bson.Raw) error {
		keys = append(keys, document.String())
		return nil
	})
	if err != nil || int64(len(keys)) != min(most, theirOrders) {
		t.Fatalf("%d keys of %d, error %v", len(keys), most, err)
	}
	return keys
}

func TestTheKeysOfACollectionDependOnItAlone(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Versions()[0])
	target, db := open(t, server), existingDatabase(t, server, "keys")
	some, more := keysOf(t, target, "orders", 100), keysOf(t, target, "orders", 101)
	all := keysOf(t, target, "orders", 9999)
	if diff := cmp.Diff(some, keysOf(t, target, "orders", 100)); diff != "" {
		t.Errorf("another pod has other keys (-one +other):\n%s", diff)
	}
	// One more is added to those that are kept, in its place.
	added := slices.DeleteFunc(slices.Clone(more), func(key string) bool { return slices.Contains(some, key) })
	if len(added) != 1 {
		t.Errorf("one key more has made %d others", len(added))
	}
	if kept := slices.DeleteFunc(more, func(key string) bool { return key == added[0] }); !slices.Equal(kept, some) {
		t.Error("the others are in another order")
	}
	// They lie all over the collection, and in the order of its index.
	places := make([]int, 0, len(some))
	for _, key := range some {
		places = append(places, slices.Index(all, key))
	}
	first := sort.SearchInts(places, theirOrders/2)
	if !slices.IsSorted(places) || first < 30 || first > 70 {
		t.Errorf("%d of 100 keys are of the first half, in the places %v", first, places)
	}
	view := bson.D{{Key: "create", Value: "seen"}, {Key: "viewOn", Value: "orders"}, {Key: "pipeline", Value: bson.A{}}}
	if err := db.RunCommand(t.Context(), view).Err(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(some, keysOf(t, target, "seen", 100)); diff != "" {
		t.Errorf("a view has other keys than its collection (-want +got):\n%s", diff)
	}
}

func TestAnExistingDatasetIsWrittenToOnlyWhereThatIsAllowed(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Versions()[0])
	target, db := open(t, server), existingDatabase(t, server, "written")
	update := planv1.Operation{
		Name: "update", Parameters: []planv1.Parameter{sampledKey("id", "_id")},
		Request: planv1.Request{
			Kind: "UpdateOne", Filter: `{"_id": {"$param": "id"}}`, Update: `{"$inc": {"customer.number": 1000}}`,
		},
	}
	before, plan := hashOf(t, db, "orders"), existingPlan("written", 50, update)
	_, err := drivertest.Run(t.Context(), plan, target)
	if err == nil || !strings.Contains(err.Error(), "does not allow") {
		t.Errorf("error %v, want that the plan does not allow it", err)
	}
	if hashOf(t, db, "orders") != before {
		t.Fatal("the documents have changed")
	}
	plan.Existing.Writable = true
	reports, err := drivertest.Run(t.Context(), plan, target)
	if err != nil {
		t.Fatal(err)
	}
	if found := reports[0].Steps[1].Operations[0]; found.Errors != 0 || hashOf(t, db, "orders") == before {
		t.Errorf("nothing was written, or %d errors", found.Errors)
	}
	// A database that no run has made stays one: another run does not take it for its own.
	wantMark(t, target, "written", nil)
	mark := reportv1.DatasetMark{Fingerprint: "loaded", State: reportv1.DatasetClean}
	if err := target.SetMark(t.Context(), "written", mark); err != nil {
		t.Fatal(err)
	}
	if _, err := drivertest.Run(t.Context(), plan, target); err != nil {
		t.Fatal(err)
	}
	if found, err := target.Mark(t.Context(), "written"); err != nil || found.State != reportv1.DatasetDirty {
		t.Errorf("what a run has loaded and another one written to is marked %+v, error %v", found, err)
	}
}

func TestAnExistingDatasetThatIsNotThereIsNotMeasured(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Versions()[0])
	target := open(t, server)
	database(t, server, "nowhere")
	plan := existingPlan("nowhere", 10, readsByKeys())
	scan := planv1.Operation{Name: "scan", Request: planv1.Request{Kind: "FindOne", Filter: "{}"}}
	fewer := existingPlan("fewer", 10, scan)
	fewer.Collections[0].DocumentCount = theirOrders + 1
	existingDatabase(t, server, "fewer")
	for name, tc := range map[string]struct {
		plan planv1.Plan
		want string
	}{
		"no collection to draw keys from": {plan, `collection "orders": it is empty, or there is none in database "nowhere"`},
		"no collection":                   {existingPlan("nowhere", 10, scan), `"orders": it is empty, or there is none`},
		"fewer documents than declared":   {fewer, "it holds 700 documents, and documentCount says that 701 are there"},
	} {
		if _, err := drivertest.Run(t.Context(), tc.plan, target); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want %q", name, err, tc.want)
		}
	}
}
