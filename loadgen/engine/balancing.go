package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen"
)

const (
	// balancePause lies between two looks at the shards: a balancer moves about one chunk a second.
	balancePause = 2 * time.Second
	// balancePatience is how long a balancer may go on without making the shards more even: it moves other collections,
	// or a chunk that cannot be moved, for ever. The largest chunk takes minutes.
	balancePatience = 10 * time.Minute
)

// withoutShards is why a Balance did nothing.
const withoutShards = "the target has no shards"

// balance waits until the shards hold even shares of the collections that are spread over them, for as long as the
// balancer goes on and gets anywhere. What is left then is in the report, which doubts it.
func balance(ctx context.Context, o *onceStep, step *reportv1.Step) error {
	p := o.pod
	sizer, able := p.Target.(loadgen.Sizer)
	if !able {
		step.Skipped = withoutShards
		return nil
	}
	spread := slices.DeleteFunc(slices.Clone(p.Plan.Collections), func(c planv1.Collection) bool {
		return c.Sharding == nil
	})
	var last headway
	for {
		// The balancer comes first: what it has ended by now is in the sizes.
		goesOn, err := sizer.Balancing(ctx)
		if err != nil {
			return fmt.Errorf("asking for the balancer: %w", err)
		}
		sizes, err := sizer.Sizes(ctx, p.Plan.Database, spread)
		if err != nil {
			return fmt.Errorf("taking the shards' sizes: %w", err)
		}
		if !slices.ContainsFunc(sizes, func(s reportv1.CollectionSize) bool { return s.Shard != "" }) {
			step.Skipped = withoutShards
			return nil
		}
		step.Sizes = sizes
		step.ImbalancePercent, step.MaxImbalancePercent = leastEven(sizes, spread)
		if step.ImbalancePercent <= step.MaxImbalancePercent || !goesOn {
			return nil
		}
		if last.ended(step.ImbalancePercent - step.MaxImbalancePercent) {
			p.Log.Warn("The balancer is not waited for any longer: the shards have not become more even",
				"seconds", balancePatience.Seconds(), "imbalancePercent", step.ImbalancePercent,
				"maxImbalancePercent", step.MaxImbalancePercent)
			return nil
		}
		if err := pause(ctx, balancePause); err != nil {
			return err
		}
	}
}

// headway is the least that the fullest shard had too much, and since when.
type headway struct {
	excess int
	since  time.Time
}

// ended takes what the shards have too much, and says whether it has been too long since that became less.
func (h *headway) ended(excess int) bool {
	if h.since.IsZero() || excess < h.excess {
		h.excess, h.since = excess, time.Now()
	}
	return time.Since(h.since) >= balancePatience
}

// leastEven is the imbalance of the collection that has most above what is allowed of it, and what that is.
func leastEven(sizes []reportv1.CollectionSize, spread []planv1.Collection) (imbalance, allowed int) {
	for i, collection := range spread {
		found, bound := result.Imbalance(sizes, collection.Name), collection.Sharding.MaxImbalancePercent
		if i == 0 || found-bound > imbalance-allowed {
			imbalance, allowed = found, bound
		}
	}
	return imbalance, allowed
}

// pause returns after a time, or with an error when the context ends before.
func pause(ctx context.Context, length time.Duration) error {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
