package mongo_test

import (
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// connectionsMade is how many connections a server has accepted since it was started.
func connectionsMade(t *testing.T, db *driver.Database) int64 {
	t.Helper()
	var status struct {
		Connections struct {
			TotalCreated int64 `bson:"totalCreated"`
		} `bson:"connections"`
	}
	if err := db.RunCommand(t.Context(), bson.D{{Key: "serverStatus", Value: 1}}).Decode(&status); err != nil {
		t.Fatal(err)
	}
	return status.Connections.TotalCreated
}

// TestAnApplicationsConnectionsAreOpenBeforeItsOperations: as many as its sessions use, or as the pool may have.
func TestAnApplicationsConnectionsAreOpenBeforeItsOperations(t *testing.T) {
	server := mongotest.Start(t, mongotest.Newest())
	for name, tc := range map[string]struct {
		option   string
		sessions int
		want     int64
	}{
		"as many as sessions":  {"", 24, 24},
		"as many as may be":    {"&maxPoolSize=6", 24, 6},
		"any number of them":   {"&maxPoolSize=0", 24, 24},
		"one, which is enough": {"", 1, 1},
	} {
		t.Run(name, func(t *testing.T) { checkFill(t, server.URI()+tc.option, tc.sessions, tc.want) })
	}
}

// checkFill fills the pool of an application at a server for so many sessions, and then uses them.
func checkFill(t *testing.T, uri string, sessions int, want int64) {
	t.Helper()
	// A client that polls has one connection to watch the server by, and opens no more of them later.
	uri += "&serverMonitoringMode=poll"
	looking, err := driver.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = looking.Disconnect(t.Context()) }()
	db := looking.Database("fill")
	target, err := mongo.Open(t.Context(), mongo.Config{URIs: []string{uri}, Connections: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = target.Close(t.Context()) }()
	use := loadgen.Use{Database: "fill", Client: benchv1alpha1.ClientApplication, Step: planv1.Step{
		Kind: planv1.StepMeasure, Operations: []planv1.Operation{{
			Name: "read", Request: planv1.Request{Kind: benchv1alpha1.OperationFindOne, Collection: "c"},
		}},
	}}
	read(t, target, use, 1)
	before := connectionsMade(t, db)
	if err := target.Fill(t.Context(), use, sessions); err != nil {
		t.Fatal(err)
	}
	filled := connectionsMade(t, db)
	// The first session has opened one, which is used again.
	if made := filled - before; made != want-1 {
		t.Errorf("%d connections were opened, want %d besides the first", made, want-1)
	}
	read(t, target, use, sessions)
	if more := connectionsMade(t, db) - filled; more != 0 {
		t.Errorf("%d connections were opened by the operations", more)
	}
}

// read reads at once by so many sessions.
func read(t *testing.T, target *mongo.Target, use loadgen.Use, sessions int) {
	t.Helper()
	var reading sync.WaitGroup
	for range sessions {
		reading.Go(func() {
			session, err := target.Session(t.Context(), use)
			if err != nil {
				t.Error(err)
				return
			}
			defer session.Close()
			filter, _ := bson.Marshal(bson.D{})
			request := &workload.Request{Kind: operation.FindOne, Collection: "c", Filter: filter}
			if err := session.Execute(t.Context(), request, &loadgen.Reply{}); err != nil {
				t.Error(err)
			}
		})
	}
	reading.Wait()
}
