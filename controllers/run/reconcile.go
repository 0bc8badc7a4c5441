package run

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/claim"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/loop"
	"github.com/mongobench/mongobench-operator/controllers/internal/metrics"
	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/controllers/run/decide"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/progress"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// targetIndex finds the runs that refer to a target.
const targetIndex = "spec.targetRef.name"

// Setup adds the controller of BenchmarkRuns, which wait in a queue, to a manager. The manager's cache should hold what
// the package caching leaves.
func Setup(mgr ctrl.Manager, settings settings.Settings, claims *claim.Claims, line *queue.Queue) error {
	r := New(loop.Of(mgr, metrics.KindRun, settings, claims), line)
	indexer := mgr.GetFieldIndexer()
	err := indexer.IndexField(context.Background(), &benchv1alpha1.BenchmarkRun{}, targetIndex, referredTarget)
	if err != nil {
		return fmt.Errorf("indexing BenchmarkRuns by their target: %w", err)
	}
	if err := indexer.IndexField(context.Background(), &corev1.Pod{}, nodeIndex, nodeOf); err != nil {
		return fmt.Errorf("indexing pods by their node: %w", err)
	}
	return r.Start(ctrl.NewControllerManagedBy(mgr).
		For(&benchv1alpha1.BenchmarkRun{}, builder.WithPredicates(r.inOrder())).
		WatchesRawSource(loop.WokenBy(line, queue.KindRun)).
		Owns(&benchv1alpha1.BenchmarkTarget{}).
		Owns(&batchv1.Job{}).
		Owns(&corev1.ServiceAccount{}).
		Owns(&rbacv1.Role{}).
		Owns(&rbacv1.RoleBinding{}).
		Owns(&policyv1.PodDisruptionBudget{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Owns(&corev1.ConfigMap{}, builder.WithPredicates(predicate.Funcs{UpdateFunc: configMapMatters})).
		Watches(&corev1.Pod{}, loop.ByLabel(naming.RunLabel)).
		// That of a run which was deleted while no operator ran is found when the manager starts.
		Watches(&networkingv1.NetworkPolicy{}, handler.EnqueueRequestsFromMapFunc(runOfPartition)).
		Watches(&benchv1alpha1.BenchmarkTarget{}, handler.EnqueueRequestsFromMapFunc(r.runsOfTarget),
			builder.WithPredicates(predicate.Funcs{UpdateFunc: targetMatters})), r)
}

func referredTarget(object client.Object) []string {
	run, ok := object.(*benchv1alpha1.BenchmarkRun)
	var names []string
	if ok && run.Spec.TargetRef != nil {
		names = append(names, run.Spec.TargetRef.Name)
	}
	if ok && run.Spec.Duet != nil {
		names = append(names, run.Spec.Duet.Baseline.TargetRef.Name)
	}
	return names
}

// configMapMatters keeps the progress that 64 pods write every second from waking the controller each time.
func configMapMatters(e event.UpdateEvent) bool {
	before, isBefore := e.ObjectOld.(*corev1.ConfigMap)
	after, isAfter := e.ObjectNew.(*corev1.ConfigMap)
	if !isBefore || !isAfter {
		return true
	}
	return !sameButProgress(before.Data, after.Data) || after.DeletionTimestamp != nil
}

// sameButProgress says whether two versions of a ConfigMap's data make no difference but to the progress that people
// see, which is copied at its own pace.
func sameButProgress(before, after map[string]string) bool {
	if !reflect.DeepEqual(progress.Position(before), progress.Position(after)) {
		return false
	}
	before, after = maps.Clone(before), maps.Clone(after)
	delete(before, reportv1alpha1.ProgressKey)
	delete(after, reportv1alpha1.ProgressKey)
	return maps.Equal(before, after)
}

// targetMatters keeps what a run notes in its shared target, and who uses that, from waking all other runs of it.
func targetMatters(e event.UpdateEvent) bool {
	before, isBefore := e.ObjectOld.(*benchv1alpha1.BenchmarkTarget)
	after, isAfter := e.ObjectNew.(*benchv1alpha1.BenchmarkTarget)
	if !isBefore || !isAfter || before.ResourceVersion == after.ResourceVersion {
		return true
	}
	was, is := before.Status, after.Status
	was.Datasets, is.Datasets = nil, nil
	was.InUseBy, is.InUseBy = nil, nil
	return before.Generation != after.Generation || after.DeletionTimestamp != nil || !reflect.DeepEqual(was, is)
}

// runOfPartition goes by the name: of a policy that no run owns any more the manager holds nothing else.
func runOfPartition(_ context.Context, policy client.Object) []reconcile.Request {
	run, is := naming.RunOfPartition(policy.GetName())
	if !is {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: policy.GetNamespace(), Name: run}}}
}

func (r *Reconciler) runsOfTarget(ctx context.Context, target client.Object) []reconcile.Request {
	var runs benchv1alpha1.BenchmarkRunList
	err := r.Client.List(ctx, &runs, client.InNamespace(target.GetNamespace()),
		client.MatchingFields{targetIndex: target.GetName()})
	if err != nil { // The cache answers, and it holds runs: there is nothing that could fail but the end of the manager.
		return nil
	}
	requests := make([]reconcile.Request, 0, len(runs.Items))
	for i := range runs.Items {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&runs.Items[i])})
	}
	return requests
}

// Reconcile takes one run a step further.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	return loop.Loop[decide.Observation, decide.Decision]{
		Observe: r.observe, Decide: decide.Decide, Apply: r.apply, Report: r.report,
	}.Reconcile(ctx, request)
}

func (r *Reconciler) report(
	ctx context.Context, o *decide.Observation, decision decide.Decision,
) (time.Duration, error) {
	after := o.Run.DeepCopy()
	after.Status = decision.Status
	err := loop.Report(ctx, r.Cluster, o.Run, after, r.tell)
	if apierrors.IsInvalid(err) {
		after.Status = decide.Plain(o, decision.Status, err)
		return decision.Wait, loop.Report(ctx, r.Cluster, o.Run, after, r.tell)
	}
	return decision.Wait, err
}

// tell says what changed in a status, and logs and counts the stages that ended, and the end.
func (r *Reconciler) tell(ctx context.Context, before, after *benchv1alpha1.BenchmarkRun) {
	r.Tell(after, before.Status.Conditions, after.Status.Conditions)
	was := condition.Reason(before.Status.Conditions, benchv1alpha1.RunProgressing)
	is := condition.Reason(after.Status.Conditions, benchv1alpha1.RunProgressing)
	if was == is {
		return
	}
	outcome := condition.Reason(after.Status.Conditions, benchv1alpha1.RunSucceeded)
	logf.FromContext(ctx).Info("stage changed", "from", was, "to", is, "succeeded", outcome)
	for _, stage := range after.Status.Stages {
		if stage.Name == was && stage.CompletionTime != nil {
			metrics.StageEnded(metrics.KindRun, was, stage.CompletionTime.Sub(stage.StartTime.Time))
		}
	}
	if is == benchv1alpha1.ReasonFinished {
		metrics.Ended(metrics.KindRun, outcome)
	}
}
