package loadgen

import (
	"context"
	"fmt"
	"strings"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
)

// liesThere is why a step of the loading does nothing.
const liesThere = "the dataset lies there already, unmodified"

// marking keeps the mark of the dataset in its database. Pod 0 writes it; the others only read.
//
//	                Prepare            Verify          before the first step that changes documents
//	none, or any ───────────▶ Loading ────────▶ Clean ─────────────────────────────────────────────▶ Dirty
//	  Clean, of the same dataset: Prepare, Load and Index are skipped
type marking struct {
	// keeper is nil when the plan's dataset has no fingerprint, as in a plan made by hand: then nothing is marked.
	keeper Keeper
	// reused says that nothing was loaded, and state is what was read or written last; both of pod 0.
	reused bool
	state  reportv1.DatasetState
}

// newMarking says how a plan's dataset is marked in a target.
func newMarking(plan planv1.Plan, target Target) (*marking, error) {
	if plan.Dataset == "" {
		return &marking{}, nil
	}
	keeper, able := target.(Keeper)
	if !able {
		return nil, fmt.Errorf("%s cannot tell whose a database is, so that nothing may be dropped in it", target.Driver())
	}
	return &marking{keeper: keeper}, nil
}

// lies says whether what a Load would write is in the target as it was loaded.
func (e *Engine) lies(ctx context.Context, load planv1.Step) (bool, error) {
	if e.marking.keeper == nil || e.Plan.ReloadAlways || load.Growing() {
		return false, nil
	}
	found, err := e.readMark(ctx)
	return err == nil && e.isClean(found), err
}

func (e *Engine) isClean(found *reportv1.DatasetMark) bool {
	return found != nil && found.State == reportv1.DatasetClean && found.Fingerprint == e.Plan.Dataset
}

func (e *Engine) readMark(ctx context.Context) (*reportv1.DatasetMark, error) {
	found, err := e.marking.keeper.Mark(ctx, e.Plan.Database)
	if err != nil {
		return nil, fmt.Errorf("reading the mark of database %q: %w", e.Plan.Database, err)
	}
	return found, nil
}

// mark writes the mark, and tells it.
func (e *Engine) mark(ctx context.Context, state reportv1.DatasetState) error {
	if e.marking.keeper == nil {
		return nil
	}
	mark := reportv1.DatasetMark{Fingerprint: e.Plan.Dataset, State: state}
	if err := e.marking.keeper.SetMark(ctx, e.Plan.Database, mark); err != nil {
		return fmt.Errorf("marking the dataset in database %q as %s: %w", e.Plan.Database, state, err)
	}
	e.marking.state = state
	e.telling.tellDataset(mark, e.marking.reused)
	return nil
}

// claim makes sure that the database may be written, before anything in it is dropped, and marks it. Afterwards reused
// says whether there is anything to do.
func (e *Engine) claim(ctx context.Context) error {
	m := e.marking
	if m.keeper == nil {
		return nil
	}
	found, err := e.readMark(ctx)
	if err != nil {
		return err
	}
	if e.isClean(found) && !e.Plan.ReloadAlways {
		m.reused, m.state = true, found.State
		e.telling.tellDataset(*found, true)
		return nil
	}
	if found == nil {
		err = e.refuseForeign(ctx)
	} else if e.Resume && (found.State != reportv1.DatasetLoading || found.Fingerprint != e.Plan.Dataset) {
		err = fmt.Errorf("database %q holds no load of this dataset that could be gone on with: its mark is %s, of dataset "+
			"%.12s, and this is %.12s; run without --resume", e.Plan.Database, found.State, found.Fingerprint, e.Plan.Dataset)
	}
	if err != nil {
		return err
	}
	return e.mark(ctx, reportv1.DatasetLoading)
}

// refuseForeign is the error of a database that holds what no load generator wrote.
func (e *Engine) refuseForeign(ctx context.Context) error {
	if e.AllowExisting {
		return nil
	}
	held, err := e.marking.keeper.Holds(ctx, e.Plan.Database)
	if err != nil {
		return fmt.Errorf("listing the collections of database %q: %w", e.Plan.Database, err)
	}
	if len(held) == 0 {
		return nil
	}
	const most = 5
	named := strings.Join(held[:min(len(held), most)], ", ")
	if len(held) > most {
		named += fmt.Sprintf(" and %d more", len(held)-most)
	}
	return fmt.Errorf("database %q was not made by a run, and holds collections (%s): nothing was dropped or written; "+
		"choose another spec.dataset.database, or allow it by external.allowExisting of the target or --allow-existing",
		e.Plan.Database, named)
}

// beforeChange marks the dataset as dirty before the first step that changes it. Pod 0 does it before it says that it
// is ready, so that no pod has begun.
func (e *Engine) beforeChange(ctx context.Context, planned planv1.Step) error {
	if e.Pod > 0 || !operation.ChangesData(planned) || e.marking.state == reportv1.DatasetDirty {
		return nil
	}
	return e.mark(ctx, reportv1.DatasetDirty)
}

// skip ends a step of the loading at once.
func skip(step *reportv1.Step) {
	step.Skipped, step.End = liesThere, time.Now()
}
