package mongo_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
)

// keyOf is the shard key of a collection, as the config servers have it.
func (c *cluster) keyOf(t *testing.T, ns string) string {
	t.Helper()
	found, err := c.client.Database("config").Collection("collections").FindOne(t.Context(),
		bson.D{{Key: "_id", Value: ns}}).Raw()
	if err != nil {
		t.Fatal(err)
	}
	return found.Lookup("key").String()
}

// balancer is the mode that the balancer is in.
func (c *cluster) balancer(t *testing.T) string {
	t.Helper()
	status, err := c.client.Database("admin").RunCommand(t.Context(), bson.D{{Key: "balancerStatus", Value: 1}}).Raw()
	if err != nil {
		t.Fatal(err)
	}
	mode, _ := status.Lookup("mode").StringValueOK()
	return mode
}

// checkActions does to a cluster what can be done.
func checkActions(t *testing.T, c *cluster, target *mongo.Target, version string) {
	t.Helper()
	collection := planv1.Collection{
		Name: "things", Sharding: &planv1.Sharding{Key: keys(ranged), SplitPoints: []string{"100"}},
	}
	if err := target.Prepare(t.Context(), "acts", collection); err != nil {
		t.Fatal(err)
	}
	checkClusterActions(t, c, target)
	checkShardActions(t, c, target)
	checkResharding(t, c, target, version)
}

func actOn(t *testing.T, target *mongo.Target, action planv1.Action) string {
	t.Helper()
	done, err := target.Act(t.Context(), "acts", action)
	if err != nil {
		t.Fatalf("%s: %v", action.Type, err)
	}
	return done.Member
}

// checkClusterActions does what a mongos does for all.
func checkClusterActions(t *testing.T, c *cluster, target *mongo.Target) {
	t.Helper()
	for _, tc := range []struct {
		action benchv1alpha1.ActionType
		want   string
	}{{benchv1alpha1.ActionStartBalancer, "full"}, {benchv1alpha1.ActionStopBalancer, "off"}} {
		if host := actOn(t, target, planv1.Action{Type: tc.action}); host != "" {
			t.Errorf("%s was done to %s", tc.action, host)
		}
		if got := c.balancer(t); got != tc.want {
			t.Errorf("after %s the balancer is %s, want %s", tc.action, got, tc.want)
		}
	}
	refined := []planv1.IndexKey{ranged, {Field: "text", Order: "1"}}
	actOn(t, target, planv1.Action{Type: benchv1alpha1.ActionRefineShardKey, Collection: "things", Key: refined})
	if diff := cmp.Diff(`{"n": {"$numberInt":"1"},"text": {"$numberInt":"1"}}`, c.keyOf(t, "acts.things")); diff != "" {
		t.Errorf("shard key (-want +got):\n%s", diff)
	}
}

// checkShardActions does something to one of the shards.
func checkShardActions(t *testing.T, c *cluster, target *mongo.Target) {
	t.Helper()
	// A step down takes five seconds: it waits for secondaries, and a shard here has none.
	t.Run("on each shard", func(t *testing.T) {
		for shard := range c.shards {
			t.Run(strconv.Itoa(shard), func(t *testing.T) {
				t.Parallel()
				checkShardStepsDown(t, c, target, shard)
			})
		}
	})
	if _, err := target.Act(t.Context(), "acts", planv1.Action{Type: benchv1alpha1.ActionStepDown, Shard: 3}); err == nil {
		t.Error("there is no fourth shard, and it stepped down")
	}
}

func checkShardStepsDown(t *testing.T, c *cluster, target *mongo.Target, shard int) {
	t.Helper()
	server := c.shards[shard]
	for _, action := range []benchv1alpha1.ActionType{benchv1alpha1.ActionDeletePod, benchv1alpha1.ActionStepDown} {
		if host := actOn(t, target, planv1.Action{Type: action, Shard: shard}); host != server.Address {
			t.Errorf("%s of shard %d is for %s, want %s", action, shard, host, server.Address)
		}
	}
	if helloSays(t, server, "ismaster") {
		t.Errorf("shard %d has its primary still", shard)
	}
}

// checkResharding gives the collection another key, where the servers can.
func checkResharding(t *testing.T, c *cluster, target *mongo.Target, version string) {
	t.Helper()
	for _, server := range c.shards {
		// It may be primary again at once, rather than when its time is over.
		admin, unfreeze := reach(t, server.URI()).Database("admin"), bson.D{{Key: "replSetFreeze", Value: 0}}
		asker := newAsker(t, server)
		eventually(t, func() bool {
			_ = admin.RunCommand(t.Context(), unfreeze).Err()
			return answers(t, asker, "ismaster")
		})
	}
	action := planv1.Action{
		Type: benchv1alpha1.ActionReshardCollection, Collection: "things",
		Key: []planv1.IndexKey{{Field: "text", Order: "1"}},
	}
	if version < "5" {
		if _, err := target.Act(t.Context(), "acts", action); err == nil {
			t.Errorf("mongod %s gave a collection another key", version)
		}
		return
	}
	// It takes five minutes at least, so that clients learn of it, unless this is said.
	config := reach(t, c.config.URI())
	quick := bson.D{{Key: "setParameter", Value: 1}, {Key: "reshardingMinimumOperationDurationMillis", Value: 0}}
	if err := config.Database("admin").RunCommand(t.Context(), quick).Err(); err != nil {
		t.Fatal(err)
	}
	// The new chunks are cut by what the documents have.
	documents := make([]any, 200)
	for i := range documents {
		documents[i] = bson.D{{Key: "n", Value: i}, {Key: "text", Value: fmt.Sprintf("text %03d", i)}}
	}
	if _, err := c.client.Database("acts").Collection("things").InsertMany(t.Context(), documents); err != nil {
		t.Fatal(err)
	}
	actOn(t, target, action)
	if diff := cmp.Diff(`{"text": {"$numberInt":"1"}}`, c.keyOf(t, "acts.things")); diff != "" {
		t.Errorf("shard key (-want +got):\n%s", diff)
	}
}
