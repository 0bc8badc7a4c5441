package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/verify"
)

// onceStep is a step that one pod does for all: Prepare, Index, Verify, Balance and Size.
type onceStep struct {
	pod     *pod
	planned planv1.Step
	work    func(ctx context.Context, o *onceStep, step *reportv1.Step) error
	// finished of total pieces of the work are done, whatever a piece is.
	finished, total atomic.Int64
}

// once makes the constructor of steps that do such work.
func once(
	work func(ctx context.Context, o *onceStep, step *reportv1.Step) error,
) func(*pod, int) (stepRun, error) {
	return func(p *pod, index int) (stepRun, error) {
		return &onceStep{pod: p, planned: p.Plan.Steps[index], work: work}, nil
	}
}

func (o *onceStep) ready(context.Context) error {
	return nil
}

func (o *onceStep) run(ctx context.Context, step *reportv1.Step) error {
	step.Threads = 1
	err := o.work(ctx, o, step)
	step.End = time.Now()
	return err
}

func (o *onceStep) close() {}

func (o *onceStep) done() advance {
	finished := o.finished.Load()
	return advance{count: finished, percent: int(finished * 100 / max(1, o.total.Load()))}
}

// prepare makes the collections, and their indexes unless the plan has a step for these.
func prepare(ctx context.Context, o *onceStep, step *reportv1.Step) error {
	p := o.pod
	if err := p.mark.claim(ctx); err != nil {
		return err
	}
	create := p.Target.Prepare
	if p.Resume {
		create = p.Target.Create
	}
	return o.each(ctx, step, func(ctx context.Context, collection planv1.Collection) error {
		if err := create(ctx, p.Plan.Database, collection); err != nil {
			return fmt.Errorf("preparing collection %q: %w", collection.Name, err)
		}
		if o.planned.WithoutIndexes {
			return nil
		}
		return indexCollection(ctx, p, collection)
	})
}

// atOnce is how many copies of a collection are made at a time.
const atOnce = 8

// each does something to every collection, unless the dataset lies there already: to one after the other, as they are
// declared, and to the copies of one several at a time.
func (o *onceStep) each(
	ctx context.Context, step *reportv1.Step, do func(context.Context, planv1.Collection) error,
) error {
	if o.pod.mark.reused {
		skip(step)
		return nil
	}
	for _, collection := range o.pod.Plan.Collections {
		o.total.Add(collection.Number())
	}
	for _, collection := range o.pod.Plan.Collections {
		group, working := errgroup.WithContext(ctx)
		group.SetLimit(atOnce)
		for i := int64(0); i < collection.Number() && working.Err() == nil; i++ {
			group.Go(func() error {
				defer o.finished.Add(1)
				return do(working, collection.Copy(i))
			})
		}
		if err := errors.Join(group.Wait(), context.Cause(ctx)); err != nil {
			return err
		}
	}
	return nil
}

// index makes the indexes of all collections. Those that were made before the load stay as they are.
func index(ctx context.Context, o *onceStep, step *reportv1.Step) error {
	return o.each(ctx, step, func(ctx context.Context, collection planv1.Collection) error {
		if err := indexCollection(ctx, o.pod, collection); err != nil {
			return err
		}
		return indexForSearch(ctx, o.pod, collection)
	})
}

// indexForSearch makes the search indexes of a collection, and waits until all of them can be asked.
func indexForSearch(ctx context.Context, p *pod, collection planv1.Collection) error {
	if !collection.Searched() {
		return nil
	}
	indexer, able := p.Target.(loadgen.SearchIndexer)
	if !able {
		return fmt.Errorf("collection %q has search indexes, which %s cannot make", collection.Name, p.Target.Driver())
	}
	if err := indexer.IndexForSearch(ctx, p.Plan.Database, collection); err != nil {
		return fmt.Errorf("making the search indexes of collection %q: %w", collection.Name, err)
	}
	return nil
}

func indexCollection(ctx context.Context, p *pod, collection planv1.Collection) error {
	if err := p.Target.Index(ctx, p.Plan.Database, collection); err != nil {
		return fmt.Errorf("making the indexes of collection %q: %w", collection.Name, err)
	}
	return nil
}

// verifyLoad compares what the collections hold with what was to be loaded, and reports all differences together. What
// was loaded and is right is clean from then on; what was reused and is not was changed by something else.
func verifyLoad(ctx context.Context, o *onceStep, step *reportv1.Step) error {
	p := o.pod
	verified, err := verify.Verify(ctx, p.Target, p.Plan, verify.Options{
		Dataset: p.dataset, Check: o.planned.Check, Estimated: p.countsRightly(),
		Progress: func(done, total int64) {
			o.total.Store(total)
			o.finished.Store(done)
		},
	})
	if err != nil {
		return err
	}
	for _, collection := range verified {
		step.Documents += collection.Found
		if collection.Skipped != "" && o.planned.Check != "" {
			p.Log.Info("Documents were counted and not compared", "collection", collection.Collection,
				"reason", collection.Skipped)
		}
	}
	differences := verify.Differences(verified)
	switch {
	case differences == nil && !p.mark.reused:
		return errors.Join(p.mark.write(ctx, reportv1.DatasetClean), p.mark.forget(ctx), p.mark.share(ctx))
	case differences != nil && p.mark.reused:
		return errors.Join(fmt.Errorf("the dataset was not loaded again, since its mark is Clean, and is another now; the "+
			"next run will load it: %w", differences), p.mark.write(ctx, reportv1.DatasetDirty))
	}
	return differences
}

// countsRightly says whether the number of documents that the server keeps can be relied on: not where shards may hold
// documents of chunks that were moved, nor after a load in which the server may have ended otherwise than in order.
func (p *pod) countsRightly() bool {
	sharded := func(c planv1.Collection) bool { return c.Sharding != nil }
	return !p.Resume && !p.disturbed.Load() && p.server.Shards == 0 &&
		!slices.ContainsFunc(p.Plan.Collections, sharded)
}

// size counts the collection that grows, and takes what all of them take on disk.
func size(ctx context.Context, o *onceStep, step *reportv1.Step) error {
	p := o.pod
	o.total.Store(2)
	growing := p.Plan.Collections[0]
	found, err := p.Target.Count(ctx, p.Plan.Database, growing.Name)
	if err != nil {
		return fmt.Errorf("counting collection %q: %w", growing.Name, err)
	}
	step.Documents = found
	o.finished.Add(1)
	if found != o.planned.Documents && countKnown(p.Plan, growing) {
		return fmt.Errorf("collection %q holds %d documents at the checkpoint of %d, and no step of the workload writes",
			growing.Name, found, o.planned.Documents)
	}
	if step.Sizes, err = p.sizer.Sizes(ctx, p.Plan.Database, p.Plan.Stored()); err != nil {
		return fmt.Errorf("taking the sizes of the collections: %w", err)
	}
	return nil
}

// countKnown says whether a collection has what was loaded and nothing else. Where steps write, how many documents
// there are depends on how far each of them came.
func countKnown(plan planv1.Plan, collection planv1.Collection) bool {
	writes := func(s planv1.Step) bool { return s.Kind == planv1.StepMeasure && operation.ChangesData(s) }
	return verify.RemovedBy(collection) == "" && !slices.ContainsFunc(plan.Steps, writes)
}

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
	if p.sizer == nil {
		step.Skipped = withoutShards
		return nil
	}
	spread := slices.DeleteFunc(slices.Clone(p.Plan.Collections), func(c planv1.Collection) bool {
		return c.Sharding == nil
	})
	var last headway
	for {
		// The balancer comes first: what it has ended by now is in the sizes.
		goesOn, err := p.sizer.Balancing(ctx)
		if err != nil {
			return fmt.Errorf("asking for the balancer: %w", err)
		}
		sizes, err := p.sizer.Sizes(ctx, p.Plan.Database, spread)
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
		if err := (alarm.Timer{}).Until(ctx, time.Now().Add(balancePause)); err != nil {
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
