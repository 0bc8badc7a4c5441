package mongo_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// secretValue stands for what a user's documents hold.
const secretValue = "4711-of-a-user"

// beSlow sends commands that take longer than what a server logs.
func beSlow(t *testing.T, db *driver.Database) {
	t.Helper()
	const slowly = "function() { sleep(120); return true; }"
	where := bson.E{Key: "$where", Value: slowly}
	for name := range 3 {
		filter := bson.D{{Key: "name", Value: secretValue + strings.Repeat("x", name)}, where}
		if name == 2 {
			filter = bson.D{{Key: "name", Value: bson.D{{Key: "$in", Value: bson.A{secretValue, "b"}}}}, where}
		}
		found, err := db.Collection("things").Find(t.Context(), filter)
		if err == nil {
			err = found.All(t.Context(), &[]bson.Raw{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := db.Collection("things").UpdateMany(t.Context(), bson.D{where},
		bson.D{{Key: "$set", Value: bson.D{{Key: "text", Value: secretValue}}}})
	if err != nil {
		t.Fatal(err)
	}
}

// observing observes the servers of a target, and returns once each has been asked.
func observing(t *testing.T, server *mongotest.Server) *observe.Observer {
	t.Helper()
	// One that says goodbye to a server which is gone.
	target, err := mongo.Open(t.Context(), mongo.Config{URIs: []string{server.URI()}, SelectionTimeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.Close(context.Background()) })
	observer := &observe.Observer{
		Database: "slow", Interval: 50 * time.Millisecond, Log: slog.New(slog.DiscardHandler), Servers: target.Servers,
	}
	observer.Start(t.Context())
	t.Cleanup(func() { observer.Stop() })
	for deadline := time.Now().Add(time.Minute); len(observer.Latest()) == 0; {
		if time.Now().After(deadline) {
			t.Fatal("the server was not observed for a minute")
		}
		<-time.After(10 * time.Millisecond)
	}
	return observer
}

func TestTheLogTellsWhichCommandsWereSlowWithoutTheirValues(t *testing.T) {
	for _, version := range mongotest.All() {
		t.Run("mongod "+version, func(t *testing.T) {
			server := mongotest.Shared(t, version)
			db := database(t, server, "slow")
			documents := []bson.D{{{Key: "name", Value: secretValue}}, {{Key: "name", Value: secretValue + "x"}}}
			if _, err := db.Collection("things").InsertMany(t.Context(), documents); err != nil {
				t.Fatal(err)
			}
			observer := observing(t, server)
			beSlow(t, db) // Before the window, by more than the server's clock may be known wrongly.
			<-time.After(100 * time.Millisecond)
			from := time.Now()
			beSlow(t, db)
			slow := observer.Slow(t.Context(), from, time.Now())
			if len(slow) != 1 || slow[0].Member != server.Address {
				t.Fatalf("slow %+v, want those of one server", slow)
			}
			if version >= "4.4" {
				checkSlow(t, slow[0])
			} else if slow[0].Missing == "" || slow[0].Slowest != nil {
				t.Errorf("slow %+v, want that its log is not read", slow[0])
			}
		})
	}
}

func checkSlow(t *testing.T, slow reportv1.SlowCommands) {
	t.Helper()
	if slow.Logged < 4 || slow.LogFromMillis != 0 || slow.Missing != "" {
		t.Errorf("slow %+v, want at least four", slow)
	}
	seen := map[string]int{}
	for _, one := range slow.Slowest {
		seen[one.Shape] += one.Count
		if one.DurationMillis < 100 || one.Namespace != "slow.things" || one.Plan != "COLLSCAN" || one.Examined == nil {
			t.Errorf("%+v: want a time, a namespace, a plan, and what was examined", one)
		}
	}
	// Their values are in none of them.
	want := map[string]int{
		"find {filter: {name: ?, $where: ?}}":                                2,
		"find {filter: {name: {$in: [?]}, $where: ?}}":                       1,
		"update {q: {$where: ?}, u: {$set: {text: ?}}, multi: ?, upsert: ?}": 1,
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("slow commands (-want +got):\n%s", diff)
	}
}

func TestAServerThatDoesNotTellOfSlowCommandsLeavesANote(t *testing.T) {
	server := mongotest.Start(t, mongotest.Newest())
	observer := observing(t, server)
	server.Stop()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if slow := observer.Slow(ctx, time.Now(), time.Now()); len(slow) != 1 || slow[0].Missing == "" {
		t.Errorf("slow %+v, want why it is not known", slow)
	}
}
