package engine

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/verify"
)

// draining waits for the unacknowledged writes of a step, and counts how many documents arrived:
//
//	warm-up ──▶ wait, count ──▶ measure window ──▶ wait, count
//
// The first wait keeps what the warm-up left in the connections out of the window, which begins afterwards; the second
// ends the time that the throughput is over, and keeps the rest out of the next step. It is nil in a step without such
// writes, and all it does is nothing then.
type draining struct {
	workers *workers
	// unacknowledged says of each operation of the mix whether it is such a write.
	unacknowledged []bool
	// before is how many documents there were in each of the collections that are counted when the window began.
	before map[string]int64
	failed error
}

// newDraining looks at the sessions, which are open.
func newDraining(w *workers) *draining {
	if len(w.all) == 0 {
		return nil
	}
	d := &draining{workers: w, unacknowledged: make([]bool, len(w.planned.Operations))}
	for _, g := range w.groups {
		if len(g.all) == 0 {
			continue
		}
		drainer, able := g.all[0].session.(loadgen.Drainer)
		if !able {
			return nil
		}
		for i, declared := range g.planned.Operations {
			takes := operation.Of(declared.Kind).Takes(operation.WriteConcern)
			d.unacknowledged[g.first+i] = takes && drainer.Unacknowledged(i)
		}
	}
	if !slices.Contains(d.unacknowledged, true) {
		return nil
	}
	return d
}

// begin ends the warm-up.
func (d *draining) begin(ctx context.Context) {
	d.wait(ctx)
	collections := d.countable()
	if len(collections) == 0 {
		return
	}
	if d.before = d.count(ctx, collections); d.before == nil {
		return
	}
	for _, worker := range d.workers.all {
		worker.inserted = make([]int64, len(worker.group.planned.Operations))
	}
}

// wait returns when the servers have taken in what every worker has sent.
func (d *draining) wait(ctx context.Context) {
	sessions := make([]loadgen.Session, len(d.workers.all))
	for i, worker := range d.workers.all {
		sessions[i] = worker.session
	}
	d.fail(drainSessions(ctx, sessions))
}

// fail remembers what went wrong first.
func (d *draining) fail(err error) {
	if d.failed == nil {
		d.failed = err
	}
}

// end waits after a window, and says so in the step.
func (d *draining) end(ctx context.Context, step *reportv1.Step) {
	if d == nil {
		return
	}
	d.wait(ctx)
	step.Drain = &reportv1.Drain{Micros: max(0, time.Since(step.End)).Microseconds()}
	for i, operation := range d.workers.planned.Operations {
		if d.unacknowledged[i] {
			step.Drain.Operations = append(step.Drain.Operations, operation.Name)
		}
	}
	d.tell(step)
}

// tell says in the step what went wrong.
func (d *draining) tell(step *reportv1.Step) {
	if d.failed != nil {
		step.Drain.Failed = measure.Brief(d.failed)
		d.workers.pod.Log.Warn("The outcome of unacknowledged writes is unknown", "step", step.Name,
			"error", step.Drain.Failed)
	}
}

// reckon compares, in a step whose operations are collected, the documents that were sent with those that have come.
func (d *draining) reckon(ctx context.Context, step *reportv1.Step) {
	if d == nil || d.before == nil || d.failed != nil {
		return
	}
	after := d.count(ctx, d.countable())
	if after == nil {
		d.tell(step)
		return
	}
	others, known := d.acknowledged(step)
	if !known {
		return
	}
	step.Drain.Counted, step.Drain.Arrived = true, -others
	for collection, before := range d.before {
		step.Drain.Arrived += after[collection] - before
	}
	for i, planned := range d.workers.planned.Operations {
		if _, counted := d.before[planned.Collection]; !counted {
			continue
		}
		for _, worker := range d.workers.all {
			if own := i - worker.group.first; own >= 0 && own < len(worker.inserted) {
				step.Drain.Sent += worker.inserted[own]
			}
		}
	}
}

// acknowledged is how many documents came into the collections that are counted by acknowledged inserts. It is not
// known when one of these failed: some of its documents may be there.
func (d *draining) acknowledged(step *reportv1.Step) (documents int64, known bool) {
	for i, operation := range step.Operations {
		planned := d.workers.planned.Operations[i]
		if _, counted := d.before[planned.Collection]; d.unacknowledged[i] || !counted || !inserts(planned) {
			continue
		}
		if operation.Errors > 0 {
			return 0, false
		}
		documents += operation.Documents
	}
	return documents, true
}

// countable are the collections in which unacknowledged documents can be counted: their number of documents changes by
// inserts alone, and only this pod changes it.
func (d *draining) countable() []string {
	planned := d.workers.planned
	// After an action another member may count, which need not have kept the same number.
	if d.workers.pod.Plan.Pods > 1 || len(planned.Actions) > 0 || planned.Search != nil {
		return nil
	}
	changing := map[string]bool{}
	for _, collection := range d.workers.pod.Plan.Collections {
		changing[collection.Name] = verify.RemovedBy(collection) != ""
	}
	for _, operation := range planned.Operations {
		for _, collection := range changed(operation) {
			if collection == "" {
				return nil
			}
			changing[collection] = true
		}
	}
	var found []string
	for i, operation := range planned.Operations {
		if d.unacknowledged[i] && inserts(operation) && !changing[operation.Collection] {
			// Several operations may share it.
			changing[operation.Collection] = true
			found = append(found, operation.Collection)
		}
	}
	return found
}

// count is how many documents the collections have now, nil when that is not known.
func (d *draining) count(ctx context.Context, collections []string) map[string]int64 {
	pod := d.workers.pod
	estimator, able := pod.Target.(loadgen.Estimator)
	if !able {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, operation.DrainGrace)
	defer cancel()
	if pod.sizer != nil {
		// The documents of a chunk on its way are counted on two shards. Who may not ask does not know.
		if moving, err := pod.sizer.Balancing(ctx); err != nil || moving {
			return nil
		}
	}
	found := make(map[string]int64, len(collections))
	for _, collection := range collections {
		number, err := estimator.Estimate(ctx, pod.Plan.Database, collection)
		if err != nil {
			d.fail(fmt.Errorf("counting the documents of collection %q: %w", collection, err))
			return nil
		}
		found[collection] = number
	}
	return found
}

// inserts says whether all that an operation does is to insert documents into its collection.
func inserts(o planv1.Operation) bool {
	return operation.Of(o.Kind).Effect == operation.Inserts
}

// changed are the collections whose number of documents an operation may change otherwise than by a plain insert; an
// empty name stands for any collection.
func changed(o planv1.Operation) []string {
	switch operation.Of(o.Kind).Effect {
	case operation.Deletes:
		return []string{o.Collection}
	case operation.ByParts:
		var all []string
		for _, request := range o.Operations {
			part := planv1.Operation{Request: request}
			if all = append(all, changed(part)...); inserts(part) {
				all = append(all, part.Collection)
			}
		}
		return all
	case operation.ByPipeline, operation.Unknown:
		if operation.Writes(o) {
			return []string{""}
		}
	case operation.Updates:
		if o.WhenMissing == benchv1alpha1.MissingInsert {
			return []string{o.Collection}
		}
	case operation.Reads, operation.Inserts, operation.Nothing:
	}
	return nil
}

// drainSessions waits until the servers have taken in what these sessions sent without asking for a reply.
func drainSessions(ctx context.Context, sessions []loadgen.Session) error {
	ctx, cancel := context.WithTimeoutCause(ctx, operation.DrainGrace,
		fmt.Errorf("the servers had not taken in within %s what was sent to them", operation.DrainGrace))
	defer cancel()
	failures := make([]error, len(sessions))
	var waiting sync.WaitGroup
	for i, session := range sessions {
		if drainer, able := session.(loadgen.Drainer); able {
			waiting.Go(func() { failures[i] = drainer.Drain(ctx) })
		}
	}
	waiting.Wait()
	failures = slices.DeleteFunc(failures, func(err error) bool { return err == nil })
	if len(failures) == 0 {
		return nil
	}
	return fmt.Errorf("waiting for unacknowledged writes failed on %d of %d connections: %w",
		len(failures), len(sessions), failures[0])
}
