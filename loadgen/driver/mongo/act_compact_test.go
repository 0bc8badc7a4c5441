package mongo_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// TestACompactionGivesRoomBack fills a collection with what does not compress, empties it, and looks at the size of its
// file before and after. The members of a set keep what is deleted for a while, for reads of what was.
func TestACompactionGivesRoomBack(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			checkCompaction(t, mongotest.Shared(t, version), version)
			set := replicaSet(t, version)
			db := database(t, set, "compacted")
			if _, err := db.Collection("things").InsertOne(t.Context(), bson.D{}); err != nil {
				t.Fatal(err)
			}
			checkCompacted(t, open(t, set), set, version)
		})
	}
}

func checkCompaction(t *testing.T, server *mongotest.Server, version string) {
	t.Helper()
	db := database(t, server, "compacted")
	noise := rand.NewChaCha8([32]byte{1})
	documents := make([]any, 16)
	for i := range documents {
		content := make([]byte, 1<<20)
		_, _ = noise.Read(content)
		documents[i] = bson.D{{Key: "_id", Value: i}, {Key: "content", Value: content}}
	}
	if _, err := db.Collection("things").InsertMany(t.Context(), documents); err != nil {
		t.Fatal(err)
	}
	before := storageSize(t, db)
	if _, err := db.Collection("things").DeleteMany(t.Context(), bson.D{}); err != nil {
		t.Fatal(err)
	}
	storageSize(t, db)
	target := open(t, server)
	checkCompacted(t, target, server, version)
	if after := storageSize(t, db); before < 10<<20 || after > before/2 {
		t.Errorf("the file had %d bytes, and has %d after the compaction", before, after)
	}
	absent := planv1.Action{Name: "compact", Type: benchv1alpha1.ActionCompact, Collection: "absent"}
	if _, err := target.Act(t.Context(), db.Name(), absent); !says(err, server.Address) {
		t.Errorf("error %v of a collection that there is not, want one with the member", err)
	}
}

// checkCompacted compacts the collection of the database compacted.
func checkCompacted(t *testing.T, target *mongo.Target, server *mongotest.Server, version string) {
	t.Helper()
	action := planv1.Action{Name: "compact", Type: benchv1alpha1.ActionCompact, Collection: "things"}
	done, err := target.Act(t.Context(), "compacted", action)
	if err != nil {
		t.Fatal(err)
	}
	tells := mongod.ParseRelease(version).AtLeast(mongod.Release{Major: 4, Minor: 4})
	if done.Member != server.Address || strings.HasSuffix(done.Outcome, " bytes freed") != tells {
		t.Errorf("done %+v; want it to tell what was freed: %t", done, tells)
	}
}

// storageSize is the size of the collection's file, after a checkpoint.
func storageSize(t *testing.T, db *driver.Database) int64 {
	t.Helper()
	if err := db.Client().Database("admin").RunCommand(t.Context(), bson.D{{Key: "fsync", Value: 1}}).Err(); err != nil {
		t.Fatal(err)
	}
	stats, err := db.RunCommand(t.Context(), bson.D{{Key: "collStats", Value: "things"}}).Raw()
	if err != nil {
		t.Fatal(err)
	}
	return stats.Lookup("storageSize").AsInt64()
}
