package mongo_test

import (
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

// realData has every generator of data like real data, and operations with parameters of them. Every document is
// compared byte by byte after the load.
const realData = `
dataset:
  load: {verify: All, threads: 4, batchDocuments: 77}
  collections:
    - name: customers
      documentCount: 400
      fields:
        - {name: name, type: Fake, fake: Name, seed: 1}
        - {name: email, type: Fake, fake: Email, seed: 1}
        - {name: phone, type: Fake, fake: Phone, presencePercent: 60, nullPercent: 20}
        - {name: balance, type: Decimal128, decimal: {min: "-10", max: "10"}}
        - {name: home, type: GeoPoint, geo: {clusters: 5}}
        - {name: about, type: Words, words: {maxWords: 30, language: Mixed}}
        - {name: changed, type: Timestamp, date: {minOffsetSeconds: -3600, maxOffsetSeconds: 0}}
        - {name: pattern, type: Regex}
        - name: login
          type: Document
          presencePercent: 50
          document: {fields: [{name: ip, type: Fake, fake: IPv4}, {name: "from[1-2]", type: Fake, fake: City}]}
    - name: orders
      documentCount: 2000
      fields:
        - {name: by, type: Reference, refersTo: {collection: customers, documentsPerKey: 5}}
        - name: email
          type: Reference
          refersTo: {collection: customers, field: email}
          distribution: {type: Zipfian}
        - {name: lost, type: Reference, refersTo: {collection: customers, orphanPercent: 30}}
        - {name: "lines[1-5].sku", type: Serial}
        - {name: "lines[].price", type: Decimal128, nullPercent: 10}
        - {name: "lines[].cells[2][3].x", type: Int}
workload:
  steps:
    - name: all
      operationCount: 400
      threads: 4
      operations:
        - {name: of, kind: FindOne, collection: orders, filter: {by: {$key: by}}}
        - {name: phone, kind: FindOne, collection: customers, filter: {phone: {$key: phone}}}
        - name: near
          kind: Find
          collection: customers
          parameters: [{name: at, type: GeoPoint}, {name: who, type: Fake, fake: Name}, {name: sum, type: Decimal128}]
          filter:
            $or:
              - {home: {$geoIntersects: {$geometry: {$param: at}}}}
              - {name: {$param: who}}
              - {balance: {$lt: {$param: sum}}}
        - name: update
          kind: UpdateOne
          collection: customers
          parameters:
            - {name: id, type: Key}
            - {name: text, type: Words}
            - {name: pattern, type: Regex}
            - {name: at, type: Timestamp}
          filter: {_id: {$param: id}}
          update: {$set: {about: {$param: text}, pattern: {$param: pattern}, changed: {$param: at}}}
        - {name: insert, kind: InsertOne, collection: orders}
        - {name: replace, kind: ReplaceOne, collection: customers}
`

// realDataPlan compiles realData as the operator does.
func realDataPlan(t *testing.T, database string, client benchv1alpha1.Client) planv1.Plan {
	t.Helper()
	run := &benchv1alpha1.BenchmarkRun{}
	if err := yaml.UnmarshalStrict([]byte(realData), &run.Spec); err != nil {
		t.Fatal(err)
	}
	run.Spec.TargetRef = &benchv1alpha1.NameReference{Name: "any"}
	if problems := validation.ValidateRun(run); len(problems) > 0 {
		t.Fatal(problems.ToAggregate())
	}
	plan := spec.Compile(run.Spec)
	plan.Database, plan.Client = database, client
	return plan
}

func TestDataLikeRealData(t *testing.T) {
	for _, version := range mongotest.Versions() {
		for _, client := range everyClient {
			t.Run("mongod "+version+" "+string(client), func(t *testing.T) {
				server := mongotest.Shared(t, version)
				db := database(t, server, "real"+string(client))
				plan := realDataPlan(t, db.Name(), client)
				measured := plan.Steps[len(plan.Steps)-1]
				plan.Steps = plan.Steps[:len(plan.Steps)-1]
				target := open(t, server)
				if _, err := drivertest.Run(t.Context(), plan, target); err != nil {
					t.Fatal(err)
				}
				checkRealData(t, db)
				plan.Steps = append(plan.Steps, measured)
				reports, err := drivertest.Run(t.Context(), plan, target)
				if err != nil {
					t.Fatal(err)
				}
				checkMeasured(t, reports[0].Steps[len(plan.Steps)-1])
			})
		}
	}
}

// checkMeasured wants every operation to have found or written documents, and none to have failed.
func checkMeasured(t *testing.T, step reportv1.Step) {
	t.Helper()
	for _, operation := range step.Operations {
		if operation.Errors > 0 || operation.Count == 0 || operation.Documents == 0 {
			t.Errorf("operation %s: %d, of which %d failed, %d documents", operation.Name, operation.Count,
				operation.Errors, operation.Documents)
		}
	}
}

// checkRealData asks the server what it sees in the documents: it knows nothing of how they were made.
func checkRealData(t *testing.T, db *driver.Database) {
	t.Helper()
	customers, orders := db.Collection("customers"), db.Collection("orders")
	type bounds struct{ least, most int }
	for filter, want := range map[string]bounds{
		`{"phone": {"$exists": true}}`:                               {200, 280},
		`{"phone": {"$type": "null"}}`:                               {25, 75},
		`{"phone": null}`:                                            {160, 260},
		`{"balance": {"$type": "decimal"}}`:                          {400, 400},
		`{"balance": {"$gte": {"$numberDecimal": "-10"}}}`:           {400, 400},
		`{"balance": {"$gt": {"$numberDecimal": "0"}}}`:              {160, 240},
		`{"changed": {"$type": "timestamp"}}`:                        {400, 400},
		`{"pattern": {"$type": "regex"}}`:                            {400, 400},
		`{"about": {"$type": "string"}}`:                             {400, 400},
		`{"login": {"$exists": true}}`:                               {160, 240},
		`{"login.from.0": {"$exists": true}}`:                        {160, 240},
		`{"email": {"$regex": "@example\\.(com|net|org)$"}}`:         {400, 400},
		`{"home": {"$geoWithin": {"$centerSphere": [[0, 0], 3.2]}}}`: {400, 400},
	} {
		if got := countOf(t, customers, filter); got < want.least || got > want.most {
			t.Errorf("%s matches %d customers, not %d to %d", filter, got, want.least, want.most)
		}
	}
	for filter, want := range map[string]bounds{
		`{"lines.0.cells.1": {"$size": 3}}`:  {2000, 2000},
		`{"lines.5": {"$exists": true}}`:     {0, 0},
		`{"lines.4": {"$exists": true}}`:     {300, 500},
		`{"lines.price": {"$type": "null"}}`: {350, 700},
	} {
		if got := countOf(t, orders, filter); got < want.least || got > want.most {
			t.Errorf("%s matches %d orders, not %d to %d", filter, got, want.least, want.most)
		}
	}
	checkReferences(t, orders)
}

func countOf(t *testing.T, c *driver.Collection, filter string) int {
	t.Helper()
	var parsed bson.D
	if err := bson.UnmarshalExtJSON([]byte(filter), false, &parsed); err != nil {
		t.Fatal(err)
	}
	n, err := c.CountDocuments(t.Context(), parsed)
	if err != nil {
		t.Fatalf("%s: %v", filter, err)
	}
	return int(n)
}

// checkReferences joins the orders with their customers.
func checkReferences(t *testing.T, orders *driver.Collection) {
	t.Helper()
	for field, tc := range map[string]struct {
		of                    string
		leastFound, mostFound int
		largest, most         int
	}{
		"by": {"_id", 2000, 2000, 5, 5}, "email": {"email", 2000, 2000, 100, 2000}, "lost": {"_id", 1320, 1480, 4, 30},
	} {
		found, largest := 0, 0
		for _, count := range ordersOf(t, orders, field, tc.of) {
			found, largest = found+count, max(largest, count)
		}
		if found < tc.leastFound || found > tc.mostFound {
			t.Errorf("%s: %d of 2000 orders are of a customer, not %d to %d", field, found, tc.leastFound, tc.mostFound)
		}
		if largest < tc.largest || largest > tc.most {
			t.Errorf("%s: the most orders of one customer are %d, not %d to %d", field, largest, tc.largest, tc.most)
		}
	}
}

// ordersOf is how many orders refer to each customer that has any.
func ordersOf(t *testing.T, orders *driver.Collection, field, of string) []int {
	t.Helper()
	cursor, err := orders.Aggregate(t.Context(), bson.A{
		bson.D{{Key: "$lookup", Value: bson.D{
			{Key: "from", Value: "customers"},
			{Key: "localField", Value: field},
			{Key: "foreignField", Value: of},
			{Key: "as", Value: "parent"},
		}}},
		bson.D{{Key: "$match", Value: bson.D{{Key: "parent.0", Value: bson.D{{Key: "$exists", Value: true}}}}}},
		bson.D{{Key: "$group", Value: bson.D{
			{Key: "_id", Value: "$" + field}, {Key: "n", Value: bson.D{{Key: "$sum", Value: 1}}},
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var groups []struct{ N int }
	if err := cursor.All(t.Context(), &groups); err != nil {
		t.Fatal(err)
	}
	counts := make([]int, 0, len(groups))
	for _, group := range groups {
		counts = append(counts, group.N)
	}
	return counts
}
