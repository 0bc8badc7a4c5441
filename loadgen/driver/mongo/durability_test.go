package mongo_test

import (
	"context"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/describe"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// TestDurabilityIsThatOfTheWrites has one server measured with each class that it can give, whatever the connection
// string says.
func TestDurabilityIsThatOfTheWrites(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Versions()[0])
	for name, tc := range map[string]struct{ declared, load, options, want string }{
		"nothing is declared":  {"", "", "", "Memory"},
		"None is declared":     {"None", "Memory", "&w=1", "None"},
		"Memory is declared":   {"Memory", "Memory", "&w=0", "Memory"},
		"Synced is declared":   {"Synced", "Synced", "&w=0", "Synced"},
		"the string says more": {"", "", "&w=1&journal=true", "Synced"},
	} {
		t.Run(name, func(t *testing.T) {
			db := database(t, server, "durability")
			target, err := mongo.Open(t.Context(), mongo.Config{URIs: []string{server.URI() + tc.options}, Connections: 4})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = target.Close(context.Background()) })
			plan := planOf(db.Name(), planv1.Step{Threads: 1, OperationCount: 20, Operations: []planv1.Operation{
				{
					Name: "insert", Request: planv1.Request{Kind: "InsertOne"},
					WholeSettings: planv1.WholeSettings{WriteConcern: planv1.ConcernOf(tc.declared)},
				},
			}})
			plan.Durability, plan.Steps[1].WriteConcern = tc.declared, planv1.ConcernOf(tc.load)
			reports, err := drivertest.Run(t.Context(), plan, target)
			if err != nil {
				t.Fatal(err)
			}
			if got := reports[0].Server.Durability; got != tc.want {
				t.Errorf("the report says %q, want %q", got, tc.want)
			}
		})
	}
}

// TestTheLoadHasItsWriteConcern looks at the commands as the server got them, of both clients.
func TestTheLoadHasItsWriteConcern(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Versions()[0])
	for _, client := range everyClient {
		t.Run(string(client), func(t *testing.T) {
			db := database(t, server, "loadconcern")
			if err := db.RunCommand(t.Context(), bson.D{{Key: "profile", Value: 2}}).Err(); err != nil {
				t.Fatal(err)
			}
			plan := planOf(db.Name(), planv1.Step{Threads: 1, OperationCount: 1, Operations: []planv1.Operation{
				{Name: "read", Request: planv1.Request{Kind: "FindOne", Filter: "{}"}},
			}})
			plan.Client, plan.Steps[1].WriteConcern = client, planv1.ConcernOf("Synced")
			if _, err := drivertest.Run(t.Context(), plan, open(t, server)); err != nil {
				t.Fatal(err)
			}
			inserts := bson.D{{Key: "command.insert", Value: "things"}}
			all, err := db.Collection("system.profile").CountDocuments(t.Context(), inserts)
			if err != nil || all == 0 {
				t.Fatalf("%d inserts, %v", all, err)
			}
			synced, err := db.Collection("system.profile").CountDocuments(t.Context(),
				append(inserts, bson.E{Key: "command.writeConcern.j", Value: true}))
			if err != nil || synced != all {
				t.Errorf("%d of %d inserts wait for the journal, %v", synced, all, err)
			}
		})
	}
}

// TestWhatAMajorityOfAStandaloneIs counts how often the journal is written for such writes.
func TestWhatAMajorityOfAStandaloneIs(t *testing.T) {
	const writes = 20
	for _, version := range mongotest.All() {
		t.Run("mongod "+version, func(t *testing.T) {
			server := mongotest.Shared(t, version)
			db := database(t, server, "majority")
			syncs := func() int64 {
				status, err := db.RunCommand(t.Context(), bson.D{{Key: "serverStatus", Value: 1}}).Raw()
				if err != nil {
					t.Fatal(err)
				}
				number, _ := status.Lookup("wiredTiger", "log", "log sync operations").AsInt64OK()
				return number
			}
			before := syncs()
			for range writes {
				insert := bson.D{
					{Key: "insert", Value: "c"},
					{Key: "documents", Value: bson.A{bson.D{}}},
					{Key: "writeConcern", Value: bson.D{{Key: "w", Value: "majority"}}},
				}
				if err := db.RunCommand(t.Context(), insert).Err(); err != nil {
					t.Fatal(err)
				}
			}
			made := syncs() - before
			said := loadgen.ConcernDurability(planv1.WriteConcern{W: "majority"}, reportv1.Server{
				Version: version, Topology: loadgen.TopologyStandalone, Persistence: describe.PersistenceDurable,
			})
			if synced := made >= writes; synced != (said == "Synced") {
				t.Errorf("%d syncs for %d writes, which are said to be %s", made, writes, said)
			}
		})
	}
}

// TestMergeTrees has a dataset loaded into WiredTiger's merge trees, with its indexes, where the server can.
func TestMergeTrees(t *testing.T) {
	for _, version := range mongotest.All() {
		if strings.HasPrefix(version, "6.") {
			continue // The first insert would end the server.
		}
		t.Run("mongod "+version, func(t *testing.T) {
			server := mongotest.Shared(t, version)
			db := database(t, server, "lsm")
			plan := planOf(db.Name(), planv1.Step{Threads: 4, OperationCount: 400, Operations: []planv1.Operation{
				{Name: "insert", Request: planv1.Request{Kind: "InsertOne"}},
				{
					Name: "read", Parameters: []planv1.Parameter{key},
					Request: planv1.Request{Kind: "FindOne", Filter: `{"_id": {"$param": "id"}}`},
				},
			}})
			plan.Collections[0].Type, plan.Steps[2].Check = planv1.TypeLSM, benchv1alpha1.VerifyAll
			reports, err := drivertest.Run(t.Context(), plan, open(t, server))
			if err != nil {
				t.Fatal(err)
			}
			wantNoErrors(t, reports[0].Steps[3])
			if got := reports[0].Server.StorageEngine; got != "wiredTiger LSM" {
				t.Errorf("the report says %q, want it named", got)
			}
			checkMergeTrees(t, db)
		})
	}
}

func wantNoErrors(t *testing.T, step reportv1.Step) {
	t.Helper()
	for _, operation := range step.Operations {
		if operation.Errors > 0 {
			t.Errorf("operation %s: %+v", operation.Name, operation.ErrorClasses)
		}
	}
}

// checkMergeTrees asks the server what it keeps the collection and its indexes in.
func checkMergeTrees(t *testing.T, db *driver.Database) {
	t.Helper()
	stats, err := db.RunCommand(t.Context(), bson.D{
		{Key: "collStats", Value: "things"}, {Key: "indexDetails", Value: true},
	}).Raw()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range [][]string{{"wiredTiger"}, {"indexDetails", "_id_"}, {"indexDetails", "n_1"}} {
		if kind, _ := stats.Lookup(append(path, "type")...).StringValueOK(); kind != "lsm" {
			t.Errorf("%v is of type %q, want lsm", path, kind)
		}
	}
}
