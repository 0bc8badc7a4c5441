package mongo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/schema"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/sharding"
)

// preparing is how long one step of preparing may take: an index of a large collection takes far longer than any
// operation that is measured.
const preparing = 24 * time.Hour

// Prepare drops and makes collections.
func (t *Target) Prepare(ctx context.Context, database string, collections []planv1.Collection) error {
	ctx, cancel := context.WithTimeout(ctx, preparing)
	defer cancel()
	for _, collection := range collections {
		if err := prepareCollection(ctx, t.client.Database(database), collection); err != nil {
			return fmt.Errorf("collection %q: %w", collection.Name, errorclass.WithoutSecrets(err))
		}
	}
	return nil
}

// Create makes the collections that are missing.
func (t *Target) Create(ctx context.Context, database string, collections []planv1.Collection) error {
	for _, collection := range collections {
		if err := sharding.Create(ctx, t.client.Database(database), collection); err != nil {
			return fmt.Errorf("collection %q: %w", collection.Name, errorclass.WithoutSecrets(err))
		}
	}
	return nil
}

func prepareCollection(ctx context.Context, database *driver.Database, collection planv1.Collection) error {
	if err := database.Collection(collection.Name).Drop(ctx); err != nil {
		return fmt.Errorf("dropping it: %w", err)
	}
	return sharding.Create(ctx, database, collection)
}

// Index makes the indexes of collections. The server leaves one as it is that is there already and the same; one of the
// same name or keys that is another is an error.
func (t *Target) Index(ctx context.Context, database string, collections []planv1.Collection) error {
	ctx, cancel := context.WithTimeout(ctx, preparing)
	defer cancel()
	for _, collection := range collections {
		if len(collection.Indexes) == 0 {
			continue
		}
		if err := t.client.Database(database).RunCommand(ctx, schema.IndexCommand(collection)).Err(); err != nil {
			return fmt.Errorf("collection %q: %w", collection.Name, errorclass.WithoutSecrets(err))
		}
	}
	return nil
}

// Read returns the stored documents with these values of _id.
func (t *Target) Read(ctx context.Context, database, collection string, ids []bson.RawValue) ([]bson.Raw, error) {
	filter := bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: ids}}}}
	cursor, err := t.client.Database(database).Collection(collection).Find(ctx, filter)
	if err != nil {
		return nil, errorclass.WithoutSecrets(err)
	}
	var documents []bson.Raw
	for cursor.Next(ctx) {
		documents = append(documents, bytes.Clone(cursor.Current))
	}
	if err := errors.Join(cursor.Err(), cursor.Close(ctx)); err != nil {
		return nil, errorclass.WithoutSecrets(err)
	}
	return documents, nil
}

// Traffic is what went over all connections since the target was opened.
func (t *Target) Traffic() reportv1.Traffic {
	traffic := t.traffic.Sum()
	bytesIn, bytesOut := t.byWire.Traffic()
	traffic.BytesIn += bytesIn
	traffic.BytesOut += bytesOut
	return traffic
}

// Count counts the documents of a collection, by reading them: what the server remembers as the count is wrong after an
// unclean stop.
func (t *Target) Count(ctx context.Context, database, collection string) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, preparing)
	defer cancel()
	number, err := t.client.Database(database).Collection(collection).CountDocuments(ctx, bson.D{})
	if err != nil {
		return 0, errorclass.WithoutSecrets(err)
	}
	return number, nil
}

// Estimate returns the number of documents that the server remembers, which is at once as good as its last write. With
// shards those of moved chunks that are still to be deleted are among them.
func (t *Target) Estimate(ctx context.Context, database, collection string) (int64, error) {
	ofPrimary := options.Collection().SetReadPreference(readpref.Primary())
	number, err := t.client.Database(database).Collection(collection, ofPrimary).EstimatedDocumentCount(ctx)
	return number, errorclass.WithoutSecrets(err)
}
