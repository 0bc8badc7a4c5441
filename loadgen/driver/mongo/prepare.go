package mongo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// preparing is how long one step of preparing may take: an index of a large collection takes far longer than any
// operation that is measured.
const preparing = 24 * time.Hour

// Prepare drops and makes collections.
func (t *Target) Prepare(ctx context.Context, database string, collections []planv1.Collection) error {
	ctx, cancel := context.WithTimeout(ctx, preparing)
	defer cancel()
	for _, collection := range collections {
		if err := t.prepareCollection(ctx, t.client.Database(database), collection); err != nil {
			return fmt.Errorf("collection %q: %w", collection.Name, withoutSecrets(err))
		}
	}
	return nil
}

// namespaceExists is the server's code for a collection that is there already.
const namespaceExists = 48

// Create makes the collections that are missing.
func (t *Target) Create(ctx context.Context, database string, collections []planv1.Collection) error {
	for _, collection := range collections {
		if err := t.createCollection(ctx, t.client.Database(database), collection); err != nil {
			return fmt.Errorf("collection %q: %w", collection.Name, withoutSecrets(err))
		}
	}
	return nil
}

func (t *Target) prepareCollection(ctx context.Context, database *driver.Database, collection planv1.Collection) error {
	if err := database.Collection(collection.Name).Drop(ctx); err != nil {
		return fmt.Errorf("dropping it: %w", err)
	}
	return t.createCollection(ctx, database, collection)
}

// createCollection makes a collection unless it is there, over the shards where it is to be and there are any.
func (t *Target) createCollection(ctx context.Context, database *driver.Database, collection planv1.Collection) error {
	if collection.Sharding == nil {
		return createMissing(ctx, database, collection)
	}
	cluster, err := t.cluster(ctx)
	if err != nil {
		return fmt.Errorf("asking for the shards: %w", err)
	}
	if cluster == nil {
		return createMissing(ctx, database, collection)
	}
	return cluster.create(ctx, database, collection)
}

// createMissing makes a collection on one server, replica set or shard.
func createMissing(ctx context.Context, database *driver.Database, collection planv1.Collection) error {
	err := database.RunCommand(ctx, createCommand(collection)).Err()
	var refused driver.CommandError
	if errors.As(err, &refused) && refused.Code == namespaceExists {
		return nil
	}
	if err != nil {
		return fmt.Errorf("making it: %w", err)
	}
	return nil
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
		if err := t.client.Database(database).RunCommand(ctx, indexCommand(collection)).Err(); err != nil {
			return fmt.Errorf("collection %q: %w", collection.Name, withoutSecrets(err))
		}
	}
	return nil
}

func createCommand(collection planv1.Collection) bson.D {
	command := bson.D{{Key: "create", Value: collection.Name}}
	if collection.CappedBytes > 0 {
		command = append(command, bson.E{Key: "capped", Value: true}, bson.E{Key: "size", Value: collection.CappedBytes})
		if collection.CappedDocuments > 0 {
			command = append(command, bson.E{Key: "max", Value: collection.CappedDocuments})
		}
	}
	settings := make([]string, 0, 2)
	if collection.Type != "" {
		settings = append(settings, "type="+collection.Type)
		// Those that are made later have it too, and so has the one on _id.
		indexes := bson.D{{Key: "storageEngine", Value: wiredTigerConfig(settings)}}
		command = append(command, bson.E{Key: "indexOptionDefaults", Value: indexes})
	}
	if collection.Compressor != "" {
		settings = append(settings, "block_compressor="+collection.Compressor)
	}
	if len(settings) > 0 {
		command = append(command, bson.E{Key: "storageEngine", Value: wiredTigerConfig(settings)})
	}
	return command
}

// wiredTigerConfig are settings that WiredTiger makes a collection or index with.
func wiredTigerConfig(settings []string) bson.D {
	config := bson.D{{Key: "configString", Value: strings.Join(settings, ",")}}
	return bson.D{{Key: "wiredTiger", Value: config}}
}

func indexCommand(collection planv1.Collection) bson.D {
	indexes := make(bson.A, 0, len(collection.Indexes))
	for _, index := range collection.Indexes {
		definition := bson.D{
			{Key: "key", Value: orderedKeys(index.Keys)},
			{Key: "name", Value: index.ServerName()},
		}
		if index.Unique {
			definition = append(definition, bson.E{Key: "unique", Value: true})
		}
		if index.Sparse {
			definition = append(definition, bson.E{Key: "sparse", Value: true})
		}
		if index.ExpireAfterSeconds != nil {
			definition = append(definition, bson.E{Key: "expireAfterSeconds", Value: *index.ExpireAfterSeconds})
		}
		indexes = append(indexes, definition)
	}
	return bson.D{{Key: "createIndexes", Value: collection.Name}, {Key: "indexes", Value: indexes}}
}

// orderedKeys writes an order that is a number as a number, and any other, such as hashed, as it is.
func orderedKeys(keys []planv1.IndexKey) bson.D {
	document := make(bson.D, 0, len(keys))
	for _, key := range keys {
		var order any = key.Order
		if number, err := strconv.ParseInt(key.Order, 10, 32); err == nil {
			order = int32(number)
		}
		document = append(document, bson.E{Key: key.Field, Value: order})
	}
	return document
}

// Read returns the stored documents with these values of _id.
func (t *Target) Read(ctx context.Context, database, collection string, ids []bson.RawValue) ([]bson.Raw, error) {
	filter := bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: ids}}}}
	cursor, err := t.client.Database(database).Collection(collection).Find(ctx, filter)
	if err != nil {
		return nil, withoutSecrets(err)
	}
	var documents []bson.Raw
	for cursor.Next(ctx) {
		documents = append(documents, bytes.Clone(cursor.Current))
	}
	if err := errors.Join(cursor.Err(), cursor.Close(ctx)); err != nil {
		return nil, withoutSecrets(err)
	}
	return documents, nil
}

// Traffic is what went over all connections since the target was opened.
func (t *Target) Traffic() reportv1.Traffic {
	traffic := t.traffic.sum()
	bytesIn, bytesOut := t.wireTraffic()
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
		return 0, withoutSecrets(err)
	}
	return number, nil
}
