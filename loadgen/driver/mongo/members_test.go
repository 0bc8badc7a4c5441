package mongo_test

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// members of a server that is a standalone, as the observer takes them.
func members(ctx context.Context, t *testing.T, target *mongo.Target) []observe.Server {
	t.Helper()
	found, err := target.Members(ctx)
	if err != nil {
		t.Fatal(err)
	}
	servers := make([]observe.Server, len(found))
	for i, member := range found {
		servers[i] = member
	}
	return servers
}

func TestAStandaloneIsObserved(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			server := mongotest.Shared(t, version)
			target := open(t, server)
			db := database(t, server, "observed")
			observer := &observe.Observer{
				Database: "observed", Interval: 50 * time.Millisecond, SlowInterval: 200 * time.Millisecond,
				Log:     slog.New(slog.DiscardHandler),
				Servers: func(ctx context.Context) ([]observe.Server, error) { return members(ctx, t, target), nil },
			}
			observer.Start(t.Context())
			const inserted = 500
			for i := range inserted {
				if _, err := db.Collection("things").InsertOne(t.Context(), bson.D{{Key: "n", Value: i}}); err != nil {
					t.Fatal(err)
				}
			}
			// Sizes are asked for at 0.2 s and 0.4 s again.
			<-time.After(500 * time.Millisecond)
			found := observer.Stop()
			if len(found) != 1 || found[0].Name != server.Address || found[0].Role != observe.RoleStandalone {
				t.Fatalf("observed %+v, want the standalone %s", found, server.Address)
			}
			checkFigures(t, found[0], inserted)
		})
	}
}

// checkFigures compares what was observed with what was done.
func checkFigures(t *testing.T, member reportv1.Member, inserted int64) {
	t.Helper()
	series := map[string][]int64{}
	for _, s := range member.Series {
		series[s.Name] = s.Values
		if len(s.Values) != len(member.Series[0].Values) {
			t.Errorf("%s has %d values, others %d", s.Name, len(s.Values), len(member.Series[0].Values))
		}
	}
	for _, name := range []string{"operations.insert", "documents.inserted", "network.in"} {
		if slices.Max(series[name]) <= 0 {
			t.Errorf("%s was never more than 0: %d", name, series[name])
		}
	}
	if sizes := series["size.documents"]; len(sizes) == 0 || sizes[len(sizes)-1] != inserted {
		t.Errorf("the documents were %d, want %d at the end", sizes, inserted)
	}
	for _, name := range []string{
		"cpu.user", "cache.maximum", "memory.resident", "disk.written", "tickets.readAvailable",
	} {
		if _, ok := series[name]; !ok {
			t.Errorf("figure %s is not known", name)
		}
	}
}
