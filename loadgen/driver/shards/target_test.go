package shards

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

func TestATargetTellsOfAllShards(t *testing.T) {
	version := mongotest.Versions()[1]
	target, servers := open(t, version, 2)
	server, err := target.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := reportv1.Server{
		Version: server.Version, Topology: server.Topology, Shards: server.Shards, Router: server.Router,
		Members: server.Members,
	}
	want := reportv1.Server{Version: version, Topology: "Sharded", Shards: 2, Router: "Client", Members: 2}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("server (-want +got):\n%s", diff)
	}
	members, err := target.Members(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	addresses := make([]string, 0, len(members))
	for _, member := range members {
		addresses = append(addresses, member.Name())
		member.Close()
	}
	if diff := cmp.Diff([]string{servers[0].Address, servers[1].Address}, addresses); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
}

func TestShardsOfTwoVersionsAreRefused(t *testing.T) {
	configs := make([]mongo.Config, 0, len(mongotest.Versions()))
	for _, version := range mongotest.Versions() {
		configs = append(configs, mongo.Config{URIs: []string{mongotest.Shared(t, version).URI()}})
	}
	target, err := Open(t.Context(), configs)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = target.Close(context.Background()) }()
	if _, err := target.Describe(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "shard0 is 4.4.2, shard1 is 6.0.5") {
		t.Errorf("error %v", err)
	}
}

func TestAShardThatDoesNotAnswerIsNamed(t *testing.T) {
	const gone = "127.0.0.1:1"
	_, err := Open(t.Context(), []mongo.Config{
		{URIs: []string{mongotest.Shared(t, mongotest.Versions()[1]).URI()}},
		{URIs: []string{"mongodb://" + gone + "/?directConnection=true"}, SelectionTimeout: 1e8},
	})
	if err == nil || !strings.Contains(err.Error(), "shard1: no server at "+gone) {
		t.Errorf("error %v", err)
	}
}

func TestShardKeysHaveAnIndexOnEveryShard(t *testing.T) {
	target, _ := open(t, mongotest.Versions()[0], 2)
	collections := []planv1.Collection{
		things(&planv1.Sharding{Key: key("n", "hashed")}),
		{Name: "declared", Sharding: &planv1.Sharding{Key: key("few", "1")}, Indexes: []planv1.Index{{
			Keys: []planv1.IndexKey{{Field: "few", Order: "1"}, {Field: "n", Order: "1"}},
		}}},
		{Name: "by id", Sharding: &planv1.Sharding{Key: key("_id", "1")}},
		{Name: "plain"},
	}
	for _, collection := range collections {
		if err := target.Prepare(t.Context(), "indexes", collection); err != nil {
			t.Fatal(err)
		}
		if err := target.Index(t.Context(), "indexes", collection); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]int{"things": 2, "declared": 2, "by id": 1, "plain": 1}
	for _, shard := range target.shards {
		for collection, number := range want {
			about, err := shard.About(t.Context(), "indexes", collection)
			if err != nil {
				t.Fatal(err)
			}
			if len(about.Indexes) != number {
				t.Errorf("collection %q has the indexes %v, want %d", collection, about.Indexes, number)
			}
		}
	}
}

func TestADatasetIsKeptOverShards(t *testing.T) {
	target, _ := open(t, mongotest.Versions()[1], 2)
	plan := measurePlan(nil, 1)
	plan.Database, plan.Steps = "kept", plan.Steps[:3]
	if _, err := drivertest.Run(t.Context(), plan, target); err != nil {
		t.Fatal(err)
	}
	mark := reportv1.DatasetMark{Fingerprint: "f", State: reportv1.DatasetClean}
	if err := target.SetMark(t.Context(), plan.Database, mark); err != nil {
		t.Fatal(err)
	}
	kept, err := target.Mark(t.Context(), plan.Database)
	if err != nil || kept == nil || *kept != mark {
		t.Errorf("mark %v, error %v", kept, err)
	}
	drivertest.CheckClaims(t, target, plan.Database)
	if holds, err := target.Holds(t.Context(), plan.Database); err != nil || !slices.Equal(holds, []string{"things"}) {
		t.Errorf("collections %v, error %v", holds, err)
	}
	sizes, err := target.Sizes(t.Context(), plan.Database, plan.Collections)
	if err != nil {
		t.Fatal(err)
	}
	var documents int64
	shards := make([]string, 0, len(sizes))
	for _, size := range sizes {
		documents += size.Documents
		shards = append(shards, size.Shard)
	}
	if documents != loaded || !slices.Equal(shards, []string{"shard0", "shard1"}) {
		t.Errorf("sizes %+v", sizes)
	}
}

func TestBatchesAreSplitByShard(t *testing.T) {
	target, _ := open(t, mongotest.Versions()[1], 3)
	collection := planv1.Collection{Name: "batches"}
	if err := target.Prepare(t.Context(), "load", collection); err != nil {
		t.Fatal(err)
	}
	session, err := target.Session(t.Context(), loadgen.Use{Database: "load", Step: planv1.Step{Kind: planv1.StepLoad}})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	// Large documents, of which a batch cannot have all.
	documents := sized(1 << 20)
	for taken := int64(0); taken < 60; {
		for range session.Pipeline() {
			got := session.Encode("batches", documents, taken, 60-taken)
			if got > 16 || got < min(1, 60-taken) {
				t.Fatalf("%d documents of a MiB were taken at a time", got)
			}
			taken += got
			check(t, session.Send(t.Context()))
		}
		for range session.Pipeline() {
			check(t, session.Acknowledge(t.Context()))
		}
	}
	if count, err := target.Count(t.Context(), "load", "batches"); err != nil || count != 60 {
		t.Errorf("%d documents, error %v", count, err)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// sized makes documents of the given size in bytes.
type sized int

func (s sized) Append(dst []byte, record int64) []byte {
	document, _ := bson.Marshal(bson.D{{Key: "_id", Value: record}, {Key: "payload", Value: make([]byte, s)}})
	return append(dst, document...)
}

func TestACursorThatIsLeftOpenIsClosed(t *testing.T) {
	version := mongotest.Versions()[1]
	target, _ := open(t, version, 2)
	plan := measurePlan(nil, 1)
	plan.Steps = plan.Steps[:3]
	if _, err := drivertest.Run(t.Context(), plan, target); err != nil {
		t.Fatal(err)
	}
	session, err := target.Session(t.Context(), loadgen.Use{Database: plan.Database, Step: only()})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for _, first := range []bool{true, false} {
		find := &workload.Request{
			Kind: operation.Find, Collection: "things", Filter: encodeText(t, `{}`), Sort: encodeText(t, `{"n": 1}`),
			BatchSize: 10, FirstBatchOnly: first,
		}
		var reply loadgen.Reply
		if err := session.Execute(t.Context(), find, &reply); err != nil {
			t.Fatal(err)
		}
		session.Settle(t.Context())
		if want := map[bool]int64{true: 10, false: loaded}[first]; reply.Documents != want {
			t.Errorf("%d documents, want %d", reply.Documents, want)
		}
	}
	members, err := target.Members(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	status, _ := bson.Marshal(bson.D{{Key: "serverStatus", Value: 1}})
	for _, member := range members {
		answer, err := member.Ask(t.Context(), "admin", status)
		if err != nil {
			t.Fatal(err)
		}
		if open, _ := answer.Lookup("metrics", "cursor", "open", "total").AsInt64OK(); open != 0 {
			t.Errorf("%s has %d open cursors", member.Name(), open)
		}
		member.Close()
	}
}
