package mongo_test

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// uneven is a plan of 16 MB in 16 chunks, all of them on the first shard by a zone.
func uneven() planv1.Plan {
	plan := planOf("uneven", planv1.Step{})
	things := &plan.Collections[0]
	things.DocumentCount, things.Compressor = 16_000, ""
	things.Fields[2].Value = planv1.Value{Type: benchv1alpha1.GeneratorString, Seed: 1, Min: 1000, Max: 1000}
	things.Sharding = &planv1.Sharding{
		Key: keys(ranged), MaxImbalancePercent: 35, Zones: []planv1.Zone{{Name: "first", Shards: []int{0}}},
	}
	for n := 1000; n < 16_000; n += 1000 {
		things.Sharding.SplitPoints = append(things.Sharding.SplitPoints, strconv.Itoa(n))
	}
	plan.Steps = plan.Steps[:3]
	plan.Steps[1].BatchDocuments = 1000
	return plan
}

// TestTheBalancerIsWaitedForAndObserved lets a real balancer move real chunks.
func TestTheBalancerIsWaitedForAndObserved(t *testing.T) {
	t.Parallel()
	c := startCluster(t, mongotest.Newest(), 2, planv1.Balancer{Mode: benchv1alpha1.BalancerEnabled})
	target := c.open(t)
	plan := uneven()
	if _, err := drivertest.Run(t.Context(), plan, target); err != nil {
		t.Fatal(err)
	}
	plan.Steps = []planv1.Step{{Name: "balance", Kind: planv1.StepBalance}}
	if step := balanced(t, plan, target); step.ImbalancePercent != 100 {
		t.Errorf("with everything on one shard and a zone the imbalance is %d %%", step.ImbalancePercent)
	}
	observer := observed(t, target)
	// Moves count from the first look on.
	awaitFigure(t, observer, "moves.done", 0, c.config.Address, c.double.Address)
	endZone(t, c)
	if step := balanced(t, plan, target); step.ImbalancePercent > 35 {
		t.Errorf("in the end the imbalance is %d %%: %+v", step.ImbalancePercent, step.Sizes)
	}
	checkStopped(t, target)
	checkMoves(t, observer, c)
	checkChunks(t, target, c)
}

// endZone lets the chunks lie where they like.
func endZone(t *testing.T, c *cluster) {
	t.Helper()
	if err := c.client.Database("admin").RunCommand(t.Context(), bson.D{
		{Key: "updateZoneKeyRange", Value: "uneven.things"},
		{Key: "min", Value: bson.D{{Key: "n", Value: bson.MinKey{}}}},
		{Key: "max", Value: bson.D{{Key: "n", Value: bson.MaxKey{}}}},
		{Key: "zone", Value: nil},
	}).Err(); err != nil {
		t.Fatal(err)
	}
}

// checkStopped stops the balancer, which need not be waited for then.
func checkStopped(t *testing.T, target *mongo.Target) {
	t.Helper()
	if _, err := target.Act(t.Context(), "uneven", planv1.Action{Type: benchv1alpha1.ActionStopBalancer}); err != nil {
		t.Error(err)
	}
	if balancing, err := target.Balancing(t.Context()); err != nil || balancing {
		t.Errorf("a balancer that was stopped goes on: %t, error %v", balancing, err)
	}
}

func balanced(t *testing.T, plan planv1.Plan, target *mongo.Target) reportv1.Step {
	t.Helper()
	reports, err := drivertest.Run(t.Context(), plan, target)
	if err != nil {
		t.Fatal(err)
	}
	return reports[0].Steps[0]
}

func observed(t *testing.T, target *mongo.Target) *observe.Observer {
	t.Helper()
	observer := &observe.Observer{
		Database: "uneven", Interval: 200 * time.Millisecond, SlowInterval: 400 * time.Millisecond,
		Log: slog.New(slog.DiscardHandler),
		Servers: func(ctx context.Context) ([]observe.Server, error) {
			return members(ctx, t, target), nil
		},
	}
	observer.Start(t.Context())
	return observer
}

// awaitFigure waits until each server has told the observer of a figure, and that it is at least this much.
func awaitFigure(t *testing.T, observer *observe.Observer, name string, least int64, servers ...string) {
	t.Helper()
	told := func(server string) bool {
		return slices.ContainsFunc(observer.Latest(), func(latest observe.Latest) bool {
			value, known := latest.Value(name)
			return latest.Member == server && known && value >= least
		})
	}
	deadline := time.Now().Add(5 * time.Minute)
	for _, server := range servers {
		for !told(server) {
			if time.Now().After(deadline) {
				t.Fatalf("%s does not tell of %s, %d at least", server, name, least)
			}
			<-time.After(10 * time.Millisecond)
		}
	}
}

// lastKnown is what an observer was last told, by server and figure.
func lastKnown(observer *observe.Observer) map[string]int64 {
	last := map[string]int64{}
	for _, member := range observer.Stop() {
		for _, series := range member.Series {
			known := slices.DeleteFunc(slices.Clone(series.Values), func(v int64) bool { return v < 0 })
			last[member.Name+" "+series.Name] = known[len(known)-1]
		}
	}
	return last
}

// checkMoves looks for the moves in what was observed while they were made.
func checkMoves(t *testing.T, observer *observe.Observer, c *cluster) {
	t.Helper()
	const least = 5
	awaitFigure(t, observer, "moves.done", least, c.config.Address, c.double.Address)
	awaitFigure(t, observer, "migrations.started", least, c.shards[0].Address)
	last := lastKnown(observer)
	for _, server := range []string{c.config.Address, c.double.Address} {
		moved := last[server+" moves.done"]
		if moved < least || last[server+" moves.failed"] > 0 || last[server+" moves.step4"] == 0 {
			t.Errorf("%s tells of %d moves that copied for %d ms, and %d that failed", server, moved,
				last[server+" moves.step4"], last[server+" moves.failed"])
		}
		if last[server+" migrations.started"] > 0 {
			t.Errorf("%s itself gave chunks away", server)
		}
	}
	if started := last[c.shards[0].Address+" migrations.started"]; started < least {
		t.Errorf("the first shard tells of %d moves", started)
	}
}

// checkChunks looks for all chunks in what an observer is told first, now that nothing moves them.
func checkChunks(t *testing.T, target *mongo.Target, c *cluster) {
	t.Helper()
	observer := observed(t, target)
	awaitFigure(t, observer, "moves.done", 0, c.config.Address, c.double.Address)
	last, chunks := lastKnown(observer), c.chunks(t, "uneven.things")
	for _, server := range []string{c.config.Address, c.double.Address} {
		on := last[server+" chunks.shard0"] + last[server+" chunks.shard1"]
		if on != int64(len(chunks)) || last[server+" chunks.shard1"] < 5 {
			t.Errorf("%s tells of %d and %d chunks, and there are %v", server, last[server+" chunks.shard0"],
				last[server+" chunks.shard1"], chunks)
		}
	}
}

func TestAServerWithoutShardsHasNoBalancer(t *testing.T) {
	t.Parallel()
	target := open(t, mongotest.Shared(t, mongotest.Newest()))
	if balancing, err := target.Balancing(t.Context()); err != nil || balancing {
		t.Errorf("a server alone has a balancer: %t, error %v", balancing, err)
	}
}
