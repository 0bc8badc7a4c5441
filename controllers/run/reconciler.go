package run

import (
	"context"
	"errors"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/apply"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/event"
	"github.com/mongobench/mongobench-operator/controllers/internal/metrics"
	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/controllers/run/decide"
)

// What the controller reads and writes of its own kind, of targets and the pods of their members, and of what it makes.
// It must hold the rights
// that it gives to load pods, which are get and patch on ConfigMaps.
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

// Reconciler brings BenchmarkRuns to their end. It may be thrown away and made anew at any time, with a new queue.
type Reconciler struct {
	// Client reads, from the manager's cache, and writes.
	Client client.Client
	// Live reads from the API server what the cache does not hold: reports, and events.
	Live client.Reader
	// Recorder tells people what changed.
	Recorder events.EventRecorder
	// Settings are what the operator was started with.
	Settings settings.Settings
	// Now is the clock.
	Now func() time.Time

	// queue says whose turn it is.
	queue queue.Queue
	// seeding is held while the queue is told of all runs.
	seeding sync.Mutex
}

// Reconcile takes one run a step further.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	observed, err := r.observe(ctx, request.NamespacedName)
	if err != nil {
		return ctrl.Result{}, err
	}
	if observed == nil {
		r.queue.Forget(request.NamespacedName)
		return ctrl.Result{}, r.healAfter(ctx, request.NamespacedName)
	}
	decision := decide.Decide(*observed)
	noted := r.noteDatasets(ctx, observed.Target, decision.Datasets)
	if apierrors.IsConflict(noted) { // It is written before anything else: in the end what the load pods say is removed.
		return ctrl.Result{RequeueAfter: conflictPause}, nil
	}
	trouble := noted
	if noted == nil { // Until then nothing is removed that it could be learned from again.
		trouble = r.apply(ctx, observed, decision)
	}
	if trouble != nil && !apierrors.IsConflict(trouble) {
		decision.Status = decide.Troubled(observed.Run, decision.Status, trouble)
	}
	err = errors.Join(trouble, r.report(ctx, observed.Run, decision.Status))
	if apierrors.IsConflict(err) { // Something was observed too late; what changed it wakes us.
		logf.FromContext(ctx).V(1).Info("looking again at what changed meanwhile", "conflict", err.Error())
		return ctrl.Result{RequeueAfter: conflictPause}, nil
	}
	if err != nil { // The queue says when an error is tried again.
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: decision.Wait}, nil
}

// conflictPause gives the cache the time to learn of the change that was in conflict.
const conflictPause = 100 * time.Millisecond

// noteDatasets writes what is known of datasets into the status of a shared target, which is the target controller's
// but for this.
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

// apply makes the cluster hold what is desired, and removes what the run controls and no longer needs.
func (r *Reconciler) apply(ctx context.Context, observed *decide.Observation, decision decide.Decision) error {
	if !decision.Leave {
		applier := apply.Applier{Client: r.Client, Live: r.Live}
		result, err := applier.Apply(ctx, observed.Run, decision.Desired, observed.Owned)
		metrics.ObjectsWritten(metrics.KindRun, result.Written+result.Deleted)
		if err != nil {
			return err
		}
	}
	return r.changeMembers(ctx, decision.Changes)
}

// report writes the status when it changed, and then tells how.
func (r *Reconciler) report(
	ctx context.Context, run *benchv1alpha1.BenchmarkRun, status benchv1alpha1.BenchmarkRunStatus,
) error {
	after := run.DeepCopy()
	after.Status = status
	written, err := apply.Status(ctx, r.Client, run, after)
	if err != nil || !written {
		return client.IgnoreNotFound(err)
	}
	metrics.StatusWritten(metrics.KindRun)
	event.Record(r.Recorder, after, run.Status.Conditions, status.Conditions)
	r.tellStages(ctx, run, status)
	return nil
}

// tellStages logs and counts the stages that ended, and the end.
func (r *Reconciler) tellStages(
	ctx context.Context, run *benchv1alpha1.BenchmarkRun, status benchv1alpha1.BenchmarkRunStatus,
) {
	was := condition.Reason(run.Status.Conditions, benchv1alpha1.RunProgressing)
	is := condition.Reason(status.Conditions, benchv1alpha1.RunProgressing)
	if was == is {
		return
	}
	outcome := condition.Reason(status.Conditions, benchv1alpha1.RunSucceeded)
	logf.FromContext(ctx).Info("stage changed", "from", was, "to", is, "succeeded", outcome)
	for _, stage := range status.Stages {
		if stage.Name == was && stage.CompletionTime != nil {
			metrics.StageEnded(metrics.KindRun, was, stage.CompletionTime.Sub(stage.StartTime.Time))
		}
	}
	if is == benchv1alpha1.ReasonFinished {
		metrics.Ended(metrics.KindRun, outcome)
	}
}
