package loadgen

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// onceStep is a step that one pod does for all: Prepare, Index, Verify, Balance and Size.
type onceStep struct {
	planned planv1.Step
	work    func(ctx context.Context, o *onceStep, step *reportv1.Step) error
	// finished of total pieces of the work are done, whatever a piece is.
	finished, total atomic.Int64
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
func (e *Engine) prepare(ctx context.Context, o *onceStep, step *reportv1.Step) error {
	if err := e.claim(ctx); err != nil {
		return err
	}
	if e.marking.reused {
		skip(step)
		return nil
	}
	create := e.Target.Prepare
	if e.Resume {
		create = e.Target.Create
	}
	o.total.Store(int64(len(e.Plan.Collections)))
	for _, collection := range e.Plan.Collections {
		if err := create(ctx, e.Plan.Database, []planv1.Collection{collection}); err != nil {
			return fmt.Errorf("preparing collection %q: %w", collection.Name, err)
		}
		if !o.planned.WithoutIndexes {
			if err := e.indexCollection(ctx, collection); err != nil {
				return err
			}
		}
		o.finished.Add(1)
	}
	return nil
}

// index makes the indexes of all collections.
func (e *Engine) index(ctx context.Context, o *onceStep, step *reportv1.Step) error {
	if e.marking.reused {
		skip(step)
		return nil
	}
	o.total.Store(int64(len(e.Plan.Collections)))
	for _, collection := range e.Plan.Collections {
		if err := e.indexCollection(ctx, collection); err != nil {
			return err
		}
		o.finished.Add(1)
	}
	return nil
}

func (e *Engine) indexCollection(ctx context.Context, collection planv1.Collection) error {
	if err := e.Target.Index(ctx, e.Plan.Database, []planv1.Collection{collection}); err != nil {
		return fmt.Errorf("making the indexes of collection %q: %w", collection.Name, err)
	}
	return nil
}

// verify compares what the collections hold with what was to be loaded. All differences are reported together. What was
// loaded and is right is clean from then on; what was reused and is not was changed by somebody else.
func (e *Engine) verify(ctx context.Context, o *onceStep, step *reportv1.Step) error {
	verified, err := verify(ctx, e.Target, e.Plan, verification{
		dataset: e.compiled.dataset, check: o.planned.Check,
		progress: func(done, total int64) {
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
			e.Log.Info("Documents were counted and not compared", "collection", collection.Collection,
				"reason", collection.Skipped)
		}
	}
	differences := Differences(verified)
	switch {
	case differences == nil && !e.marking.reused:
		return e.mark(ctx, reportv1.DatasetClean)
	case differences != nil && e.marking.reused:
		return errors.Join(fmt.Errorf("the dataset was not loaded again, since its mark is Clean, and is another now; the "+
			"next run will load it: %w", differences), e.mark(ctx, reportv1.DatasetDirty))
	}
	return differences
}
