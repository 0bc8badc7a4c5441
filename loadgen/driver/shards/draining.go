package shards

import (
	"context"

	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
)

var (
	_ loadgen.Drainer   = (*session)(nil)
	_ loadgen.Estimator = (*Target)(nil)
)

// Unacknowledged says whether an operation's writes go without a reply.
func (s *session) Unacknowledged(operation int) bool {
	return s.streams[0].Unacknowledged(operation)
}

// Drain asks every shard in turn, which takes as long as the slowest: meanwhile the others go on. It returns the first
// error.
func (s *session) Drain(ctx context.Context) error {
	var first error
	for shard, stream := range s.streams {
		if err := of(shard, stream.Drain(ctx)); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// Estimate adds up what the shards say.
func (t *Target) Estimate(ctx context.Context, database, collection string) (int64, error) {
	return t.sum(ctx, func(ctx context.Context, target *mongo.Target) (int64, error) {
		return target.Estimate(ctx, database, collection)
	})
}
