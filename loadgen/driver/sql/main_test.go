package sql_test

import (
	"context"
	database "database/sql"
	"os"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/driver/sql"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mariadbtest"
)

func TestMain(m *testing.M) {
	os.Exit(mariadbtest.Main(m))
}

// myRocks is the name of the shared server whose tables are MyRocks'.
const myRocks = "MyRocks"

// eachEngine runs a test on each engine.
func eachEngine(t *testing.T, test func(t *testing.T, server *mariadbtest.Server)) {
	t.Helper()
	t.Run("InnoDB", func(t *testing.T) { test(t, mariadbtest.Shared(t)) })
	t.Run(myRocks, func(t *testing.T) { test(t, mariadbtest.SharedAs(t, myRocks, mariadbtest.MyRocks()...)) })
}

// eachClient runs a test by each client on each engine.
func eachClient(t *testing.T, test func(t *testing.T, server *mariadbtest.Server, client benchv1alpha1.Client)) {
	t.Helper()
	eachEngine(t, func(t *testing.T, server *mariadbtest.Server) {
		t.Helper()
		for _, client := range []benchv1alpha1.Client{benchv1alpha1.ClientPrepared, benchv1alpha1.ClientText} {
			t.Run(string(client), func(t *testing.T) { test(t, server, client) })
		}
	})
}

// open connects what is tested.
func open(tb testing.TB, uri string) *sql.Target {
	tb.Helper()
	return openWith(tb, driver.Config{URIs: []string{uri}})
}

func openWith(tb testing.TB, config driver.Config) *sql.Target {
	tb.Helper()
	target, err := sql.Open(tb.Context(), config)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = target.Close(context.Background()) })
	return target
}

// look is a plain connection for looking at what was done, to an empty database of that name.
func look(tb testing.TB, server *mariadbtest.Server, name string) *database.DB {
	tb.Helper()
	config := mysql.NewConfig()
	config.User, config.Passwd = mariadbtest.User, mariadbtest.Password
	config.Net, config.Addr = "tcp", server.Address
	connector, err := mysql.NewConnector(config)
	if err != nil {
		tb.Fatal(err)
	}
	db := database.OpenDB(connector)
	tb.Cleanup(func() { _ = db.Close() })
	must(tb, db, "DROP DATABASE IF EXISTS "+name)
	must(tb, db, "CREATE DATABASE "+name)
	return db
}

// must carries out a statement.
func must(tb testing.TB, db *database.DB, statement string) {
	tb.Helper()
	if _, err := db.ExecContext(tb.Context(), statement); err != nil {
		tb.Fatalf("%s: %v", statement, err)
	}
}

// text is the one value that a query has.
func text(tb testing.TB, db *database.DB, query string) string {
	tb.Helper()
	var found string
	if err := db.QueryRowContext(tb.Context(), query).Scan(&found); err != nil {
		tb.Fatalf("%s: %v", query, err)
	}
	return found
}

// loaded is the number of documents of the plan below.
const loaded = 400

func field(name string, value planv1.Value) planv1.Field {
	return planv1.Field{Name: name, Value: value}
}

// things is a collection with a column of every type.
func things() planv1.Collection {
	year := int64(365 * 24 * time.Hour / time.Millisecond)
	return planv1.Collection{
		Name: "things", DocumentCount: loaded,
		Fields: []planv1.Field{
			field("_id", planv1.Value{Type: benchv1alpha1.GeneratorObjectID}),
			field("n", planv1.Value{Type: benchv1alpha1.GeneratorSequence, Step: 1}),
			field("small", planv1.Value{Type: benchv1alpha1.GeneratorInt, Seed: 1, Min: -1 << 31, Max: 1<<31 - 1}),
			field("large", planv1.Value{Type: benchv1alpha1.GeneratorLong, Seed: 2, Min: -1 << 60, Max: 1 << 60}),
			field("share", planv1.Value{Type: benchv1alpha1.GeneratorDouble, Seed: 3, MinDouble: -1e-9, MaxDouble: 1e9}),
			field("done", planv1.Value{Type: benchv1alpha1.GeneratorBool, Seed: 4, TruePercent: 30}),
			field("at", planv1.Value{Type: benchv1alpha1.GeneratorDate, Seed: 5, Min: -30 * year, Max: 60 * year}),
			field("text", planv1.Value{Type: benchv1alpha1.GeneratorString, Seed: 6, Min: 0, Max: 50}),
			field("bytes", planv1.Value{Type: benchv1alpha1.GeneratorBinary, Seed: 7, Min: 0, Max: 300}),
			field("uuid", planv1.Value{Type: benchv1alpha1.GeneratorUUID, Seed: 8}),
			field("kind", planv1.Value{Type: benchv1alpha1.GeneratorChoice, Seed: 9, Choices: []planv1.Choice{
				{Value: `"it's"`, Weight: new(int32(1))},
				{Value: `"a \\ and ä, longer than sixteen bytes, isn't it"`, Weight: new(int32(1))},
				{Value: `" trailing "`, Weight: new(int32(1))},
			}}),
			field("order-no", planv1.Value{Type: benchv1alpha1.GeneratorSerial, Prefix: "order", Digits: 3}),
			field("long", planv1.Value{
				Type: benchv1alpha1.GeneratorBinary, Seed: 10, Min: 100, Max: 70_000,
				CompressiblePercent: 90,
			}),
		},
		Indexes: []planv1.Index{
			{Keys: []planv1.IndexKey{{Field: "n", Order: "1"}}, Unique: true},
			{Name: "by-kind", Keys: []planv1.IndexKey{{Field: "kind", Order: "1"}, {Field: "small", Order: "1"}}},
		},
	}
}

// byID is the parameter that operations find a document by.
func byID(distribution string) []planv1.Parameter {
	return []planv1.Parameter{{Name: "id", Value: planv1.Value{
		Type: planv1.TypeKey, KeyField: "_id", KeyRangePercent: 100,
		Distribution: planv1.Distribution{Type: distribution, Theta: 0.99},
	}}}
}

// operations are of all kinds, and all conditions.
func operations() []planv1.Operation {
	wide := planv1.Parameter{Name: "from", Value: planv1.Value{
		Type: benchv1alpha1.GeneratorInt, Seed: 3, Min: 0,
		Max: loaded - 20,
	}}
	text := planv1.Parameter{Name: "text", Value: planv1.Value{
		Type: benchv1alpha1.GeneratorString, Seed: 4, Min: 0,
		Max: 50,
	}}
	date := planv1.Parameter{Name: "at", Value: planv1.Value{
		Type: benchv1alpha1.GeneratorDate, Seed: 5, Min: 0,
		Max: 1 << 40,
	}}
	limit := planv1.Parameter{Name: "limit", Value: planv1.Value{
		Type: benchv1alpha1.GeneratorInt, Seed: 6, Min: 1,
		Max: 9,
	}}
	return []planv1.Operation{
		{
			Name: "get", Parameters: byID("Uniform"),
			Request: planv1.Request{Kind: "FindOne", Filter: `{"_id": {"$param": "id"}}`},
		},
		{
			Name: "by-index", Parameters: []planv1.Parameter{wide},
			Request: planv1.Request{
				Kind: "FindOne", Filter: `{"n": {"$param": "from"}}`, Projection: `{"text": 1, "n": 1}`,
			},
		},
		{
			Name: "range", Parameters: []planv1.Parameter{wide},
			Request: planv1.Request{
				Kind: "Find", Filter: `{"n": {"$gte": {"$param": "from"}}}`,
				Sort: []benchv1alpha1.SortKey{{Field: "n", Direction: benchv1alpha1.SortAscending}}, Limit: 10,
			},
		},
		{
			Name: "some", Parameters: []planv1.Parameter{wide, limit},
			Request: planv1.Request{
				Kind: "Find", Filter: `{"n": {"$gt": {"$param": "from"}, "$lte": 399}}`, LimitParameter: "limit",
				Sort: []benchv1alpha1.SortKey{{Field: "n", Direction: benchv1alpha1.SortDescending}},
			},
		},
		{
			Name: "change", Parameters: append(byID("Zipfian"), text, date),
			Request: planv1.Request{
				Kind: "UpdateOne", Filter: `{"_id": {"$param": "id"}}`,
				Update: `{"$set": {"text": {"$param": "text"}, "at": {"$param": "at"}, "done": true}}`,
			},
		},
		{Name: "insert", Request: planv1.Request{Kind: "InsertOne"}},
		{Name: "insert-many", Request: planv1.Request{Kind: "InsertMany", BatchDocuments: 7}},
		{
			Name: "delete", Parameters: byID("Uniform"),
			Request: planv1.Request{Kind: "DeleteOne", Filter: `{"_id": {"$param": "id"}}`},
		},
	}
}

// planOf is a plan that loads and verifies, and then has these steps.
func planOf(name string, client benchv1alpha1.Client, steps ...planv1.Step) planv1.Plan {
	plan := planv1.Plan{
		Version: planv1.Version, Seed: 11, Pods: 1, Client: client, Database: name, Dataset: "dataset of " + name,
		Collections: []planv1.Collection{things()},
		Steps: []planv1.Step{
			{Name: "prepare", Kind: planv1.StepPrepare},
			{Name: "load", Kind: planv1.StepLoad, Threads: 3, BatchDocuments: 77},
			{Name: "verify", Kind: planv1.StepVerify, Check: benchv1alpha1.VerifyAll},
		},
	}
	for _, step := range steps {
		step.Kind = planv1.StepMeasure
		for i := range step.Operations {
			step.Operations[i].Collection, step.Operations[i].Weight = "things", 1
		}
		plan.Steps = append(plan.Steps, step)
	}
	return plan
}
