package verify

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/mongobench/mongobench-operator/loadgen"
)

// count asks for the number of documents.
func (c *comparison) count(ctx context.Context, target loadgen.Target, estimated bool) (err error) {
	if estimator, able := target.(loadgen.Estimator); able && estimated {
		c.verified.Found, err = c.sum(ctx, estimator.Estimate)
		if err != nil || c.verified.Found == c.verified.Expected {
			return err
		}
	}
	c.verified.Found, err = c.sum(ctx, target.Count)
	return err
}

// sum adds up the documents of all copies.
func (c *comparison) sum(
	ctx context.Context, count func(ctx context.Context, database, collection string) (int64, error),
) (int64, error) {
	var sum atomic.Int64
	group, counting := errgroup.WithContext(ctx)
	group.SetLimit(readers)
	for i := int64(0); i < c.collection.Number() && counting.Err() == nil; i++ {
		group.Go(func() error {
			found, err := count(counting, c.database, c.collection.NameOf(i))
			sum.Add(found)
			return err
		})
	}
	err := group.Wait()
	return sum.Load(), err
}
