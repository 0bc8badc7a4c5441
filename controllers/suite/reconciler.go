package suite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/apply"
	"github.com/mongobench/mongobench-operator/controllers/internal/claim"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/loop"
	"github.com/mongobench/mongobench-operator/controllers/internal/metrics"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/controllers/suite/decide"
)

// What the controller reads and writes of its own kind, and of what it makes.
//
// +kubebuilder:rbac:groups=mongobench.dev,resources=benchmarksuites,verbs=get;list;watch
// +kubebuilder:rbac:groups=mongobench.dev,resources=benchmarksuites/status,verbs=update
// +kubebuilder:rbac:groups=mongobench.dev,resources=benchmarkruns;benchmarktargets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Reconciler brings BenchmarkSuites to their verdict. It may be thrown away and replaced at any time.
type Reconciler struct {
	loop.Cluster

	// plans of the suites that are under way.
	plans plans
}

// faultPause is how often something is tried that people have to mend.
const faultPause = time.Minute

// Reconcile takes one suite a step further.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	return loop.Loop[decide.Observation, decide.Decision]{
		Observe: r.observe, Decide: decide.Decide, Apply: r.apply, Report: r.report,
	}.Reconcile(ctx, request)
}

// apply writes what was decided. What people have to mend is told, and is no error.
func (r *Reconciler) apply(ctx context.Context, o *decide.Observation, decision *decide.Decision) error {
	err := r.write(ctx, o.Suite, decision)
	switch {
	case err == nil, apierrors.IsConflict(err), errors.Is(err, errGoing):
		return err
	case errors.Is(err, errRefused), errors.Is(err, apply.ErrForeign):
		logf.FromContext(ctx).Info("refused", "cause", err.Error())
		decision.Status, decision.Wait = decide.Refused(o, err), faultPause
		return nil
	default:
		decision.Status = decide.Troubled(o, *decision, err)
		return err
	}
}

// write makes the cluster hold what is desired. Runs are made last: what they refer to is there then.
func (r *Reconciler) write(ctx context.Context, owner *benchv1alpha1.BenchmarkSuite, decision *decide.Decision) error {
	if err := r.Write(ctx, owner, decision.Desired, decision.Observed); err != nil {
		return err
	}
	for _, change := range decision.Changes {
		if err := client.IgnoreNotFound(r.change(ctx, change)); err != nil {
			return fmt.Errorf("changing run %s: %w", change.Run.Name, err)
		}
		metrics.ObjectsWritten(metrics.KindSuite, 1)
	}
	for _, run := range decision.Create {
		if err := r.create(ctx, owner, run); err != nil {
			return fmt.Errorf("making run %s: %w", run.Name, err)
		}
	}
	return nil
}

func (r *Reconciler) report(
	ctx context.Context, o *decide.Observation, decision decide.Decision,
) (time.Duration, error) {
	after := o.Suite.DeepCopy()
	after.Status = decision.Status
	r.plans.keep(after)
	return decision.Wait, loop.Report(ctx, r.Cluster, o.Suite, after, r.tell)
}

// tell says what changed in a status, logs why a suite is not complete, or is, and counts those that are.
func (r *Reconciler) tell(ctx context.Context, before, after *benchv1alpha1.BenchmarkSuite) {
	r.Tell(after, before.Status.Conditions, after.Status.Conditions)
	was := condition.Find(before.Status.Conditions, benchv1alpha1.SuiteComplete)
	is := condition.Find(after.Status.Conditions, benchv1alpha1.SuiteComplete)
	if is == nil || was != nil && was.Reason == is.Reason {
		return
	}
	logf.FromContext(ctx).Info("suite changed", "revision", after.Status.Revision, "complete", is.Status,
		"reason", is.Reason, "regressed", condition.Reason(after.Status.Conditions, benchv1alpha1.SuiteRegressed))
	if is.Status == metav1.ConditionTrue {
		metrics.Ended(metrics.KindSuite, is.Reason)
	}
}

// ownerIndex finds the runs and targets that a suite controls, by its UID.
const ownerIndex = "metadata.controller"

// Setup adds the controller of BenchmarkSuites to a manager. The manager's cache should hold what the
// package caching leaves.
func Setup(mgr ctrl.Manager, settings settings.Settings, claims *claim.Claims) error {
	r := &Reconciler{Cluster: loop.Of(mgr, metrics.KindSuite, settings, claims)}
	for _, kind := range []client.Object{&benchv1alpha1.BenchmarkRun{}, &benchv1alpha1.BenchmarkTarget{}} {
		if err := mgr.GetFieldIndexer().IndexField(context.Background(), kind, ownerIndex, suiteOf); err != nil {
			return fmt.Errorf("indexing %T by its owner: %w", kind, err)
		}
	}
	none := func(event.UpdateEvent) bool { return false }
	return r.Start(ctrl.NewControllerManagedBy(mgr).
		For(&benchv1alpha1.BenchmarkSuite{}, builder.WithPredicates(predicate.Funcs{UpdateFunc: suiteMatters})).
		Owns(&benchv1alpha1.BenchmarkRun{}, builder.WithPredicates(predicate.Funcs{UpdateFunc: runMatters})).
		Owns(&benchv1alpha1.BenchmarkTarget{}, builder.WithPredicates(predicate.Funcs{UpdateFunc: none})).
		Owns(&corev1.ConfigMap{}, builder.WithPredicates(predicate.Funcs{UpdateFunc: none})), r)
}

// suiteOf is the UID of the suite that controls an object.
func suiteOf(object client.Object) []string {
	owner := metav1.GetControllerOf(object)
	if owner == nil || owner.Kind != "BenchmarkSuite" {
		return nil
	}
	return []string{string(owner.UID)}
}

func ownedBy(suite *benchv1alpha1.BenchmarkSuite) client.MatchingFields {
	return client.MatchingFields{ownerIndex: string(suite.UID)}
}

// suiteMatters keeps the suite's own status from waking the controller.
func suiteMatters(e event.UpdateEvent) bool {
	now := benchv1alpha1.RunNowAnnotation
	return e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() || e.ObjectNew.GetDeletionTimestamp() != nil ||
		e.ObjectOld.GetAnnotations()[now] != e.ObjectNew.GetAnnotations()[now]
}

// runMatters keeps what a run does from waking the controller, until it has ended or is to be something else.
func runMatters(e event.UpdateEvent) bool {
	before, isBefore := e.ObjectOld.(*benchv1alpha1.BenchmarkRun)
	after, isAfter := e.ObjectNew.(*benchv1alpha1.BenchmarkRun)
	repeat := benchv1alpha1.RepeatAnnotation
	if !isBefore || !isAfter || before.Generation != after.Generation ||
		before.Annotations[repeat] != after.Annotations[repeat] ||
		(before.DeletionTimestamp == nil) != (after.DeletionTimestamp == nil) {
		return true
	}
	return slices.ContainsFunc([]string{
		benchv1alpha1.RunSucceeded, benchv1alpha1.RunProgressing, benchv1alpha1.RunTrusted,
	}, func(of string) bool { return statusOf(before, of) != statusOf(after, of) })
}

// statusOf is that of a condition; empty when it is not there.
func statusOf(run *benchv1alpha1.BenchmarkRun, conditionType string) metav1.ConditionStatus {
	return ptr.Deref(condition.Find(run.Status.Conditions, conditionType), metav1.Condition{}).Status
}

// holdOwner is the field manager of what a suite does to a run once it is made, and of nothing else: what it applies
// without a field takes that field away.
const holdOwner = client.FieldOwner("mongobench-operator-suite")

// create makes a run. One that exists already is as good when it is the suite's own: the cache is behind, or another
// manager was faster.
func (r *Reconciler) create(
	ctx context.Context, owner *benchv1alpha1.BenchmarkSuite, run *benchv1alpha1.BenchmarkRun,
) error {
	if err := r.own(owner, run); err != nil {
		return err
	}
	err := r.Client.Create(ctx, run, apply.FieldOwner)
	switch {
	case err == nil:
		metrics.ObjectsWritten(metrics.KindSuite, 1)
		return nil
	case apierrors.IsAlreadyExists(err):
		return r.ours(ctx, owner, run)
	case apierrors.IsInvalid(err) || apierrors.IsBadRequest(err):
		return fmt.Errorf("%w: %w", errRefused, err)
	default:
		return err
	}
}

// errRefused is wrapped when the API server does not take a run as it is. Other refusals, such as that of a quota,
// pass.
var errRefused = errors.New("refused")

// change suspends, resumes or cancels the very run that was observed.
func (r *Reconciler) change(ctx context.Context, change decide.Change) error {
	spec, annotations := map[string]any{}, map[string]string{}
	if change.Suspend {
		spec["suspend"] = true
		annotations[decide.SuspendedAnnotation] = "true"
	}
	if change.Cancel {
		spec["cancel"] = true
		annotations[decide.CancelledAnnotation] = "true"
	}
	run := &unstructured.Unstructured{Object: map[string]any{}}
	run.SetGroupVersionKind(benchv1alpha1.GroupVersion.WithKind("BenchmarkRun"))
	run.SetNamespace(change.Run.Namespace)
	run.SetName(change.Run.Name)
	run.SetUID(change.Run.UID)
	run.SetResourceVersion(change.Version)
	if len(spec) > 0 {
		run.SetAnnotations(annotations)
		run.Object["spec"] = spec
	}
	return r.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(run), holdOwner, client.ForceOwnership)
}
