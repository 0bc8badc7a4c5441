package target

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/caching"
	"github.com/mongobench/mongobench-operator/controllers/internal/loop"
	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
	"github.com/mongobench/mongobench-operator/controllers/target/decide"
)

// entry is what the queue has to know of a target. Without a limit there is nothing to wait for, and one of another
// installation waits elsewhere.
func (r *Reconciler) entry(target *benchv1alpha1.BenchmarkTarget) queue.Run {
	most := r.Settings.RunsPerNodePool
	entry := queue.Run{
		Kind: queue.KindTarget, Name: client.ObjectKeyFromObject(target), UID: target.UID, Version: target.ResourceVersion,
		Created: target.CreationTimestamp.Time, Target: target.Name, Max: most, PoolMax: most,
	}
	if most == 0 {
		return entry
	}
	if entry.State = decide.Place(target); entry.State == queue.Waiting && r.Claims.Foreign(target.Namespace) {
		entry.State = queue.Out
	}
	entry.Pool, entry.Group = r.Settings.NodePool(target.Spec.Pods())
	if began := target.Status.ProvisioningStartTime; began != nil && entry.State == queue.Admitted {
		entry.Since = began.Time
	}
	return entry
}

// observeTurn asks the queue whether it is the target's turn.
func (r *Reconciler) observeTurn(ctx context.Context, s *reading) error {
	if r.Settings.RunsPerNodePool == 0 {
		s.Turn = queue.Turn{Admitted: true, AtOnce: true}
		return nil
	}
	if err := r.queue.Ready(ctx); err != nil {
		return err
	}
	s.Turn = r.queue.Ask(r.entry(s.Target))
	return nil
}

// inOrder notes targets in the queue before they are asked for, in the order in which the cache learns of them.
func (r *Reconciler) inOrder() predicate.Predicate {
	note := func(object client.Object) bool {
		if target, ok := object.(*benchv1alpha1.BenchmarkTarget); ok {
			r.queue.Note(r.entry(target))
		}
		return true
	}
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool { return note(e.Object) },
		UpdateFunc: func(e event.UpdateEvent) bool { return note(e.ObjectNew) },
	}
}

// began tells when the cache has learned that a target may be deployed, which its status alone says.
func began() predicate.Predicate {
	waits := func(object client.Object) bool {
		target, ok := object.(*benchv1alpha1.BenchmarkTarget)
		return ok && target.Status.ProvisioningStartTime == nil
	}
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool { return waits(e.ObjectOld) && !waits(e.ObjectNew) }}
}

// everyTarget reads all targets for the queue, past the cache.
func (r *Reconciler) everyTarget(ctx context.Context) ([]queue.Run, error) {
	var entries []queue.Run
	add := func(target *benchv1alpha1.BenchmarkTarget) { entries = append(entries, r.entry(target)) }
	for _, namespace := range r.Settings.Watched() {
		err := loop.Pages(ctx, r.Live, &benchv1alpha1.BenchmarkTargetList{}, add,
			client.InNamespace(namespace), client.Limit(caching.LargeKinds))
		if err != nil {
			return nil, fmt.Errorf("reading all targets for the queue: %w", err)
		}
	}
	return entries, nil
}
