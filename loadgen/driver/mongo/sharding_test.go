package mongo_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// asConfig makes a server that is none be asked as a config server is.
type asConfig struct{ observe.Commander }

func (asConfig) Role() string { return observe.RoleConfig }

// metadata is that of a sharded cluster, as 4.4 and as later versions write it.
func metadata(version string) map[string][]any {
	id := bson.E{Key: "uuid", Value: bson.Binary{Subtype: bson.TypeBinaryUUID, Data: bytes.Repeat([]byte{7}, 16)}}
	otherID := bson.E{Key: "uuid", Value: bson.Binary{Subtype: bson.TypeBinaryUUID, Data: bytes.Repeat([]byte{8}, 16)}}
	of, ofOther := id, otherID
	if version < "5" {
		of, ofOther = bson.E{Key: "ns", Value: "observed.a"}, bson.E{Key: "ns", Value: "observedtoo.a"}
	}
	return map[string][]any{
		"collections": {
			bson.D{{Key: "_id", Value: "observed.a"}, id},
			bson.D{{Key: "_id", Value: "observedtoo.a"}, otherID},
			bson.D{{Key: "_id", Value: "observed.gone"}, {Key: "dropped", Value: true}},
		},
		"chunks": {
			bson.D{of, {Key: "shard", Value: "s1"}},
			bson.D{of, {Key: "shard", Value: "s1"}},
			bson.D{of, {Key: "shard", Value: "s2"}},
			bson.D{ofOther, {Key: "shard", Value: "s2"}},
		},
	}
}

// chunksSeen are the first values of the series that count chunks.
func chunksSeen(members []reportv1.Member) map[string]int64 {
	seen := map[string]int64{}
	for _, member := range members {
		for _, series := range member.Series {
			if strings.HasPrefix(series.Name, "chunks.") {
				seen[series.Name] = series.Values[0]
			}
		}
	}
	return seen
}

func TestChunksAreCountedByShard(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run(version, func(t *testing.T) {
			server := mongotest.Shared(t, version)
			config := database(t, server, "config")
			for name, documents := range metadata(version) {
				if _, err := config.Collection(name).InsertMany(t.Context(), documents); err != nil {
					t.Fatal(err)
				}
			}
			target := open(t, server)
			observer := &observe.Observer{
				Database: "observed", Log: slog.New(slog.DiscardHandler),
				Servers: func(ctx context.Context) ([]observe.Server, error) {
					return []observe.Server{asConfig{members(ctx, t, target)[0].(observe.Commander)}}, nil
				},
			}
			observer.Start(t.Context())
			// The first sample is taken at once.
			<-time.After(900 * time.Millisecond)
			got := chunksSeen(observer.Stop())
			if want := map[string]int64{"chunks.s1": 2, "chunks.s2": 1}; !cmp.Equal(got, want) {
				t.Errorf("chunks are %v, want %v", got, want)
			}
		})
	}
}
