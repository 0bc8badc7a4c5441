package engine

import (
	"context"
	"fmt"
	"slices"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/verify"
)

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
	sizer, able := p.Target.(loadgen.Sizer)
	if !able {
		return checkSizer(p.Plan, p.Target)
	}
	if step.Sizes, err = sizer.Sizes(ctx, p.Plan.Database, p.Plan.Collections); err != nil {
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
