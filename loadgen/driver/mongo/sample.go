package mongo

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
)

// sampleBatch is how many documents of a sample come at a time.
const sampleBatch = 1000

// CollectionInfo is what a server tells of a collection besides its documents.
type CollectionInfo struct {
	// Options that it was created with, and Indexes, as the server lists them.
	Options bson.Raw
	Indexes []bson.Raw
	// Documents is their number by the server's own counting, which an unclean stop may have put wrong.
	Documents int64
}

// About returns what the server tells of a collection. One that is not there is an error.
func (t *Target) About(ctx context.Context, database, collection string) (CollectionInfo, error) {
	db := t.client.Database(database)
	found, err := db.ListCollectionSpecifications(ctx, bson.D{{Key: "name", Value: collection}})
	if err != nil {
		return CollectionInfo{}, fmt.Errorf("looking for collection %s.%s: %w", database, collection,
			errorclass.WithoutSecrets(err))
	}
	if len(found) == 0 {
		return CollectionInfo{}, fmt.Errorf("there is no collection %s.%s; check --database and --collection, which heed "+
			"upper and lower case", database, collection)
	}
	info := CollectionInfo{Options: found[0].Options}
	if found[0].Type == "view" {
		return CollectionInfo{}, fmt.Errorf("%s.%s is a view; name the collection that it is of", database, collection)
	}
	cursor, err := db.Collection(collection).Indexes().List(ctx)
	if err != nil {
		return CollectionInfo{}, fmt.Errorf("listing the indexes of %s.%s: %w", database, collection,
			errorclass.WithoutSecrets(err))
	}
	if err := cursor.All(ctx, &info.Indexes); err != nil {
		return CollectionInfo{}, fmt.Errorf("listing the indexes of %s.%s: %w", database, collection,
			errorclass.WithoutSecrets(err))
	}
	info.Documents, err = db.Collection(collection).EstimatedDocumentCount(ctx)
	if err != nil {
		return CollectionInfo{}, fmt.Errorf("counting collection %s.%s: %w", database, collection,
			errorclass.WithoutSecrets(err))
	}
	return info, nil
}

// Sample calls each with size random documents of a collection, or with all when there are no more. A document is only
// valid during the call.
func (t *Target) Sample(
	ctx context.Context, database, collection string, size int64, each func(bson.Raw) error,
) error {
	documents, err := t.client.Database(database).Collection(collection).EstimatedDocumentCount(ctx)
	if err != nil {
		return fmt.Errorf("counting collection %s.%s: %w", database, collection,
			errorclass.WithoutSecrets(err))
	}
	pipeline := bson.A{bson.D{{Key: "$sample", Value: bson.D{{Key: "size", Value: size}}}}}
	if documents <= size {
		pipeline = bson.A{}
	}
	// A sample of more than a twentieth is sorted, which may need more memory than the server gives it.
	withDisk := options.Aggregate().SetAllowDiskUse(true).SetBatchSize(sampleBatch)
	cursor, err := t.client.Database(database).Collection(collection).Aggregate(ctx, pipeline, withDisk)
	if err != nil {
		return fmt.Errorf("sampling collection %s.%s: %w", database, collection,
			errorclass.WithoutSecrets(err))
	}
	defer func() { _ = cursor.Close(context.WithoutCancel(ctx)) }()
	for cursor.Next(ctx) {
		if err := each(cursor.Current); err != nil {
			return err
		}
	}
	if err := cursor.Err(); err != nil {
		return fmt.Errorf("sampling collection %s.%s: %w", database, collection,
			errorclass.WithoutSecrets(err))
	}
	return nil
}
