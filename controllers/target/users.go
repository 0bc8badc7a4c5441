package target

import (
	"context"
	"fmt"
	"slices"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// userIndex finds the runs that use a target.
const userIndex = "target-in-use"

// usedTarget are the names of the targets that a run uses: one, or both of a duet; none while it uses none.
func usedTarget(object client.Object) []string {
	run, is := object.(*benchv1alpha1.BenchmarkRun)
	if !is || !condition.Holds(run) {
		return nil
	}
	used := []string{naming.InlineTarget(run.Name)}
	if run.Spec.TargetRef != nil {
		used[0] = run.Spec.TargetRef.Name
	}
	if run.Spec.Duet != nil {
		used = append(used, run.Spec.Duet.Baseline.TargetRef.Name)
	}
	return used
}

// indexUsers has the manager's cache find the runs that use a target.
func indexUsers(mgr ctrl.Manager) error {
	err := mgr.GetFieldIndexer().IndexField(context.Background(), &benchv1alpha1.BenchmarkRun{}, userIndex, usedTarget)
	if err != nil {
		return fmt.Errorf("indexing BenchmarkRuns by the target that they use: %w", err)
	}
	return nil
}

// wakeUsed wakes the target that a run begins or ceases to use.
func wakeUsed() handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(_ context.Context, run client.Object) []reconcile.Request {
		used := usedTarget(run)
		requests := make([]reconcile.Request, 0, len(used))
		for _, name := range used {
			requests = append(requests, reconcile.Request{
				NamespacedName: client.ObjectKey{Namespace: run.GetNamespace(), Name: name},
			})
		}
		return requests
	})
}

// useChanged keeps everything else that happens to a run from waking its target.
var useChanged = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
	return !slices.Equal(usedTarget(e.ObjectOld), usedTarget(e.ObjectNew))
}}

// observeUsers looks for the runs that use the target.
func (r *Reconciler) observeUsers(ctx context.Context, o *reading) error {
	var runs benchv1alpha1.BenchmarkRunList
	err := r.List(ctx, &runs, o.Target.Namespace, client.MatchingFields{userIndex: o.Target.Name})
	for i := range runs.Items {
		o.Users = append(o.Users, runs.Items[i].Name)
	}
	slices.Sort(o.Users)
	return err
}
