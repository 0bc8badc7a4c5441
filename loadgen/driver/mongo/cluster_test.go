package mongo_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongosdouble"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
	"github.com/mongobench/mongobench-operator/loadgen/topology"
)

// cluster is a sharded deployment of real servers behind a double of mongos.
type cluster struct {
	double *mongosdouble.Double
	// config are the config servers, and shards one server each.
	config *mongotest.Server
	shards []*mongotest.Server
	// client goes through the double.
	client *driver.Client
	// seen is told every command that comes to the double.
	seen atomic.Pointer[func(command string)]
}

// startCluster starts a cluster without authentication.
func startCluster(t *testing.T, version string, shards int, balancer planv1.Balancer) *cluster {
	t.Helper()
	c := &cluster{config: mongotest.Start(t, version, "--configsvr", "--replSet", "config", "--oplogSize", "64")}
	c.double = mongosdouble.Start(t, mongosdouble.Options{
		ConfigServers: []string{c.config.Address},
		Seen: func(command string) {
			if seen := c.seen.Load(); seen != nil {
				(*seen)(command)
			}
		},
	})
	wanted := planv1.Topology{
		Kind: benchv1alpha1.TopologySharded, WithoutUsers: true, Mongos: []string{c.double.Address}, Balancer: balancer,
		Sets: []planv1.ReplicaSet{{Name: "config", Role: planv1.RoleConfig, Members: []string{c.config.Address}}},
	}
	for i := range shards {
		name := fmt.Sprintf("shard%d", i)
		shard := mongotest.Start(t, version, "--shardsvr", "--replSet", name, "--oplogSize", "64")
		c.shards = append(c.shards, shard)
		wanted.Sets = append(wanted.Sets, planv1.ReplicaSet{
			Name: name, Role: planv1.RoleShard, Members: []string{shard.Address},
		})
	}
	if balancer.Mode == benchv1alpha1.BalancerEnabled {
		wanted.ChunkSizeMebibytes = 1
	}
	if _, err := topology.Build(t.Context(), wanted, topology.Secrets{}); err != nil {
		t.Fatal(err)
	}
	var err error
	if c.client, err = driver.Connect(options.Client().ApplyURI(c.double.URI())); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.client.Disconnect(t.Context()) })
	return c
}

func (c *cluster) open(t *testing.T) *mongo.Target {
	t.Helper()
	target, err := mongo.Open(t.Context(), mongo.Config{URIs: []string{c.double.URI()}, Connections: 8})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.Close(t.Context()) })
	return target
}

// on counts the documents of a collection on every shard, by asking the shards themselves.
func (c *cluster) on(t *testing.T, name, collection string) []int64 {
	t.Helper()
	counts := make([]int64, len(c.shards))
	for i, shard := range c.shards {
		client, err := driver.Connect(options.Client().ApplyURI(shard.URI()))
		if err != nil {
			t.Fatal(err)
		}
		counts[i], err = client.Database(name).Collection(collection).CountDocuments(t.Context(), bson.D{})
		if err != nil {
			t.Fatal(err)
		}
		_ = client.Disconnect(t.Context())
	}
	return counts
}

// chunks are those of a collection in the order of their bounds, each "shard from to".
func (c *cluster) chunks(t *testing.T, ns string) []string {
	t.Helper()
	config := c.client.Database("config")
	collection, err := config.Collection("collections").FindOne(t.Context(), bson.D{{Key: "_id", Value: ns}}).Raw()
	if err != nil {
		t.Fatal(err)
	}
	of := bson.A{bson.D{{Key: "ns", Value: ns}}, bson.D{{Key: "uuid", Value: collection.Lookup("uuid")}}}
	cursor, err := config.Collection("chunks").Find(t.Context(), bson.D{{Key: "$or", Value: of}},
		options.Find().SetSort(bson.D{{Key: "min", Value: 1}}))
	if err != nil {
		t.Fatal(err)
	}
	var found []bson.Raw
	if err := cursor.All(t.Context(), &found); err != nil {
		t.Fatal(err)
	}
	chunks := make([]string, len(found))
	for i, chunk := range found {
		shard, _ := chunk.Lookup("shard").StringValueOK()
		chunks[i] = shard + " " + boundOf(chunk, "min") + " " + boundOf(chunk, "max")
	}
	return chunks
}

// boundOf is the first field of a bound of a chunk.
func boundOf(chunk bson.Raw, name string) string {
	bound, _ := chunk.Lookup(name).DocumentOK()
	value := bound.Index(0).Value()
	switch value.Type {
	case bson.TypeMinKey:
		return "min"
	case bson.TypeMaxKey:
		return "max"
	case bson.TypeString:
		return value.StringValue()
	default:
		return strconv.FormatInt(value.AsInt64(), 10)
	}
}

// ranged and hashed are keys of the field n.
var (
	ranged = planv1.IndexKey{Field: "n", Order: "1"}
	hashed = planv1.IndexKey{Field: "n", Order: "hashed"}
)

func keys(of ...planv1.IndexKey) []planv1.IndexKey { return of }

// layoutCase is a collection, and the chunks that it is made with on three shards.
type layoutCase struct {
	sharding planv1.Sharding
	release  string
	// want is a chunk each, or wantEach their number on each shard.
	want     []string
	wantEach []int
	wantErr  string
}

var laidOut = map[string]layoutCase{
	"ranges are dealt in turn": {
		sharding: planv1.Sharding{Key: keys(ranged), SplitPoints: []string{"100", "200", "300"}},
		want:     []string{"shard0 min 100", "shard1 100 200", "shard2 200 300", "shard0 300 max"},
	},
	"without split points all is on the first shard": {
		sharding: planv1.Sharding{Key: keys(ranged)}, want: []string{"shard0 min max"},
	},
	"strings split too, and keys of two fields": {
		sharding: planv1.Sharding{
			Key: keys(planv1.IndexKey{Field: "text", Order: "1"}, ranged), SplitPoints: []string{`"h"`, `"q"`},
		},
		want: []string{"shard0 min h", "shard1 h q", "shard2 q max"},
	},
	"zones keep their ranges": {
		sharding: planv1.Sharding{Key: keys(ranged), Zones: []planv1.Zone{
			{Name: "low", Shards: []int{2}, Max: "100"}, {Name: "high", Shards: []int{1}, Min: "100"},
		}},
		want: []string{"shard2 min 100", "shard1 100 max"},
	},
	"split points within zones are dealt to the zone's shards": {
		sharding: planv1.Sharding{
			Key: keys(ranged), SplitPoints: []string{"100", "200", "300", "400"},
			Zones: []planv1.Zone{{Name: "middle", Shards: []int{1, 2}, Min: "100", Max: "400"}},
		},
		want: []string{
			"shard0 min 100", "shard1 100 200", "shard2 200 300", "shard1 300 400", "shard1 400 max",
		},
	},
	"a hashed key begins with two chunks a shard": {
		sharding: planv1.Sharding{Key: keys(hashed)}, wantEach: []int{2, 2, 2},
	},
	"a hashed key begins with as many as asked for": {
		sharding: planv1.Sharding{Key: keys(hashed), InitialChunks: 12}, wantEach: []int{4, 4, 4},
	},
	"a hashed key may come first of several": {
		sharding: planv1.Sharding{
			Key: keys(hashed, planv1.IndexKey{Field: "text", Order: "1"}), InitialChunks: 6,
		},
		release: "4.4", wantEach: []int{2, 2, 2},
	},
	"a hashed key may come after a range": {
		sharding: planv1.Sharding{
			Key:         keys(planv1.IndexKey{Field: "text", Order: "1"}, hashed),
			SplitPoints: []string{`"h"`},
		},
		release: "4.4", want: []string{"shard0 min h", "shard1 h max"},
	},
	"what a shard does not have": {
		sharding: planv1.Sharding{Key: keys(ranged), Zones: []planv1.Zone{{Name: "far", Shards: []int{3}}}},
		wantErr:  `zone "far" is on shard 3`,
	},
}

// TestClusters has one cluster of each version for all that needs one whose balancer is off.
func TestClusters(t *testing.T) {
	t.Parallel()
	for _, version := range mongotest.All() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			checkCluster(t, startCluster(t, version, 3, planv1.Balancer{Mode: benchv1alpha1.BalancerDisabled}), version)
		})
	}
}

func checkCluster(t *testing.T, c *cluster, version string) {
	t.Helper()
	target := c.open(t)
	for name, tc := range laidOut {
		if version < tc.release {
			tc.wantErr = "needs MongoDB " + tc.release
		}
		t.Run(name, func(t *testing.T) { checkLaidOut(t, c, target, tc) })
	}
	if version == mongotest.Newest() {
		t.Run("a collection whose making is interrupted is made by the next start", func(t *testing.T) {
			checkInterrupted(t, c, target)
		})
	}
	for _, client := range everyClient {
		t.Run("a hashed collection is loaded, by "+string(client), func(t *testing.T) { checkLoaded(t, c, client) })
		if version == mongotest.Newest() {
			t.Run("unacknowledged writes are waited for, by "+string(client), func(t *testing.T) {
				checkSilentThroughMongos(t, c, client)
			})
		}
	}
	if version >= "4.4" {
		t.Run("actions", func(t *testing.T) { checkActions(t, c, target, version) })
	}
}

func checkLaidOut(t *testing.T, c *cluster, target *mongo.Target, tc layoutCase) {
	t.Helper()
	collection := planv1.Collection{Name: "things", Sharding: &tc.sharding, Compressor: "zlib"}
	// The second time is that of a run that begins again.
	for range 2 {
		err := target.Prepare(t.Context(), "layout", collection)
		if !hasText(err, tc.wantErr) {
			t.Fatalf("error %v, want one with %q", err, tc.wantErr)
		}
		if err == nil {
			checkLayout(t, c.chunks(t, "layout.things"), tc.want, tc.wantEach)
			checkZones(t, c, tc.sharding)
		}
	}
}

// checkInterrupted interrupts the making of a collection at every command in turn.
func checkInterrupted(t *testing.T, c *cluster, target *mongo.Target) {
	t.Helper()
	tc := laidOut["split points within zones are dealt to the zone's shards"]
	collection := planv1.Collection{Name: "things", Sharding: &tc.sharding}
	kills := 0
	for done := false; !done; kills++ {
		if err := c.client.Database("layout").Collection("things").Drop(t.Context()); err != nil {
			t.Fatal(err)
		}
		done = c.interruptedAt(t, kills+1, func(ctx context.Context) error {
			return target.Create(ctx, "layout", collection)
		})
		if err := target.Create(t.Context(), "layout", collection); err != nil {
			t.Fatalf("after an interruption at command %d: %v", kills+1, err)
		}
		checkLayout(t, c.chunks(t, "layout.things"), tc.want, nil)
		checkZones(t, c, tc.sharding)
	}
	if kills < 15 {
		t.Errorf("it was interrupted %d times; it sends more commands than that", kills)
	}
}

// interruptedAt does something until the k-th command comes to the double, and says whether it was done before.
func (c *cluster) interruptedAt(t *testing.T, k int, do func(context.Context) error) (done bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var count atomic.Int64
	seen := func(command string) {
		if command != "isMaster" && command != "hello" && command != "endSessions" && count.Add(1) == int64(k) {
			cancel()
		}
	}
	c.seen.Store(&seen)
	defer c.seen.Store(nil)
	err := do(ctx)
	if ctx.Err() == nil && err != nil {
		t.Fatal(err)
	}
	return ctx.Err() == nil
}

func hasText(err error, want string) bool {
	if want == "" || err == nil {
		return want == "" && err == nil
	}
	return strings.Contains(err.Error(), want)
}

func checkLayout(t *testing.T, chunks, want []string, wantEach []int) {
	t.Helper()
	if want != nil {
		if diff := cmp.Diff(want, chunks); diff != "" {
			t.Errorf("chunks (-want +got):\n%s", diff)
		}
		return
	}
	each := make([]int, len(wantEach))
	for _, chunk := range chunks {
		var index int
		if _, err := fmt.Sscanf(chunk, "shard%d", &index); err != nil {
			t.Fatal(err)
		}
		each[index]++
	}
	if diff := cmp.Diff(wantEach, each); diff != "" {
		t.Errorf("chunks of each shard (-want +got):\n%s", diff)
	}
}

// checkZones wants the declared zones to be there, and no others.
func checkZones(t *testing.T, c *cluster, sharding planv1.Sharding) {
	t.Helper()
	names := c.client.Database("config").Collection("tags").Distinct(t.Context(), "tag", bson.D{})
	var got []string
	if err := names.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if len(got) != len(sharding.Zones) {
		t.Errorf("the zones are %v, want %d", got, len(sharding.Zones))
	}
	left, err := c.client.Database("config").Collection("shards").CountDocuments(t.Context(),
		bson.D{{Key: "tags", Value: bson.Regex{Pattern: `^mongobench\.`}}})
	if err != nil || left > 0 {
		t.Errorf("%d shards are in temporary zones, error %v", left, err)
	}
}

func checkLoaded(t *testing.T, c *cluster, client benchv1alpha1.Client) {
	t.Helper()
	const filter = `{"_id": {"$param": "id"}}`
	plan := planOf("sharded"+string(client), planv1.Step{Threads: 4, OperationCount: 200, Operations: []planv1.Operation{
		{Name: "read", Parameters: byID, Request: planv1.Request{Kind: "FindOne", Filter: filter}},
		{
			Name: "update", Parameters: byID,
			Request: planv1.Request{Kind: "UpdateOne", Filter: filter, Update: `{"$inc": {"x": 1}}`},
		},
		{Name: "count", Request: planv1.Request{Kind: "CountDocuments", Filter: `{"n": {"$gte": 0}}`}},
	}})
	plan.Client = client
	plan.Collections[0].Sharding = &planv1.Sharding{
		Key: keys(planv1.IndexKey{Field: "_id", Order: "hashed"}), MaxImbalancePercent: 30,
	}
	plan.Steps[2].Check = benchv1alpha1.VerifyAll
	reports, err := drivertest.Run(t.Context(), plan, c.open(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, operation := range reports[0].Steps[3].Operations {
		if operation.Errors > 0 || operation.Documents != operation.Count {
			t.Errorf("operation %s: %d errors %+v; %d of %d found their document", operation.Name, operation.Errors,
				operation.ErrorClasses, operation.Documents, operation.Count)
		}
	}
	on := c.on(t, plan.Database, "things")
	if on[0]+on[1]+on[2] != loaded || slices.Min(on) < loaded/5 {
		t.Errorf("the shards have %v documents, want about a third of %d each", on, loaded)
	}
	server := reports[0].Server
	got := fmt.Sprintf("%s %s %d %d %s %s", server.Topology, server.Router, server.Shards, server.Members,
		server.StorageEngine, server.Persistence)
	if want := "Sharded Mongos 3 3 wiredTiger Durable"; got != want {
		t.Errorf("the server is described as %+v", server)
	}
}
