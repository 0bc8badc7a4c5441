package honesty

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// clientCase is a step that is sent by a client, with what the connection string adds.
type clientCase struct {
	option    string
	client    benchv1alpha1.Client
	threads   int
	operation planv1.Operation
}

const clientOperations = 300

// send has the load generator do it, and looks at the server before and after.
func (c clientCase) send(
	t *testing.T, server *mongotest.Server, look func(db *driver.Database),
) (reportv1.Step, []result.Doubt) {
	t.Helper()
	looking, err := driver.Connect(options.Client().ApplyURI(server.URI()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = looking.Disconnect(context.Background()) }()
	target, err := mongo.Open(t.Context(), mongo.Config{URIs: []string{server.URI() + c.option}, Connections: c.threads})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = target.Close(context.Background()) }()
	db := looking.Database("honesty")
	if _, err := db.Collection("things").UpdateByID(t.Context(), 1, bson.D{{Key: "$set", Value: bson.D{}}},
		options.UpdateOne().SetUpsert(true)); err != nil {
		t.Fatal(err)
	}
	if look != nil {
		look(db)
	}
	c.operation.Name, c.operation.Weight, c.operation.Collection = "it", 1, "things"
	report, doubts := follow(t, planv1.Plan{
		Version: planv1.Version, Seed: 7, Pods: 1, Client: c.client, Database: db.Name(),
		Collections: []planv1.Collection{{
			Name: "things", DocumentCount: 1,
			Fields: []planv1.Field{{Name: "_id", Value: planv1.Value{Type: benchv1alpha1.GeneratorSequence, Step: 1}}},
		}},
		Steps: []planv1.Step{{
			Name: "sent", Kind: planv1.StepMeasure, Threads: max(1, c.threads), OperationCount: clientOperations,
			Operations: []planv1.Operation{c.operation},
		}},
	}, target)
	if look != nil {
		look(db)
	}
	return report.Steps[0], doubts
}

var (
	readOne   = planv1.Operation{Request: planv1.Request{Kind: "FindOne", Filter: `{"_id": 1}`}}
	updateOne = planv1.Operation{Request: planv1.Request{
		Kind: "UpdateOne", Filter: `{"_id": 1}`, Update: `{"$inc": {"n": 1}}`,
	}}
)

// aSet is a replica set of one member.
func aSet(t *testing.T) *mongotest.Server {
	t.Helper()
	server := mongotest.SharedAs(t, "honest", mongotest.Newest(), "--replSet", "honest")
	client, err := driver.Connect(options.Client().ApplyURI(server.URI()).SetDirect(true))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Disconnect(context.Background()) }()
	admin := client.Database("admin")
	member := bson.D{{Key: "_id", Value: 0}, {Key: "host", Value: server.Address}}
	config := bson.D{{Key: "_id", Value: "honest"}, {Key: "members", Value: bson.A{member}}}
	// It fails where an earlier test did it.
	_ = admin.RunCommand(t.Context(), bson.D{{Key: "replSetInitiate", Value: config}}).Err()
	for {
		hello, err := admin.RunCommand(t.Context(), bson.D{{Key: "hello", Value: 1}}).Raw()
		if err != nil {
			t.Fatal(err)
		}
		if hello.Lookup("isWritablePrimary").Boolean() {
			return server
		}
		select {
		case <-t.Context().Done():
			t.Fatal("the replica set has no primary")
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// remembered is how many writes the server wrote down to know them again.
func remembered(t *testing.T, db *driver.Database) int64 {
	t.Helper()
	status, err := db.RunCommand(t.Context(), bson.D{{Key: "serverStatus", Value: 1}}).Raw()
	if err != nil {
		t.Fatal(err)
	}
	number, _ := status.Lookup("transactions", "transactionsCollectionWriteCount").AsInt64OK()
	return number
}

func TestClients(t *testing.T) {
	for name, tc := range map[string]struct {
		option string
		client benchv1alpha1.Client
		want   bool
	}{
		"writes of an application, by default": {"", benchv1alpha1.ClientApplication, true},
		"with retryWrites=true":                {"&retryWrites=true", benchv1alpha1.ClientApplication, true},
		"with retryWrites=false":               {"&retryWrites=false", benchv1alpha1.ClientApplication, false},
		"prepared commands":                    {"", benchv1alpha1.ClientDriver, false},
	} {
		Check(t, Scenario{
			Item: "A7", Name: "retryable writes, " + name,
			Truth: fmt.Sprintf("the server remembers each write: %t (transactionsCollectionWriteCount)", tc.want),
			Run: func(t *testing.T) Told {
				t.Helper()
				var counts []int64
				step, doubts := clientCase{tc.option, tc.client, 2, updateOne}.send(t, aSet(t), func(db *driver.Database) {
					counts = append(counts, remembered(t, db))
				})
				written := counts[1] - counts[0]
				told := strings.Contains(step.Sent, "txnNumber")
				return Told{
					Reported: fmt.Sprintf("%d remembered of %d writes; %s", written, step.Operations[0].Count, step.Sent),
					Wrong:    told != tc.want || (written >= clientOperations) != tc.want, Doubts: doubts,
				}
			},
		})
	}
	Check(t, Scenario{
		Item: "A4", Name: "variants by other clients",
		Truth: "two read preferences are measured by one client",
		Run: func(t *testing.T) Told {
			t.Helper()
			primary, _ := clientCase{"", "", 1, readOne}.send(t, aSet(t), nil)
			other, doubts := clientCase{"&readPreference=primaryPreferred", "", 1, readOne}.send(t, aSet(t), nil)
			return Told{
				Reported: primary.Client + " and " + other.Client, Wrong: primary.Client != other.Client, Doubts: doubts,
			}
		},
	})
	Check(t, Scenario{
		Item: "A18", Name: "a pool smaller than the concurrency",
		Truth: "16 threads share 3 connections (the server's currentOp)", Doubt: benchv1alpha1.ReasonConnectionPoolWaits,
		Run: func(t *testing.T) Told {
			t.Helper()
			open := 0
			step, doubts := clientCase{"&maxPoolSize=3&appName=pooled", "", 16, readOne}.send(t, aSet(t),
				func(db *driver.Database) { open = connections(t, db, "pooled") })
			// Besides those of the pool there are the driver's own, to watch the server.
			const watching = 2
			return Told{
				Reported: fmt.Sprintf("%d connections, %d of them to watch; %s", open, watching, step.Sent),
				Wrong:    open > 3+watching || step.PoolSize != 3 || step.Traffic.CheckoutMicros == 0, Doubts: doubts,
			}
		},
	})
	Check(t, Scenario{
		Item: "A20.8", Name: "aggregations that may use the disk unasked",
		Truth: "no aggregation has allowDiskUse (the server's profiler)",
		Run: func(t *testing.T) Told {
			t.Helper()
			aggregate := planv1.Operation{Request: planv1.Request{Kind: "Aggregate", Pipeline: `[{"$sort": {"n": 1}}]`}}
			level, found := 2, int64(-1)
			_, doubts := clientCase{"", "", 1, aggregate}.send(t, aSet(t), func(db *driver.Database) {
				if err := db.RunCommand(t.Context(), bson.D{{Key: "profile", Value: level}}).Err(); err != nil {
					t.Fatal(err)
				}
				level, found = 0, count(t, db, bson.D{
					{Key: "command.aggregate", Value: "things"},
					{Key: "command.allowDiskUse", Value: bson.D{{Key: "$exists", Value: true}}},
				})
			})
			return Told{Reported: fmt.Sprintf("%d aggregations with allowDiskUse", found), Wrong: found != 0, Doubts: doubts}
		},
	})
}

// count counts what the profiler wrote.
func count(t *testing.T, db *driver.Database, filter bson.D) int64 {
	t.Helper()
	number, err := db.Collection("system.profile").CountDocuments(t.Context(), filter)
	if err != nil {
		t.Fatal(err)
	}
	return number
}

// connections are how many connections the server has of an application, idle or not.
func connections(t *testing.T, db *driver.Database, application string) int {
	t.Helper()
	cursor, err := db.Client().Database("admin").Aggregate(t.Context(), bson.A{
		bson.D{{Key: "$currentOp", Value: bson.D{{Key: "idleConnections", Value: true}, {Key: "allUsers", Value: true}}}},
		bson.D{{Key: "$match", Value: bson.D{{Key: "appName", Value: application}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var all []bson.Raw
	if err := cursor.All(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	return len(all)
}
