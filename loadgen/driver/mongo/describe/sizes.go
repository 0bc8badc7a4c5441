package describe

import (
	"context"
	"fmt"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/connection"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/sharding"
)

// Sizes of the collections, one of each for every shard in the order of their indexes; without shards one of each.
// WiredTiger counts what it has written at a checkpoint, so that one is made first where the user may.
func Sizes(
	ctx context.Context, observer *connection.Login, database string, collections []planv1.Collection,
) ([]reportv1.CollectionSize, error) {
	client, err := observer.Deployment()
	if err != nil {
		return nil, err
	}
	// An engine that writes nothing to disk has no checkpoint to make, which is no refusal.
	ask := lookup.Admin(ctx, client)
	_, err = ask(bson.D{{Key: "fsync", Value: 1}})
	unsettled := err != nil && errorclass.Of(err) == errorclass.Authentication
	// What is no mongos, and what does not let this user ask, has no shards here.
	listed, _ := sharding.List(ask)
	shards := sharding.Names(listed)
	var all []reportv1.CollectionSize
	for _, collection := range collections {
		found, err := collectionSizes(ctx, client.Database(database), collection.Name, shards)
		if err != nil {
			return nil, fmt.Errorf("collection %q: asking for its sizes: %w", collection.Name, errorclass.WithoutSecrets(err))
		}
		for i := range found {
			found[i].Unsettled = unsettled
		}
		all = append(all, found...)
	}
	return all, nil
}

// collectionSizes are those of one collection on every shard. The shards that have nothing of it are not asked by
// mongos, and have nothing here as well.
func collectionSizes(
	ctx context.Context, database *driver.Database, collection string, shards []string,
) ([]reportv1.CollectionSize, error) {
	stats := bson.A{bson.D{{Key: "$collStats", Value: bson.D{{Key: "storageStats", Value: bson.D{}}}}}}
	cursor, err := database.Collection(collection).Aggregate(ctx, stats)
	if err != nil {
		return nil, err
	}
	var replies []bson.Raw
	if err := cursor.All(ctx, &replies); err != nil {
		return nil, err
	}
	found := make([]reportv1.CollectionSize, 0, max(len(replies), len(shards)))
	for _, reply := range replies {
		stats, _ := reply.Lookup("storageStats").DocumentOK()
		size := SizeOf(collection, stats)
		size.Shard = lookup.Text(reply, "shard")
		found = append(found, size)
	}
	for _, shard := range shards {
		onIt := func(size reportv1.CollectionSize) bool { return size.Shard == shard }
		if !slices.ContainsFunc(found, onIt) {
			found = append(found, reportv1.CollectionSize{
				Collection: collection, Shard: shard, Indexes: []reportv1.IndexSize{},
			})
		}
	}
	if len(shards) > 0 {
		// Of those the user may not see, none are counted.
		chunks, _ := sharding.Chunks(ctx, database.Client().Database("config"), database.Name()+"."+collection)
		for i := range found {
			found[i].Chunks = int64(chunks[found[i].Shard])
		}
	}
	slices.SortFunc(found, func(a, b reportv1.CollectionSize) int { return sharding.ByIndex(a.Shard, b.Shard) })
	return found, nil
}

// SizeOf reads what a server tells of a collection.
func SizeOf(collection string, stats bson.Raw) reportv1.CollectionSize {
	size := reportv1.CollectionSize{
		Collection:   collection,
		Documents:    lookup.Number(stats, "count"),
		DataBytes:    lookup.Number(stats, "size"),
		StorageBytes: lookup.Number(stats, "storageSize"),
		FreeBytes:    lookup.Number(stats, "freeStorageSize"),
		Indexes:      []reportv1.IndexSize{},
	}
	indexes, _ := stats.Lookup("indexSizes").DocumentOK()
	elements, _ := indexes.Elements()
	for _, element := range elements {
		bytes, _ := element.Value().AsInt64OK()
		size.Indexes = append(size.Indexes, reportv1.IndexSize{Name: element.Key(), Bytes: bytes})
	}
	return size
}
