package loadgen

import (
	"context"
	"fmt"
	"slices"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
)

// checkSizer says whether a target can do the steps of a plan that take sizes.
func checkSizer(plan planv1.Plan, target Target) error {
	if _, able := target.(Sizer); able {
		return nil
	}
	for _, step := range plan.Steps {
		if step.Kind == planv1.StepSize {
			return fmt.Errorf("step %q is about the sizes of collections, which %s cannot tell", step.Name, target.Driver())
		}
	}
	return nil
}

// size counts the collection that grows, and takes what all of them take on disk.
func (e *Engine) size(ctx context.Context, o *onceStep, step *reportv1.Step) error {
	o.total.Store(2)
	growing := e.Plan.Collections[0]
	found, err := e.Target.Count(ctx, e.Plan.Database, growing.Name)
	if err != nil {
		return fmt.Errorf("counting collection %q: %w", growing.Name, err)
	}
	step.Documents = found
	o.finished.Add(1)
	if found != o.planned.Documents && e.countKnown(growing) {
		return fmt.Errorf("collection %q holds %d documents at the checkpoint of %d, and no step of the workload writes",
			growing.Name, found, o.planned.Documents)
	}
	sizer, able := e.Target.(Sizer)
	if !able {
		return checkSizer(e.Plan, e.Target)
	}
	if step.Sizes, err = sizer.Sizes(ctx, e.Plan.Database, e.Plan.Collections); err != nil {
		return fmt.Errorf("taking the sizes of the collections: %w", err)
	}
	return nil
}

// countKnown says whether a collection has what was loaded and nothing else. Where steps write, how many documents
// there are depends on how far each of them came.
func (e *Engine) countKnown(collection planv1.Collection) bool {
	writes := func(s planv1.Step) bool { return s.Kind == planv1.StepMeasure && operation.ChangesData(s) }
	return removedBy(collection) == "" && !slices.ContainsFunc(e.Plan.Steps, writes)
}
