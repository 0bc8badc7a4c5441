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

// onceStep is a step that one pod does for all: Prepare and Verify.
type onceStep struct {
	engine *Engine
	work   func(ctx context.Context, step *reportv1.Step, finished *atomic.Int64) error
	// finished is the number of collections that are done.
	finished atomic.Int64
}

func (o *onceStep) ready(context.Context) error {
	return nil
}

func (o *onceStep) run(ctx context.Context, step *reportv1.Step) error {
	step.Threads = 1
	err := o.work(ctx, step, &o.finished)
	step.End = time.Now()
	return err
}

func (o *onceStep) done() advance {
	collections := int64(max(1, len(o.engine.Plan.Collections)))
	return advance{percent: int(o.finished.Load() * 100 / collections)}
}

// prepare makes the collections, and their indexes unless the plan has a step for these.
func (e *Engine) prepare(ctx context.Context, _ *reportv1.Step, finished *atomic.Int64) error {
	for _, collection := range e.Plan.Collections {
		one := []planv1.Collection{collection}
		if err := e.Target.Prepare(ctx, e.Plan.Database, one); err != nil {
			return fmt.Errorf("preparing collection %q: %w", collection.Name, err)
		}
		if err := e.Target.Index(ctx, e.Plan.Database, one); err != nil {
			return fmt.Errorf("making the indexes of collection %q: %w", collection.Name, err)
		}
		finished.Add(1)
	}
	return nil
}

// verify compares the number of documents of every collection with what was to be loaded. All differences are reported
// together.
func (e *Engine) verify(ctx context.Context, step *reportv1.Step, finished *atomic.Int64) error {
	var differences error
	for _, collection := range e.Plan.Collections {
		found, err := e.Target.Count(ctx, e.Plan.Database, collection.Name)
		if err != nil {
			return fmt.Errorf("counting collection %q: %w", collection.Name, err)
		}
		step.Documents += found
		finished.Add(1)
		if found == collection.DocumentCount || found < collection.DocumentCount && mayShrink(collection) {
			continue
		}
		differences = errors.Join(differences, fmt.Errorf("collection %q: expected %d documents, found %d; "+
			"something else writes to database %q, or documents were lost", collection.Name, collection.DocumentCount,
			found, e.Plan.Database))
	}
	return differences
}

// mayShrink says whether the server itself removes documents of a collection: it is capped, or has a TTL index.
func mayShrink(collection planv1.Collection) bool {
	for _, index := range collection.Indexes {
		if index.ExpireAfterSeconds != nil {
			return true
		}
	}
	return collection.CappedBytes > 0 || collection.CappedDocuments > 0
}
