package mongo_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/mongotest"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
)

// asConfig makes a server that is none be asked as a config server is.
type asConfig struct{ observe.Server }

func (asConfig) Role() string { return observe.RoleConfig }

// TestChunksAreCountedByShard: with the metadata of a sharded cluster as 4.4 and as later versions write it.
func TestChunksAreCountedByShard(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run(version, func(t *testing.T) {
			server := mongotest.Shared(t, version)
			config := database(t, server, "config")
			id := bson.Binary{Subtype: bson.TypeBinaryUUID, Data: bytes.Repeat([]byte{7}, 16)}
			other := bson.Binary{Subtype: bson.TypeBinaryUUID, Data: bytes.Repeat([]byte{8}, 16)}
			collections := []any{
				bson.D{{Key: "_id", Value: "observed.a"}, {Key: "uuid", Value: id}},
				bson.D{{Key: "_id", Value: "observedtoo.a"}, {Key: "uuid", Value: other}},
				bson.D{{Key: "_id", Value: "observed.gone"}, {Key: "dropped", Value: true}},
			}
			ofCollection := bson.E{Key: "uuid", Value: id}
			ofOther := bson.E{Key: "uuid", Value: other}
			if version < "5" {
				ofCollection, ofOther = bson.E{Key: "ns", Value: "observed.a"}, bson.E{Key: "ns", Value: "observedtoo.a"}
			}
			chunks := []any{
				bson.D{ofCollection, {Key: "shard", Value: "s1"}}, bson.D{ofCollection, {Key: "shard", Value: "s1"}},
				bson.D{ofCollection, {Key: "shard", Value: "s2"}}, bson.D{ofOther, {Key: "shard", Value: "s2"}},
			}
			for name, documents := range map[string][]any{"collections": collections, "chunks": chunks} {
				if _, err := config.Collection(name).InsertMany(t.Context(), documents); err != nil {
					t.Fatal(err)
				}
			}
			target := open(t, server)
			observer := &observe.Observer{
				Database: "observed", Log: slog.New(slog.DiscardHandler),
				Servers: func(context.Context) ([]observe.Server, error) {
					return []observe.Server{asConfig{members(t, target)[0]}}, nil
				},
			}
			observer.Start(t.Context())
			// The first sample is taken at once.
			<-time.After(900 * time.Millisecond)
			got := map[string]int64{}
			for _, member := range observer.Stop() {
				for _, series := range member.Series {
					if series.Name == "chunks.s1" || series.Name == "chunks.s2" {
						got[series.Name] = series.Values[0]
					}
				}
			}
			if want := map[string]int64{"chunks.s1": 2, "chunks.s2": 1}; !cmp.Equal(got, want) {
				t.Errorf("chunks are %v, want %v", got, want)
			}
		})
	}
}

func TestTheServersOfAShardMap(t *testing.T) {
	shardMap, err := bson.Marshal(bson.D{{Key: "map", Value: bson.D{
		{Key: "config", Value: "cfg/c1:1,c2:1"}, {Key: "cfg/c1:1,c2:1", Value: "cfg/c1:1,c2:1"},
		{Key: "s1", Value: "rs1/b:1,a:1"}, {Key: "a:1", Value: "rs1/b:1,a:1"}, {Key: "odd", Value: 3},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := mongo.ShardHosts(shardMap), []string{"a:1", "b:1", "c1:1", "c2:1"}; !cmp.Equal(got, want) {
		t.Errorf("servers are %v, want %v", got, want)
	}
}
