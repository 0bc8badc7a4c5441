package suite

import (
	"context"
	"errors"
	"fmt"
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
	"github.com/mongobench/mongobench-operator/controllers/suite/decide"
)

// What the controller reads and writes of its own kind, and of what it makes.
//
// +kubebuilder:rbac:groups=mongobench.dev,resources=benchmarksuites,verbs=get;list;watch
// +kubebuilder:rbac:groups=mongobench.dev,resources=benchmarksuites/status,verbs=update
// +kubebuilder:rbac:groups=mongobench.dev,resources=benchmarkruns;benchmarktargets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Reconciler brings BenchmarkSuites to their verdict. It may be thrown away and made anew at any time.
type Reconciler struct {
	// Client reads, from the manager's cache, and writes.
	Client client.Client
	// Live reads from the API server what the cache does not hold: stored results.
	Live client.Reader
	// Recorder tells people what changed.
	Recorder events.EventRecorder
	// Now is the clock.
	Now func() time.Time

	plans plans
}

const (
	// conflictPause gives the cache the time to learn of the change that was in conflict.
	conflictPause = 100 * time.Millisecond
	// goingPause is how long the garbage collector is given before it is asked again.
	goingPause = 2 * time.Second
	// faultPause is how often something is tried that people have to mend.
	faultPause = time.Minute
)

// Reconcile takes one suite a step further.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	observed, err := r.observe(ctx, request.NamespacedName)
	if errors.Is(err, errGoing) {
		return ctrl.Result{RequeueAfter: goingPause}, nil
	}
	if err != nil || observed == nil {
		return ctrl.Result{}, err
	}
	decision := decide.Decide(*observed)
	trouble := r.apply(ctx, observed.Suite, decision)
	switch {
	case errors.Is(trouble, errGoing):
		decision.Wait, trouble = goingPause, nil
	case errors.Is(trouble, errRefused) || errors.Is(trouble, apply.ErrForeign):
		logf.FromContext(ctx).Info("refused", "cause", trouble.Error())
		decision.Status, decision.Wait = decide.Refused(observed, trouble), faultPause
		trouble = nil
	case trouble != nil && !apierrors.IsConflict(trouble):
		decision.Status = decide.Troubled(observed, decision, trouble)
	}
	err = errors.Join(trouble, r.report(ctx, observed.Suite, decision.Status))
	if apierrors.IsConflict(err) { // Something was observed too late; what changed it wakes us.
		logf.FromContext(ctx).V(1).Info("looking again at what changed meanwhile", "conflict", err.Error())
		return ctrl.Result{RequeueAfter: conflictPause}, nil
	}
	if err != nil { // The queue says when an error is tried again.
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: decision.Wait}, nil
}

// apply makes the cluster hold what is desired. Runs are made last: what they refer to is there then.
func (r *Reconciler) apply(ctx context.Context, owner *benchv1alpha1.BenchmarkSuite, decision decide.Decision) error {
	applier := apply.Applier{Client: r.Client, Live: r.Live}
	result, err := applier.Apply(ctx, owner, decision.Desired, decision.Observed)
	metrics.ObjectsWritten(metrics.KindSuite, result.Written+result.Deleted)
	if err != nil {
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

// report writes the status when it changed, and then tells how.
func (r *Reconciler) report(
	ctx context.Context, suite *benchv1alpha1.BenchmarkSuite, status benchv1alpha1.BenchmarkSuiteStatus,
) error {
	after := suite.DeepCopy()
	after.Status = status
	written, err := apply.Status(ctx, r.Client, suite, after)
	if err != nil || !written {
		return client.IgnoreNotFound(err)
	}
	metrics.StatusWritten(metrics.KindSuite)
	event.Record(r.Recorder, after, suite.Status.Conditions, status.Conditions)
	was := condition.Find(suite.Status.Conditions, benchv1alpha1.SuiteComplete)
	is := condition.Find(status.Conditions, benchv1alpha1.SuiteComplete)
	if is != nil && (was == nil || was.Reason != is.Reason) {
		logf.FromContext(ctx).Info("suite changed", "revision", status.Revision, "complete", is.Status, "reason", is.Reason,
			"regressed", condition.Reason(status.Conditions, benchv1alpha1.SuiteRegressed))
		if condition.IsTrue(status.Conditions, benchv1alpha1.SuiteComplete) {
			metrics.Ended(metrics.KindSuite, is.Reason)
		}
	}
	return nil
}
