package target

import (
	"context"
	"errors"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/apply"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/event"
	"github.com/mongobench/mongobench-operator/controllers/internal/metrics"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/controllers/target/decide"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

const (
	// name of the controller, in its logs, metrics and events.
	name = "benchmarktarget"
	// firstRetry and lastRetry bound the waits between repeated errors. The last is short beside every deadline.
	firstRetry = 50 * time.Millisecond
	lastRetry  = 30 * time.Second
)

// Reconciler brings one BenchmarkTarget to what it declares.
type Reconciler struct {
	// Client reads from the cache and writes.
	Client client.Client
	// Live reads past the cache what is not cached: other people's Secrets, and events.
	Live     client.Reader
	Recorder events.EventRecorder
	Settings settings.Settings
	// Now is the clock.
	Now func() time.Time
}

// What the controller may do, for whoever writes the operator's role:
//
// +kubebuilder:rbac:groups=mongobench.dev,resources=benchmarktargets,verbs=get;list;watch
// +kubebuilder:rbac:groups=mongobench.dev,resources=benchmarktargets/status,verbs=update
// +kubebuilder:rbac:groups=mongobench.dev,resources=benchmarktargets/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch;create;delete
// +kubebuilder:rbac:groups="",resources=configmaps;services;serviceaccounts,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=apps,resources=statefulsets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create;delete
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=roles;rolebindings,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=networking.k8s.io,resources=networkpolicies,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=cert-manager.io,resources=certificates,verbs=get;create;patch;delete
// +kubebuilder:rbac:groups=mongodbcommunity.mongodb.com,resources=mongodbcommunity,verbs=get;create;patch;delete
// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=nodes,verbs=list
// +kubebuilder:rbac:groups="",resources=events,verbs=list
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Setup adds the controller to a manager.
func Setup(mgr ctrl.Manager, operator settings.Settings) error {
	r := &Reconciler{
		Client:   mgr.GetClient(),
		Live:     mgr.GetAPIReader(),
		Recorder: mgr.GetEventRecorder(naming.ManagedBy),
		Settings: operator,
		Now:      time.Now,
	}
	if err := r.SetupWithManager(mgr); err != nil {
		return fmt.Errorf("setting up the controller %s: %w", name, err)
	}
	return nil
}

// SetupWithManager watches targets and what they own.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		Named(name).
		For(&benchv1alpha1.BenchmarkTarget{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Owns(&appsv1.StatefulSet{}).
		Owns(&batchv1.Job{}).
		Owns(&corev1.ConfigMap{}).
		Owns(&corev1.Secret{}).
		Owns(&corev1.Service{}).
		Owns(&corev1.ServiceAccount{}).
		Owns(&rbacv1.Role{}).
		Owns(&rbacv1.RoleBinding{}).
		Owns(&networkingv1.NetworkPolicy{}).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(targetOfPod)).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: r.Settings.Concurrency(),
			RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](
				firstRetry, lastRetry),
		}).
		Complete(r)
}

// targetOfPod finds a pod's target by its label: its owner is a StatefulSet or a Job.
func targetOfPod(_ context.Context, pod client.Object) []reconcile.Request {
	target := pod.GetLabels()[naming.TargetLabel]
	if target == "" {
		return nil
	}
	return []reconcile.Request{{NamespacedName: client.ObjectKey{Namespace: pod.GetNamespace(), Name: target}}}
}

// Reconcile observes, decides, applies and reports.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	target := &benchv1alpha1.BenchmarkTarget{}
	if err := r.Client.Get(ctx, request.NamespacedName, target); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if target.DeletionTimestamp != nil {
		return ctrl.Result{}, nil // What it owns goes with it, by its owner references.
	}
	seen, err := r.observe(ctx, target)
	if err != nil {
		return ctrl.Result{}, err
	}
	decision, err := decide.Decide(seen.observation)
	if err != nil {
		return ctrl.Result{}, err
	}
	result, applyErr := r.applier().Apply(ctx, target, decision.Desired, seen.owned)
	applyErr = errors.Join(applyErr, r.adopt(ctx, target, seen.issued))
	metrics.ObjectsWritten(metrics.KindTarget, result.Written+result.Deleted)
	if fault, ok := apply.Fault(applyErr); ok {
		// The user has to know and to act; the decision knows until when.
		log.FromContext(ctx).Info("objects were refused", "cause", fault.Message)
		seen.observation.ApplyFault, applyErr = fault, nil
		if decision, err = decide.Decide(seen.observation); err != nil {
			return ctrl.Result{}, err
		}
	}
	err = r.report(ctx, target, decision.Status)
	if apierrors.IsConflict(err) {
		// The cache is behind the last write of the status. It will have caught up.
		return ctrl.Result{RequeueAfter: firstRetry}, nil
	}
	if err := errors.Join(err, applyErr); err != nil { // The queue says when an error is tried again.
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: decision.RequeueAfter}, nil
}

func (r *Reconciler) applier() apply.Applier {
	return apply.Applier{Client: r.Client, Live: r.Live}
}

// report writes the status, if it changed, and then tells what changed in it.
func (r *Reconciler) report(
	ctx context.Context, target *benchv1alpha1.BenchmarkTarget, status benchv1alpha1.BenchmarkTargetStatus,
) error {
	after := target.DeepCopy()
	after.Status = status
	written, err := apply.Status(ctx, r.Client, target, after)
	if err != nil || !written {
		return err
	}
	metrics.StatusWritten(metrics.KindTarget)
	event.Record(r.Recorder, target, target.Status.Conditions, status.Conditions)
	r.measure(ctx, target.Status, status)
	return nil
}

// measure counts the ends of a target's way, and logs what changed its readiness.
func (r *Reconciler) measure(ctx context.Context, before, after benchv1alpha1.BenchmarkTargetStatus) {
	reason := condition.Reason(after.Conditions, benchv1alpha1.TargetReady)
	if condition.Reason(before.Conditions, benchv1alpha1.TargetReady) == reason {
		return
	}
	log.FromContext(ctx).Info("readiness changed", "reason", reason)
	stalled := condition.IsTrue(after.Conditions, benchv1alpha1.TargetStalled)
	if ready := before.Connection == nil && after.Connection != nil; ready || stalled {
		metrics.Ended(metrics.KindTarget, reason)
		if ready {
			took := r.Now().Sub(after.ProvisioningStartTime.Time)
			metrics.StageEnded(metrics.KindTarget, benchv1alpha1.StageProvisioning, took)
		}
	}
}
