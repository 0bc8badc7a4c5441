package run

import (
	"context"
	"fmt"
	"path"

	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/caching"
	"github.com/mongobench/mongobench-operator/controllers/internal/loop"
	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
	"github.com/mongobench/mongobench-operator/controllers/run/decide"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/admit"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// observeTurn asks the queue whether it is the run's turn.
func (r *Reconciler) observeTurn(ctx context.Context, o *decide.Observation) error {
	if err := r.queue.Ready(ctx); err != nil {
		return err
	}
	entry := r.entry(o.Run, o.Target)
	if entry.State != queue.Admitted && admit.Waits(o.Run) && !r.Claims.Foreign(o.Run.Namespace) {
		entry.State = queue.Waiting
		if !o.Quota.Admitted() {
			entry.State = queue.Out
		}
	}
	o.Turn = r.queue.Ask(entry)
	return nil
}

// entry is what the queue has to know of a run. One of another installation holds its place, and waits elsewhere.
// Without its target, which may be nil, the run is in the pool of all
// nodes.
func (r *Reconciler) entry(run *benchv1alpha1.BenchmarkRun, target *benchv1alpha1.BenchmarkTarget) queue.Run {
	entry := queue.Run{
		Name: client.ObjectKeyFromObject(run), UID: run.UID, Version: run.ResourceVersion,
		Created: run.CreationTimestamp.Time, Since: admit.Since(run), Target: decide.TargetName(run),
		Baseline: decide.BaselineName(run),
		Max:      r.Settings.RunsPerNodePool, PoolMax: r.Settings.RunsPerNodePool,
	}
	entry.Pool, entry.Group = r.Settings.NodePool(pods(run, target))
	switch {
	case admit.Holds(run):
		entry.State = queue.Admitted
	case admit.Waits(run) && !admit.AsksFirst(run) && !r.Claims.Foreign(run.Namespace):
		entry.State = queue.Waiting
	}
	concurrency := ptr.Deref(run.Spec.Concurrency, benchv1alpha1.Concurrency{})
	if concurrency.Group != nil {
		entry.Group, entry.Max, entry.Named = fmt.Sprintf("group %q", *concurrency.Group), 1, true
	}
	entry.Locks, entry.Shares = locks(run), spec.SharesDatabase(run.Spec)
	if concurrency.Max != nil {
		entry.Max = int(*concurrency.Max)
	}
	return entry
}

// locks are the databases that a run measures in, of targets that others may refer to.
func locks(run *benchv1alpha1.BenchmarkRun) []string {
	lock := func(target string, dataset benchv1alpha1.Dataset) string {
		return path.Join(run.Namespace, target, spec.Database(dataset))
	}
	var all []string
	if ref := run.Spec.TargetRef; ref != nil {
		all = append(all, lock(ref.Name, run.Spec.Dataset))
	}
	if name := decide.BaselineName(run); name != "" {
		// What cannot be read is not accepted either, and has no place.
		if side, err := spec.Baseline(run.Spec); err == nil {
			all = append(all, lock(name, side.Dataset))
		}
	}
	return all
}

// pods are the settings of the members of a run's target, as they are declared.
func pods(run *benchv1alpha1.BenchmarkRun, target *benchv1alpha1.BenchmarkTarget) *benchv1alpha1.PodSettings {
	switch {
	case run.Spec.Target != nil:
		return run.Spec.Target.Pods()
	case target != nil:
		return target.Spec.Pods()
	}
	return nil
}

// inOrder notes runs in the queue before they are asked for, in the order in which the cache learns of them: workers
// that take up two new runs at once do not decide which of them comes first. Those of which the target tells the
// group get in line when they ask: the cache cannot be read from where it tells of news.
func (r *Reconciler) inOrder() predicate.Predicate {
	note := func(object client.Object) bool {
		if run, ok := object.(*benchv1alpha1.BenchmarkRun); ok && !poolOfTarget(run) {
			r.queue.Note(r.entry(run, nil))
		}
		return true
	}
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool { return note(e.Object) },
		UpdateFunc: func(e event.UpdateEvent) bool { return note(e.ObjectNew) },
	}
}

// poolOfTarget says whether the group of a run is known only with the target that it refers to.
func poolOfTarget(run *benchv1alpha1.BenchmarkRun) bool {
	named := run.Spec.Concurrency != nil && run.Spec.Concurrency.Group != nil
	return run.Spec.TargetRef != nil && !named
}

// referred is the target whose pool a run is in, as the cache has it; nil when there is none.
func (r *Reconciler) referred(ctx context.Context, run *benchv1alpha1.BenchmarkRun) *benchv1alpha1.BenchmarkTarget {
	if run.Spec.TargetRef == nil {
		return nil
	}
	target, _ := loop.Get[benchv1alpha1.BenchmarkTarget](ctx, r.Client, run.Namespace, run.Spec.TargetRef.Name)
	return target
}

// everyRun reads all runs for the queue, past the cache, which may be behind what another manager has written.
func (r *Reconciler) everyRun(ctx context.Context) ([]queue.Run, error) {
	var entries []queue.Run
	add := func(run *benchv1alpha1.BenchmarkRun) {
		entries = append(entries, r.entry(run, r.referred(ctx, run)))
	}
	for _, namespace := range r.Settings.Watched() {
		err := loop.Pages(ctx, r.Live, &benchv1alpha1.BenchmarkRunList{}, add,
			client.InNamespace(namespace), client.Limit(caching.LargeKinds))
		if err != nil {
			return nil, fmt.Errorf("reading all runs for the queue: %w", err)
		}
	}
	return entries, nil
}
