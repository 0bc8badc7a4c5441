package schema

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
)

// CreateMissing makes a collection on one server, replica set or shard.
func CreateMissing(ctx context.Context, database *driver.Database, collection planv1.Collection) error {
	err := database.RunCommand(ctx, CreateCommand(collection)).Err()
	if err == nil || errorclass.HasCode(err, errorclass.NamespaceExists) {
		return nil
	}
	return fmt.Errorf("making it: %w", err)
}

// CreateCommand makes a collection.
func CreateCommand(collection planv1.Collection) bson.D {
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

// IndexCommand makes the indexes of a collection.
func IndexCommand(collection planv1.Collection) bson.D {
	indexes := make(bson.A, 0, len(collection.Indexes))
	for _, index := range collection.Indexes {
		indexes = append(indexes, IndexDefinition(index))
	}
	return bson.D{{Key: "createIndexes", Value: collection.Name}, {Key: "indexes", Value: indexes}}
}

// IndexDefinition describes an index to a server.
func IndexDefinition(index planv1.Index) bson.D {
	definition := bson.D{{Key: "key", Value: OrderedKeys(index.Keys)}, {Key: "name", Value: index.ServerName()}}
	if index.Unique {
		definition = append(definition, bson.E{Key: "unique", Value: true})
	}
	if index.Sparse {
		definition = append(definition, bson.E{Key: "sparse", Value: true})
	}
	if index.ExpireAfterSeconds != nil {
		definition = append(definition, bson.E{Key: "expireAfterSeconds", Value: *index.ExpireAfterSeconds})
	}
	return definition
}

// OrderedKeys writes an order that is a number as a number, and any other, such as hashed, as it is.
func OrderedKeys(keys []planv1.IndexKey) bson.D {
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
