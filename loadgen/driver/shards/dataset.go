package shards

import (
	"context"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
)

// Prepare makes the collection on all shards.
func (t *Target) Prepare(ctx context.Context, database string, collection planv1.Collection) error {
	collection.Sharding = nil // What spreads it is not a shard's matter.
	return t.each(ctx, func(ctx context.Context, _ int, target *mongo.Target) error {
		return target.Prepare(ctx, database, collection)
	})
}

// Create makes a collection that is missing, on all shards.
func (t *Target) Create(ctx context.Context, database string, collection planv1.Collection) error {
	collection.Sharding = nil
	return t.each(ctx, func(ctx context.Context, _ int, target *mongo.Target) error {
		return target.Create(ctx, database, collection)
	})
}

// Index makes the indexes on all shards, and as mongos does one on the shard key, unless one that begins with it, or
// the one on _id, is there.
func (t *Target) Index(ctx context.Context, database string, collection planv1.Collection) error {
	if collection.Sharding != nil && !hasIndex(collection) {
		index := planv1.Index{Keys: collection.Sharding.Key}
		collection.Indexes = append(slices.Clone(collection.Indexes), index)
	}
	return t.each(ctx, func(ctx context.Context, _ int, target *mongo.Target) error {
		return target.Index(ctx, database, collection)
	})
}

// hasIndex says whether an index begins with the shard key.
func hasIndex(collection planv1.Collection) bool {
	key := collection.Sharding.Key
	byID := []planv1.IndexKey{{Field: "_id", Order: "1"}}
	return slices.Equal(key, byID) || slices.ContainsFunc(collection.Indexes, func(index planv1.Index) bool {
		return len(index.Keys) >= len(key) && slices.Equal(index.Keys[:len(key)], key)
	})
}

// Count adds up the documents of all shards.
func (t *Target) Count(ctx context.Context, database, collection string) (int64, error) {
	return sum(gather(ctx, t, func(ctx context.Context, target *mongo.Target) (int64, error) {
		return target.Count(ctx, database, collection)
	}))
}

// Estimate adds up what the shards say.
func (t *Target) Estimate(ctx context.Context, database, collection string) (int64, error) {
	return sum(gather(ctx, t, func(ctx context.Context, target *mongo.Target) (int64, error) {
		return target.Estimate(ctx, database, collection)
	}))
}

func sum(counts []int64, err error) (int64, error) {
	var total int64
	for _, count := range counts {
		total += count
	}
	return total, err
}

// Read returns the documents of all shards with these values of _id: what lies on two of them comes twice.
func (t *Target) Read(ctx context.Context, database, collection string, ids []bson.RawValue) ([]bson.Raw, error) {
	found, err := gather(ctx, t, func(ctx context.Context, target *mongo.Target) ([]bson.Raw, error) {
		return target.Read(ctx, database, collection, ids)
	})
	return slices.Concat(found...), err
}

// Mark returns the mark of the dataset, which the first shard has.
func (t *Target) Mark(ctx context.Context, database string) (*reportv1.DatasetMark, error) {
	mark, err := t.shards[0].Mark(ctx, database)
	return mark, of(0, err)
}

// SetMark writes the mark to the first shard.
func (t *Target) SetMark(ctx context.Context, database string, mark reportv1.DatasetMark) error {
	return of(0, t.shards[0].SetMark(ctx, database, mark))
}

// Holds returns the collections that any of the shards has.
func (t *Target) Holds(ctx context.Context, database string) ([]string, error) {
	found, err := gather(ctx, t, func(ctx context.Context, target *mongo.Target) ([]string, error) {
		return target.Holds(ctx, database)
	})
	names := slices.Concat(found...)
	slices.Sort(names)
	return slices.Compact(names), err
}

// Sizes of the collections, of each shard in turn.
func (t *Target) Sizes(
	ctx context.Context, database string, collections []planv1.Collection,
) ([]reportv1.CollectionSize, error) {
	found, err := gather(ctx, t, func(ctx context.Context, target *mongo.Target) ([]reportv1.CollectionSize, error) {
		return target.Sizes(ctx, database, collections)
	})
	for shard := range found {
		for i := range found[shard] {
			found[shard][i].Shard = shardName(shard)
		}
	}
	return slices.Concat(found...), err
}

// Balancing is never: documents stay where they were written.
func (t *Target) Balancing(context.Context) (bool, error) {
	return false, nil
}
