package schema

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
)

// CreateMissing makes a collection on one server, replica set or shard.
func CreateMissing(ctx context.Context, database *driver.Database, collection planv1.Collection) error {
	command, err := CreateCommand(collection)
	if err != nil {
		return err
	}
	err = database.RunCommand(ctx, command).Err()
	if err == nil || errorclass.HasCode(err, errorclass.NamespaceExists) {
		return nil
	}
	return fmt.Errorf("making it: %w", err)
}

// CreateCommand makes a collection, or a view.
func CreateCommand(collection planv1.Collection) (bson.D, error) {
	if collection.View != nil {
		return viewCommand(collection.Name, *collection.View)
	}
	rules, err := ruleOptions(collection)
	if err != nil {
		return nil, err
	}
	create := bson.D{{Key: "create", Value: collection.Name}}
	return slices.Concat(create, kindOptions(collection), rules, storageOptions(collection)), nil
}

// storageOptions are those of the storage engine.
func storageOptions(collection planv1.Collection) bson.D {
	var terms bson.D
	settings := make([]string, 0, 2)
	if collection.Type != "" {
		settings = append(settings, "type="+collection.Type)
		// Those that are made later have it too, and so has the one on _id.
		indexes := bson.D{{Key: "storageEngine", Value: wiredTigerConfig(settings)}}
		terms = append(terms, bson.E{Key: "indexOptionDefaults", Value: indexes})
	}
	if collection.Compressor != "" {
		settings = append(settings, "block_compressor="+collection.Compressor)
	}
	if len(settings) > 0 {
		terms = append(terms, bson.E{Key: "storageEngine", Value: wiredTigerConfig(settings)})
	}
	return terms
}

// wiredTigerConfig are settings that WiredTiger makes a collection or index with.
func wiredTigerConfig(settings []string) bson.D {
	config := bson.D{{Key: "configString", Value: strings.Join(settings, ",")}}
	return bson.D{{Key: "wiredTiger", Value: config}}
}

// IndexCommand makes the indexes of a collection.
func IndexCommand(collection planv1.Collection) (bson.D, error) {
	indexes := make(bson.A, 0, len(collection.Indexes))
	for _, index := range collection.Indexes {
		definition, err := IndexDefinition(index)
		if err != nil {
			return nil, fmt.Errorf("index %q: %w", index.ServerName(), err)
		}
		indexes = append(indexes, definition)
	}
	return bson.D{{Key: "createIndexes", Value: collection.Name}, {Key: "indexes", Value: indexes}}, nil
}

// IndexDefinition describes an index to a server.
func IndexDefinition(index planv1.Index) (bson.D, error) {
	definition := bson.D{{Key: "key", Value: OrderedKeys(index.Keys)}, {Key: "name", Value: index.ServerName()}}
	for _, property := range []struct {
		name string
		set  bool
	}{{"unique", index.Unique}, {"sparse", index.Sparse}, {"hidden", index.Hidden}} {
		if property.set {
			definition = append(definition, bson.E{Key: property.name, Value: true})
		}
	}
	if index.ExpireAfterSeconds != nil {
		definition = append(definition, bson.E{Key: "expireAfterSeconds", Value: *index.ExpireAfterSeconds})
	}
	for _, document := range []struct {
		name    string
		written planv1.Document
	}{{"partialFilterExpression", index.PartialFilter}, {"wildcardProjection", index.WildcardProjection}} {
		if document.written == "" {
			continue
		}
		value, err := parse(document.written)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", document.name, err)
		}
		definition = append(definition, bson.E{Key: document.name, Value: value})
	}
	if index.Collation != nil {
		definition = append(definition, bson.E{Key: "collation", Value: collation(*index.Collation)})
	}
	return append(definition, textSettings(index.Text)...), nil
}

// textSettings are those of a text index.
func textSettings(text *planv1.TextIndex) bson.D {
	var terms bson.D
	if text == nil {
		return nil
	}
	if text.DefaultLanguage != nil {
		terms = append(terms, bson.E{Key: "default_language", Value: *text.DefaultLanguage})
	}
	weights := make(bson.D, 0, len(text.Weights))
	for _, weight := range text.Weights {
		weights = append(weights, bson.E{Key: weight.Field, Value: weight.Weight})
	}
	if len(weights) > 0 {
		terms = append(terms, bson.E{Key: "weights", Value: weights})
	}
	return terms
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
