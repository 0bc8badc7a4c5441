package engine

import (
	"context"
	"errors"
	"fmt"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
)

// A load pod that takes the place of one that was lost follows the plan from its first step. Gates that have opened let
// it through, what was acknowledged is not sent again, and what was made is made again, which changes nothing:
//
//	the lost pod   Prepare ── Load, to 40 % ✕
//	this pod                    Prepare ── Load, from 40 % ── Index ── Verify ── Measure
//	the others     Prepare ── Load ─────── wait at the gate ┘
//
// Once anything is measured it is too late: what the others measured meanwhile was not the load that was asked for.

// ErrTooLate is the error of a load pod that takes the place of one that was lost after the loading.
var ErrTooLate = errors.New("the load pod that this one replaces was lost when the measuring had begun; a " +
	"measurement does not go on: create another BenchmarkRun")

// replace prepares the engine to take the place of a pod that was lost. It refuses when that is too late.
func (e *Engine) replace(ctx context.Context) error {
	last := e.Replaces
	if last == nil {
		return nil
	}
	first := e.Plan.AfterLoading()
	late := last.Step >= first
	if gate, told := e.Gate.(loadgen.OpenGate); told && e.Plan.Pods > 1 {
		// Others do not begin before all are ready.
		var err error
		if late, err = gate.Open(ctx, first); err != nil {
			return fmt.Errorf("finding out whether the measuring has begun: %w", err)
		}
	}
	if late {
		return ErrTooLate
	}
	// Pod 0 that was lost before it had claimed the database begins like a first one: so far nothing was loaded, and the
	// database may hold something else.
	e.Resume = e.Pod > 0 || last.Dataset != nil
	return nil
}

// continues says whether this pod takes the place of one that had begun to load.
func (e *Engine) continues() bool { return e.Replaces != nil && e.Resume }

// whole says whether a mark tells a pod that continues a load that all of it is there. It may be dirty already: pod 0
// marks the dataset so before the first step that changes it, and only the steps before that can be continued.
func (m *datasetMarker) whole(found *reportv1.DatasetMark) bool {
	return m.engine.continues() && found != nil && found.Fingerprint == m.engine.Plan.Dataset &&
		(found.State == reportv1.DatasetClean || found.State == reportv1.DatasetDirty)
}
