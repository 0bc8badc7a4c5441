package merge

import (
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/value"
)

// What is wrong with a stage.
var (
	errElsewhere = errors.New("it reads or writes a collection whose documents lie on other shards too; " +
		"measure it with a mongos, or on a target without shards")
	errWhole = errors.New("it needs all documents in one place, and several shards cannot be merged behind it; " +
		"measure it with a mongos, or give the first $match a value of the shard key, so that one shard answers")
	errBehindCut = errors.New("it comes behind a $skip or $limit, which only all shards together can do; " +
		"put it before them")
	errSorted = errors.New("it may change what is sorted by, by which several shards are merged; put it before the $sort")
)

// elsewhere are stages that no shard can do by itself, whatever documents they begin with.
var elsewhere = map[string]bool{
	"$lookup": true, "$graphLookup": true, "$unionWith": true, "$out": true, "$merge": true, "$facet": true,
}

// merged are the stages that several shards can be merged behind.
var merged = map[string]bool{
	"$match": true, "$project": true, "$addFields": true, "$set": true, "$unset": true, "$unwind": true, "$redact": true,
	"$replaceRoot": true, "$replaceWith": true, "$sort": true, "$skip": true, "$limit": true, "$group": true,
	"$sortByCount": true, "$count": true,
}

func refused(stage string) error {
	switch {
	case elsewhere[stage]:
		return errElsewhere
	case !merged[stage]:
		return errWhole
	default:
		return nil
	}
}

// Alone says whether one shard can do a pipeline by itself, when all documents that it begins with lie there.
func Alone(pipeline bson.Raw) error {
	number := 0
	for _, stage := range value.All(pipeline) {
		for name := range value.All(stage.Data) {
			if elsewhere[string(name)] {
				return fmt.Errorf("stage %d of the pipeline, %s: %w", number, name, errElsewhere)
			}
		}
		number++
	}
	return nil
}

// Filter is what a pipeline begins with: that of its first $match, or one that selects everything.
func Filter(pipeline bson.Raw) bson.Raw {
	_, stage, _ := value.First(pipeline)
	filter, ok := value.Field(stage.Data, "$match")
	if !ok || filter.Type != bsoncore.TypeEmbeddedDocument {
		return nil
	}
	return bson.Raw(filter.Data)
}
