package run

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/apply"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/loop"
	"github.com/mongobench/mongobench-operator/controllers/internal/metrics"
	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/controllers/run/decide"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/act"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// targetIndex finds the runs that refer to a target.
const targetIndex = "spec.targetRef.name"

// Setup adds the controller of BenchmarkRuns to a manager. The manager's cache should hold ConfigMaps through
// StripReports.
func Setup(mgr ctrl.Manager, settings settings.Settings) error {
	r := &Reconciler{Cluster: loop.Of(mgr, settings)}
	indexer := mgr.GetFieldIndexer()
	err := indexer.IndexField(context.Background(), &benchv1alpha1.BenchmarkRun{}, targetIndex, referredTarget)
	if err != nil {
		return fmt.Errorf("indexing BenchmarkRuns by their target: %w", err)
	}
	return r.Start(metrics.KindRun, ctrl.NewControllerManagedBy(mgr).
		For(&benchv1alpha1.BenchmarkRun{}, builder.WithPredicates(r.inOrder())).
		WatchesRawSource(source.Func(r.wakeWith)).
		Owns(&benchv1alpha1.BenchmarkTarget{}).
		Owns(&batchv1.Job{}).
		Owns(&corev1.ServiceAccount{}).
		Owns(&rbacv1.Role{}).
		Owns(&rbacv1.RoleBinding{}).
		Owns(&networkingv1.NetworkPolicy{}).
		Owns(&corev1.ConfigMap{}, builder.WithPredicates(predicate.Funcs{UpdateFunc: configMapMatters})).
		Watches(&corev1.Pod{}, loop.ByLabel(naming.RunLabel)).
		Watches(&benchv1alpha1.BenchmarkTarget{}, handler.EnqueueRequestsFromMapFunc(r.runsOfTarget),
			builder.WithPredicates(predicate.Funcs{UpdateFunc: targetMatters})), r)
}

// tellPosition is how much later a run is told that it has moved in the queue, up to twice that, since several move at
// once: whose turn it is comes first.
const tellPosition = time.Second

// wakeWith has the queue wake runs whose turn or position has changed.
func (r *Reconciler) wakeWith(_ context.Context, work workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	r.queue.WakeWith(func(name types.NamespacedName, admitted bool) {
		if request := (reconcile.Request{NamespacedName: name}); admitted {
			work.Add(request)
		} else {
			work.AddAfter(request, wait.Jitter(tellPosition, 1))
		}
	})
	return nil
}

func referredTarget(object client.Object) []string {
	run, ok := object.(*benchv1alpha1.BenchmarkRun)
	if !ok || run.Spec.TargetRef == nil {
		return nil
	}
	return []string{run.Spec.TargetRef.Name}
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

// targetMatters keeps what a run notes in its shared target from waking all other runs of that target.
func targetMatters(e event.UpdateEvent) bool {
	before, isBefore := e.ObjectOld.(*benchv1alpha1.BenchmarkTarget)
	after, isAfter := e.ObjectNew.(*benchv1alpha1.BenchmarkTarget)
	if !isBefore || !isAfter || before.ResourceVersion == after.ResourceVersion {
		return true
	}
	was, is := before.Status, after.Status
	was.Datasets, is.Datasets = nil, nil
	return before.Generation != after.Generation || after.DeletionTimestamp != nil || !reflect.DeepEqual(was, is)
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

// What the controller reads and writes of its own kind, of targets and the pods of their members, and of what it makes.
// It must hold the rights that it gives to load pods, which are get and patch on ConfigMaps.
//
// +kubebuilder:rbac:groups=mongobench.dev,resources=benchmarkruns,verbs=get;list;watch
// +kubebuilder:rbac:groups=mongobench.dev,resources=benchmarkruns/status,verbs=update
// +kubebuilder:rbac:groups=mongobench.dev,resources=benchmarktargets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=mongobench.dev,resources=benchmarktargets/status,verbs=update
// +kubebuilder:rbac:groups="",resources=configmaps;serviceaccounts,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch;patch;delete
// +kubebuilder:rbac:groups="",resources=events,verbs=list
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create;delete
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=roles;rolebindings,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=networking.k8s.io,resources=networkpolicies,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Reconciler brings BenchmarkRuns to their end. It may be thrown away and replaced at any time, with a new queue.
type Reconciler struct {
	loop.Cluster

	// queue says whose turn it is.
	queue queue.Queue
	// seeding is held while the queue is told of all runs.
	seeding sync.Mutex
}

// Reconcile takes one run a step further.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	return loop.Loop[*benchv1alpha1.BenchmarkRun, decide.Observation, decide.Decision]{
		Cluster: r.Cluster,
		Kind:    metrics.KindRun,
		Observe: r.observe,
		Decide:  decide.Decide,
		Apply:   r.apply,
		Object:  func(o *decide.Observation) *benchv1alpha1.BenchmarkRun { return o.Run },
		Outcome: func(run *benchv1alpha1.BenchmarkRun, decision decide.Decision) time.Duration {
			run.Status = decision.Status
			return decision.Wait
		},
		Conditions: func(run *benchv1alpha1.BenchmarkRun) []metav1.Condition { return run.Status.Conditions },
		Changed:    tellStages,
	}.Reconcile(ctx, request)
}

// apply makes the cluster hold what is desired, and removes what the run controls and no longer needs. What is known of
// datasets is written before anything is removed that it could be learned from again.
func (r *Reconciler) apply(ctx context.Context, o *decide.Observation, decision *decide.Decision) error {
	err := r.noteDatasets(ctx, o.Target, decision.Datasets)
	if apierrors.IsConflict(err) { // A verdict would have the next pass remove what the load pods say.
		decision.Status = o.Run.Status
		return err
	}
	if err == nil && !decision.Leave {
		err = r.Write(ctx, metrics.KindRun, o.Run, decision.Desired, o.Owned)
	}
	if err == nil {
		err = r.changeMembers(ctx, decision.Changes)
	}
	if err != nil && !apierrors.IsConflict(err) {
		decision.Status = decide.Troubled(o.Run, decision.Status, err)
	}
	return err
}

// noteDatasets writes what is known of datasets into the status of a shared target, which is otherwise the target
// controller's.
func (r *Reconciler) noteDatasets(
	ctx context.Context, target *benchv1alpha1.BenchmarkTarget, datasets []benchv1alpha1.DatasetStatus,
) error {
	if datasets == nil {
		return nil
	}
	after := target.DeepCopy()
	after.Status.Datasets = datasets
	_, err := apply.Status(ctx, r.Client, target, after)
	return client.IgnoreNotFound(err)
}

// tellStages logs and counts the stages that ended, and the end.
func tellStages(ctx context.Context, before, after *benchv1alpha1.BenchmarkRun) {
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

// partitionOwner is the field manager of the label that cuts a member off, and of nothing else: what it applies without
// the label takes it away.
const partitionOwner = client.FieldOwner("mongobench-operator-partition")

// changeMembers does to pods what actions ask for. Each change is of the very pod that was observed.
func (r *Reconciler) changeMembers(ctx context.Context, changes []act.Change) error {
	var failures []error
	for _, change := range changes {
		do := r.label
		if change.Delete {
			do = r.delete
		}
		if err := client.IgnoreNotFound(do(ctx, change)); err != nil {
			failures = append(failures, fmt.Errorf("pod %s: %w", change.Pod.Name, err))
			continue
		}
		metrics.ObjectsWritten(metrics.KindRun, 1)
	}
	return errors.Join(failures...)
}

func (r *Reconciler) delete(ctx context.Context, change act.Change) error {
	return r.Client.Delete(ctx, change.Pod, client.Preconditions{UID: &change.Pod.UID})
}

func (r *Reconciler) label(ctx context.Context, change act.Change) error {
	pod := &unstructured.Unstructured{}
	pod.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	pod.SetNamespace(change.Pod.Namespace)
	pod.SetName(change.Pod.Name)
	pod.SetUID(change.Pod.UID)
	if change.Partition != "" {
		pod.SetLabels(map[string]string{naming.PartitionedLabel: change.Partition})
	}
	return r.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(pod), partitionOwner)
}

// healAfter ends the partitions of a run that is gone.
func (r *Reconciler) healAfter(ctx context.Context, run types.NamespacedName) error {
	var pods corev1.PodList
	if err := r.List(ctx, &pods, run.Namespace, client.MatchingLabels{naming.PartitionedLabel: run.Name}); err != nil {
		return err
	}
	changes := make([]act.Change, 0, len(pods.Items))
	for i := range pods.Items {
		changes = append(changes, act.Change{Pod: &pods.Items[i]})
	}
	return r.changeMembers(ctx, changes)
}
