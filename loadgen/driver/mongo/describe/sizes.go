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
	err = client.Database("admin").RunCommand(ctx, bson.D{{Key: "fsync", Value: 1}}).Err()
	unsettled := err != nil && errorclass.Of(err) == errorclass.Authentication
	// What is no mongos, and what does not let this user ask, has no shards here.
	listed, _ := sharding.List(ctx, client.Database("admin"))
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
		found = append(found, sizeOf(collection, reply))
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
		countChunks(ctx, database, collection, found)
	}
	slices.SortFunc(found, func(a, b reportv1.CollectionSize) int { return sharding.ByIndex(a.Shard, b.Shard) })
	return found, nil
}

// sizeOf reads what a server tells of a collection.
func sizeOf(collection string, reply bson.Raw) reportv1.CollectionSize {
	size := reportv1.CollectionSize{
		Collection:   collection,
		Shard:        lookup.Text(reply, "shard"),
		Documents:    lookup.Number(reply, "storageStats", "count"),
		DataBytes:    lookup.Number(reply, "storageStats", "size"),
		StorageBytes: lookup.Number(reply, "storageStats", "storageSize"),
		FreeBytes:    lookup.Number(reply, "storageStats", "freeStorageSize"),
		Indexes:      []reportv1.IndexSize{},
	}
	indexes, _ := reply.Lookup("storageStats", "indexSizes").DocumentOK()
	elements, _ := indexes.Elements()
	for _, element := range elements {
		bytes, _ := element.Value().AsInt64OK()
		size.Indexes = append(size.Indexes, reportv1.IndexSize{Name: element.Key(), Bytes: bytes})
	}
	return size
}

// countChunks fills in how many chunks lie on each shard, where the user may look. Up to 4.4 chunks have the name of
// their collection, from 5.0 on its UUID.
func countChunks(
	ctx context.Context, database *driver.Database, collection string, sizes []reportv1.CollectionSize,
) {
	config, name := database.Client().Database("config"), database.Name()+"."+collection
	filter := bson.A{bson.D{{Key: "ns", Value: name}}}
	sharded, err := config.Collection("collections").FindOne(ctx, bson.D{{Key: "_id", Value: name}}).Raw()
	if err == nil && !sharded.Lookup("uuid").IsZero() {
		filter = append(filter, bson.D{{Key: "uuid", Value: sharded.Lookup("uuid")}})
	}
	for i := range sizes {
		chunks, err := config.Collection("chunks").CountDocuments(ctx,
			bson.D{{Key: "$or", Value: filter}, {Key: "shard", Value: sizes[i].Shard}})
		if err == nil {
			sizes[i].Chunks = chunks
		}
	}
}
