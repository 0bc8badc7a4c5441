package engine

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
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
	if p.mark.reused {
		skip(step)
		return nil
	}
	create := p.Target.Prepare
	if p.Resume {
		create = p.Target.Create
	}
	o.total.Store(int64(len(p.Plan.Collections)))
	for _, collection := range p.Plan.Collections {
		if err := create(ctx, p.Plan.Database, []planv1.Collection{collection}); err != nil {
			return fmt.Errorf("preparing collection %q: %w", collection.Name, err)
		}
		if !o.planned.WithoutIndexes {
			if err := indexCollection(ctx, p, collection); err != nil {
				return err
			}
		}
		o.finished.Add(1)
	}
	return nil
}

// index makes the indexes of all collections.
func index(ctx context.Context, o *onceStep, step *reportv1.Step) error {
	p := o.pod
	if p.mark.reused {
		skip(step)
		return nil
	}
	o.total.Store(int64(len(p.Plan.Collections)))
	for _, collection := range p.Plan.Collections {
		if err := indexCollection(ctx, p, collection); err != nil {
			return err
		}
		o.finished.Add(1)
	}
	return nil
}

func indexCollection(ctx context.Context, p *pod, collection planv1.Collection) error {
	if err := p.Target.Index(ctx, p.Plan.Database, []planv1.Collection{collection}); err != nil {
		return fmt.Errorf("making the indexes of collection %q: %w", collection.Name, err)
	}
	return nil
}

// verifyLoad compares what the collections hold with what was to be loaded, and reports all differences together. What
// was loaded and is right is clean from then on; what was reused and is not was changed by something else.
func verifyLoad(ctx context.Context, o *onceStep, step *reportv1.Step) error {
	p := o.pod
	verified, err := verify.Verify(ctx, p.Target, p.Plan, verify.Options{
		Dataset: p.dataset, Check: o.planned.Check,
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
		return p.mark.write(ctx, reportv1.DatasetClean)
	case differences != nil && p.mark.reused:
		return errors.Join(fmt.Errorf("the dataset was not loaded again, since its mark is Clean, and is another now; the "+
			"next run will load it: %w", differences), p.mark.write(ctx, reportv1.DatasetDirty))
	}
	return differences
}
