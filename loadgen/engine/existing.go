package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/records"
)

// existingWith says whether the plan is about an existing dataset, and makes sure that it may do what it does, whoever
// made it.
func existingWith(plan planv1.Plan) (bool, error) {
	if plan.Existing == nil {
		return false, nil
	}
	for _, step := range plan.Steps {
		switch {
		case step.Kind != planv1.StepSurvey && step.Kind != planv1.StepMeasure:
			return true, fmt.Errorf("step %q is of kind %s, and the plan is of an existing dataset, of which nothing is made",
				step.Name, step.Kind)
		case !plan.Existing.Writable && operation.ChangesData(step):
			return true, fmt.Errorf("step %q changes documents or indexes of an existing dataset, and the plan does not allow "+
				"that", step.Name)
		}
	}
	return true, nil
}

// findKeys reads what the plan's keys draw from in collections that the run does not load. Every pod reads them, and
// finds the same.
func findKeys(ctx context.Context, e *Engine) ([]*records.Table, error) {
	existing, err := existingWith(e.Plan)
	if !existing || err != nil {
		return nil, err
	}
	fields := e.Plan.SampledFields()
	finder, able := e.Target.(loadgen.KeyFinder)
	if len(fields) > 0 && !able {
		return nil, fmt.Errorf("the keys of an existing dataset cannot be read by %s", e.Target.Driver())
	}
	var found []*records.Table
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		e.Log.Info("The keys of a collection are read", "collection", name, "most", e.Plan.Existing.SampledKeys)
		keys := records.NewTable(name, fields[name])
		query := loadgen.KeyQuery{
			Database: e.Plan.Database, Collection: name, Fields: fields[name], Most: e.Plan.Existing.SampledKeys,
		}
		err := finder.FindKeys(ctx, query, keys.Add)
		if errors.Is(err, records.ErrTooMuch) {
			err = fmt.Errorf("%w; lower existing.sampledKeys", err)
		}
		if err == nil && keys.Documents() == 0 {
			err = errNothingThere(e.Plan.Database)
		}
		if err != nil {
			return nil, fmt.Errorf("collection %q: %w", name, err)
		}
		found = append(found, keys)
	}
	return found, nil
}

func errNothingThere(database string) error {
	return fmt.Errorf("it is empty, or there is none in database %q, and the dataset is to exist: check "+
		"spec.dataset.database and the name, which heed upper and lower case", database)
}

// survey looks at collections that the run does not load: how many documents each has, and what they take.
func survey(ctx context.Context, o *onceStep, step *reportv1.Step) error {
	p := o.pod
	if err := p.mark.takeExisting(ctx); err != nil {
		return err
	}
	o.total.Store(int64(len(p.Plan.Collections)) + 1)
	for _, collection := range p.Plan.Collections {
		found, err := p.countExisting(ctx, collection)
		if err != nil {
			return fmt.Errorf("collection %q: %w", collection.Name, err)
		}
		step.Documents += found
		o.finished.Add(1)
	}
	if sizer, able := p.Target.(loadgen.Sizer); able {
		sizes, err := sizer.Sizes(ctx, p.Plan.Database, p.Plan.Collections)
		if err != nil {
			// A user that may read documents may be kept from their sizes.
			p.Log.Warn("The sizes of the collections are not known", "error", err)
		}
		step.Sizes = sizes
	}
	return nil
}

// countExisting is how many documents a collection has that the run does not load. What the server remembers does where
// it is enough: to ask for it reads nothing, and leaves the cache as it is. After an unclean stop it may be wrong.
func (p *pod) countExisting(ctx context.Context, collection planv1.Collection) (found int64, err error) {
	if estimator, able := p.Target.(loadgen.Estimator); able {
		found, err = estimator.Estimate(ctx, p.Plan.Database, collection.Name)
	}
	if err == nil && found < max(1, collection.DocumentCount) {
		found, err = p.Target.Count(ctx, p.Plan.Database, collection.Name)
	}
	switch {
	case err != nil:
		return 0, err
	case found == 0:
		return 0, errNothingThere(p.Plan.Database)
	case found < collection.DocumentCount:
		return 0, fmt.Errorf("it holds %d documents, and documentCount says that %d are there", found,
			collection.DocumentCount)
	}
	return found, nil
}

// takeExisting sees to it that no other run is at work in the database, and has it alone where this one may write.
// Where it only reads, nothing of its own is left there.
func (m *datasetMarker) takeExisting(ctx context.Context) error {
	if m.keeper == nil {
		return nil
	}
	found, err := m.read(ctx)
	if err != nil {
		return err
	}
	if found != nil {
		m.state = found.State
	} else {
		// Nobody finds a mark, and none is written: it would say that a run has made the database.
		m.state = reportv1.DatasetDirty
	}
	if m.engine.Plan.Existing.Writable {
		return m.database.take(ctx, false)
	}
	return m.database.await(ctx)
}
