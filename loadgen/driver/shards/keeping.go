package shards

import (
	"context"
	"slices"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
)

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
	found := make([][]string, len(t.shards))
	err := t.each(ctx, func(ctx context.Context, shard int, target *mongo.Target) (err error) {
		found[shard], err = target.Holds(ctx, database)
		return err
	})
	names := slices.Concat(found...)
	slices.Sort(names)
	return slices.Compact(names), err
}

// Sizes of the collections, of each shard in turn.
func (t *Target) Sizes(
	ctx context.Context, database string, collections []planv1.Collection,
) ([]reportv1.CollectionSize, error) {
	found := make([][]reportv1.CollectionSize, len(t.shards))
	err := t.each(ctx, func(ctx context.Context, shard int, target *mongo.Target) (err error) {
		found[shard], err = target.Sizes(ctx, database, unsharded(collections))
		for i := range found[shard] {
			found[shard][i].Shard = shardName(shard)
		}
		return err
	})
	return slices.Concat(found...), err
}

// Balancing is never: documents stay where they were written.
func (t *Target) Balancing(context.Context) (bool, error) {
	return false, nil
}
