package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
)

// alreadyLoaded is why a step of the loading does nothing.
const alreadyLoaded = "the dataset lies there already, unmodified"

// datasetMarker keeps the mark of the dataset in its database. Pod 0 writes it; the others only read.
//
//	                Prepare            Verify          before the first step that changes documents
//	none, or any ───────────▶ Loading ────────▶ Clean ─────────────────────────────────────────────▶ Dirty
//	  Clean, of the same dataset: Prepare, Load and Index are skipped
type datasetMarker struct {
	engine   *Engine
	progress *progressNotifier
	// keeper is nil when the plan's dataset has no fingerprint, as in a plan made by hand: then nothing is marked.
	keeper loadgen.Keeper
	// database is what this run has its database by; nil without a keeper.
	database *claim
	// reused says that nothing was loaded, and state is what was read or written last; both of pod 0.
	reused bool
	state  reportv1.DatasetState
	// began is when the load of a plan with dates around that instant began, in milliseconds since 1970, or 0; of pod 0.
	began int64
}

// newDatasetMarker says how a plan's dataset is marked in a target.
func newDatasetMarker(e *Engine, progress *progressNotifier) (*datasetMarker, error) {
	m := &datasetMarker{engine: e, progress: progress}
	if e.Plan.Dataset == "" {
		return m, nil
	}
	keeper, able := e.Target.(loadgen.Keeper)
	if !able {
		return nil, fmt.Errorf("%s does not support ownership markers; refusing to drop collections", e.Target.Driver())
	}
	m.keeper, m.database = keeper, newClaim(e, keeper)
	return m, nil
}

// loaded says whether what a Load would write is in the target already, as it was loaded.
func (m *datasetMarker) loaded(ctx context.Context, load planv1.Step) (bool, error) {
	if m.keeper == nil || load.Growing() || m.engine.Plan.ReloadAlways && !m.engine.continues() {
		return false, nil
	}
	found, err := m.read(ctx)
	return err == nil && (m.isClean(found) || m.whole(found)), err
}

func (m *datasetMarker) isClean(found *reportv1.DatasetMark) bool {
	return found != nil && found.State == reportv1.DatasetClean && found.Fingerprint == m.engine.Plan.Dataset
}

func (m *datasetMarker) read(ctx context.Context) (*reportv1.DatasetMark, error) {
	found, err := m.keeper.Mark(ctx, m.engine.Plan.Database)
	if err != nil {
		return nil, fmt.Errorf("reading the mark of database %q: %w", m.engine.Plan.Database, err)
	}
	return found, nil
}

// write writes the mark, and tells it.
func (m *datasetMarker) write(ctx context.Context, state reportv1.DatasetState) error {
	if m.keeper == nil {
		return nil
	}
	mark := reportv1.DatasetMark{Fingerprint: m.engine.Plan.Dataset, State: state, LoadBegan: m.began}
	if err := m.keeper.SetMark(ctx, m.engine.Plan.Database, mark); err != nil {
		return fmt.Errorf("marking the dataset in database %q as %s: %w", m.engine.Plan.Database, state, err)
	}
	m.state = state
	m.progress.tellDataset(mark, m.reused)
	return nil
}

// claim makes sure that the database may be written, before anything in it is dropped, and marks it. Afterwards reused
// says whether there is anything to do.
func (m *datasetMarker) claim(ctx context.Context) error {
	if m.keeper == nil {
		return nil
	}
	found, err := m.take(ctx)
	if err != nil || m.reused {
		return err
	}
	if m.engine.Resume && found != nil &&
		(found.State != reportv1.DatasetLoading || found.Fingerprint != m.engine.Plan.Dataset) {
		return fmt.Errorf("database %q holds no interrupted load of this dataset that could be resumed: its mark is %s, of "+
			"dataset %.12s, and this is %.12s; run without --resume", m.engine.Plan.Database, found.State, found.Fingerprint,
			m.engine.Plan.Dataset)
	}
	if !m.engine.Resume {
		// Before the mark says that a load is under way, which could be resumed from there.
		if err := m.forget(ctx); err != nil {
			return err
		}
	}
	m.begin(found)
	return m.write(ctx, reportv1.DatasetLoading)
}

// take has the database for this run, alone unless nothing is to be loaded and the run shares it, and returns its mark.
func (m *datasetMarker) take(ctx context.Context) (*reportv1.DatasetMark, error) {
	// To a database that is not ours nothing is written, and so no claim.
	found, err := m.ours(ctx)
	if err != nil {
		return nil, err
	}
	for _, join := range []bool{true, false} {
		if err := m.database.take(ctx, join); err != nil {
			return nil, m.unclaimed(found, err)
		}
		// Whoever had it before may have changed it.
		if found, err = m.ours(ctx); err != nil {
			return nil, err
		}
		if m.reuse(found); m.reused {
			return found, m.share(ctx)
		}
		if !m.database.shared() {
			break
		}
	}
	return found, nil
}

// ours returns the mark of the database, and an error if it holds what no load generator wrote.
func (m *datasetMarker) ours(ctx context.Context) (*reportv1.DatasetMark, error) {
	found, err := m.read(ctx)
	if err == nil && found == nil {
		err = m.refuseForeign(ctx)
	}
	return found, err
}

// unclaimed says what follows from a database that this run does not have. If it could not write its claim, and has
// nothing else to write, it measures all the same: it may lack the right, or read from a secondary.
func (m *datasetMarker) unclaimed(found *reportv1.DatasetMark, err error) error {
	if !errors.Is(err, errUnclaimed) || slices.ContainsFunc(m.engine.Plan.Steps, operation.ChangesData) {
		return err
	}
	if m.reuse(found); !m.reused {
		return err
	}
	m.engine.Log.Warn("Other runs are not kept from loading into the database meanwhile", "error", err)
	return nil
}

// begin fixes the instant at which the load begins, or began when this one goes on with it.
func (m *datasetMarker) begin(found *reportv1.DatasetMark) {
	switch {
	case !m.engine.Plan.DatedFromLoad():
	case m.engine.Resume && found != nil && found.LoadBegan > 0:
		m.began = found.LoadBegan
	default:
		m.began = time.Now().UnixMilli()
	}
}

// loadBegan is when the load of a plan with dates around that instant began, by the mark: for every pod the same.
func (m *datasetMarker) loadBegan(ctx context.Context) (time.Time, error) {
	if m.keeper == nil {
		return time.Time{}, errors.New("dates with minOffsetSeconds need a plan with the fingerprint of its dataset")
	}
	found, err := m.read(ctx)
	if err != nil {
		return time.Time{}, err
	}
	if found == nil || found.LoadBegan == 0 || found.Fingerprint != m.engine.Plan.Dataset {
		return time.Time{}, fmt.Errorf("the mark of database %q does not say when the load of this dataset began; "+
			"something else writes to the database", m.engine.Plan.Database)
	}
	return time.UnixMilli(found.LoadBegan), nil
}

// reuse sees whether nothing is to be loaded.
func (m *datasetMarker) reuse(found *reportv1.DatasetMark) {
	if !m.whole(found) && (!m.isClean(found) || m.engine.Plan.ReloadAlways) {
		return
	}
	m.reused, m.state, m.began = true, found.State, found.LoadBegan
	// What the pod that this one replaces had loaded was not there before the run.
	m.progress.tellDataset(*found, !m.engine.continues() || m.engine.Replaces.Reused)
}

// forget removes what is known of how far a load has come: another one begins, or all of it is there.
func (m *datasetMarker) forget(ctx context.Context) error {
	keeper, able := m.keeper.(loadgen.Checkpointer)
	if !able {
		return nil
	}
	if err := keeper.ClearCheckpoints(ctx, m.engine.Plan.Database); err != nil {
		return fmt.Errorf("removing the checkpoints of a load from database %q: %w", m.engine.Plan.Database, err)
	}
	return nil
}

// share lets other runs in, if this one shares its database.
func (m *datasetMarker) share(ctx context.Context) error {
	if m.database == nil {
		return nil
	}
	return m.database.share(ctx)
}

// release gives the database back.
func (m *datasetMarker) release(ctx context.Context) {
	if m.database != nil {
		m.database.release(ctx)
	}
}

// refuseForeign is the error of a database that holds what no load generator wrote.
func (m *datasetMarker) refuseForeign(ctx context.Context) error {
	if m.engine.AllowExisting {
		return nil
	}
	held, err := m.keeper.Holds(ctx, m.engine.Plan.Database)
	if err != nil {
		return fmt.Errorf("listing the collections of database %q: %w", m.engine.Plan.Database, err)
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
		m.engine.Plan.Database, named)
}

// beforeChange marks the dataset as dirty before the first step that changes it. Pod 0 does it before it says that it
// is ready, so that no pod has begun.
func (m *datasetMarker) beforeChange(ctx context.Context, planned planv1.Step) error {
	if m.engine.Pod > 0 || !operation.ChangesData(planned) || m.state == reportv1.DatasetDirty {
		return nil
	}
	return m.write(ctx, reportv1.DatasetDirty)
}

// skip ends a step of the loading at once.
func skip(step *reportv1.Step) {
	step.Skipped, step.End = alreadyLoaded, time.Now()
}
