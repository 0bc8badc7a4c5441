package target

import (
	"context"
	"errors"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/apply"
	"github.com/mongobench/mongobench-operator/controllers/internal/claim"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/loop"
	"github.com/mongobench/mongobench-operator/controllers/internal/metrics"
	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/controllers/target/decide"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// Reconciler brings one BenchmarkTarget to what it declares.
type Reconciler struct {
	loop.Cluster

	// queue says whose turn it is, also of runs.
	queue *queue.Queue
}

// New makes a reconciler whose targets wait in a queue.
func New(cluster loop.Cluster, line *queue.Queue) *Reconciler {
	r := &Reconciler{Cluster: cluster, queue: line}
	line.From(r.everyTarget)
	return r
}

// What the controller may do, for whoever writes the operator's role:
//
// +kubebuilder:rbac:groups=mongobench.dev,resources=benchmarktargets,verbs=get;list;watch
// +kubebuilder:rbac:groups=mongobench.dev,resources=benchmarkruns,verbs=list;watch
// +kubebuilder:rbac:groups=mongobench.dev,resources=benchmarktargets/status,verbs=update
// +kubebuilder:rbac:groups=mongobench.dev,resources=benchmarktargets/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;create;patch
// +kubebuilder:rbac:groups="",resources=configmaps;services;serviceaccounts,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=apps,resources=statefulsets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create;delete
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=roles;rolebindings,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=networking.k8s.io,resources=networkpolicies,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=cert-manager.io,resources=certificates,verbs=get;create;patch;delete
// +kubebuilder:rbac:groups=cert-manager.io,resources=certificaterequests,verbs=list
// +kubebuilder:rbac:groups="",resources=persistentvolumeclaims,verbs=get;patch
// +kubebuilder:rbac:groups=mongodbcommunity.mongodb.com,resources=mongodbcommunity,verbs=get;create;patch;delete
// +kubebuilder:rbac:groups="",resources=pods,verbs=list;watch
// +kubebuilder:rbac:groups="",resources=nodes,verbs=list
// +kubebuilder:rbac:groups="",resources=events,verbs=list
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Setup adds the controller, whose targets wait in a queue, to a manager.
func Setup(mgr ctrl.Manager, operator settings.Settings, claims *claim.Claims, line *queue.Queue) error {
	return New(loop.Of(mgr, metrics.KindTarget, operator, claims), line).SetupWithManager(mgr)
}

// SetupWithManager watches targets and what they own.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	if err := indexUsers(mgr); err != nil {
		return err
	}
	return r.Start(ctrl.NewControllerManagedBy(mgr).
		For(&benchv1alpha1.BenchmarkTarget{}, builder.WithPredicates(
			r.inOrder(), predicate.Or(predicate.GenerationChangedPredicate{}, began()))).
		WatchesRawSource(loop.WokenBy(r.queue, queue.KindTarget)).
		Owns(&appsv1.StatefulSet{}).
		Owns(&batchv1.Job{}).
		Owns(&corev1.ConfigMap{}).
		Owns(&corev1.Service{}).
		Owns(&corev1.ServiceAccount{}).
		Owns(&rbacv1.Role{}).
		Owns(&rbacv1.RoleBinding{}).
		Watches(&benchv1alpha1.BenchmarkRun{}, wakeUsed(), builder.WithPredicates(useChanged)).
		// Its own, and those by which runs cut members off.
		Watches(&networkingv1.NetworkPolicy{}, loop.ByLabel(naming.TargetLabel)).
		Watches(&corev1.Pod{}, loop.ByLabel(naming.TargetLabel)), r)
}

// Reconcile takes one target a step further.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	return loop.Loop[reading, decide.Decision]{
		Observe: r.observe,
		Decide:  func(read reading) decide.Decision { return decide.Decide(read.Observation) },
		Apply:   r.apply,
		Report:  r.report,
	}.Reconcile(ctx, request)
}

// apply makes the cluster hold what is desired. What was refused the user has to know and to mend: it is decided again,
// since the decision knows for how long.
func (r *Reconciler) apply(ctx context.Context, read *reading, decision *decide.Decision) error {
	if decision.Trouble != nil {
		return decision.Trouble
	}
	target := read.Target
	err := r.Write(ctx, target, decision.Desired, read.owned)
	for _, made := range read.foreign {
		err = errors.Join(err, r.adopt(ctx, target, made))
	}
	fault, refused := apply.Fault(err)
	if !refused {
		return err
	}
	log.FromContext(ctx).Info("objects were refused", "cause", fault.Message)
	read.ApplyFault = fault
	*decision = decide.Decide(read.Observation)
	return decision.Trouble
}

func (r *Reconciler) report(ctx context.Context, read *reading, decision decide.Decision) (time.Duration, error) {
	after := read.Target.DeepCopy()
	after.Status = decision.Status
	return decision.Wait, loop.Report(ctx, r.Cluster, read.Target, after, r.tell)
}

// tell says what changed in a status, counts targets that became ready or stalled, and logs what changed their
// readiness.
func (r *Reconciler) tell(ctx context.Context, from, to *benchv1alpha1.BenchmarkTarget) {
	before, after := from.Status, to.Status
	r.Tell(to, before.Conditions, after.Conditions)
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
