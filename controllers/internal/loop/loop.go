package loop

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mongobench/mongobench-operator/controllers/internal/apply"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/internal/event"
	"github.com/mongobench/mongobench-operator/controllers/internal/metrics"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// Loop reconciles the objects of one kind.
type Loop[Object client.Object, Observation, Decision any] struct {
	Cluster
	// Kind is the one of package metrics.
	Kind string
	// Observe reads an object and everything that a decision about it rests on. It returns nil when there is nothing to
	// decide.
	Observe func(context.Context, types.NamespacedName) (*Observation, error)
	// Decide is pure.
	Decide func(Observation) Decision
	// Apply writes what was decided. When it fails it may change what is reported.
	Apply func(context.Context, *Observation, *Decision) error
	// Object of an observation.
	Object func(*Observation) Object
	// Outcome writes the new status into a copy of the object, and returns the time until it has to be looked at again
	// although nothing changed, 0 for never.
	Outcome func(Object, Decision) time.Duration
	// Conditions of an object.
	Conditions func(Object) []metav1.Condition
	// Changed logs and counts what changed in a status that was written.
	Changed func(ctx context.Context, before, after Object)
}

// conflictPause gives the cache the time to learn of the change that was in conflict.
const conflictPause = 100 * time.Millisecond

// PauseError is no fault: the object is looked at again after a while.
type PauseError struct {
	After  time.Duration
	Reason string
}

func (p PauseError) Error() string { return p.Reason }

// Reconcile takes one object a step further.
func (l Loop[Object, Observation, Decision]) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	observed, err := l.Observe(ctx, request.NamespacedName)
	if observed == nil || err != nil {
		return next(ctx, 0, err)
	}
	decision := l.Decide(*observed)
	err = l.Apply(ctx, observed, &decision)
	before := l.Object(observed)
	after, ok := before.DeepCopyObject().(Object)
	if !ok {
		return ctrl.Result{}, fmt.Errorf("%T is no object", before)
	}
	wait := l.Outcome(after, decision)
	return next(ctx, wait, errors.Join(err, l.report(ctx, before, after)))
}

// report writes the status if it changed, and then tells how.
func (l Loop[Object, Observation, Decision]) report(ctx context.Context, before, after Object) error {
	written, err := apply.Status(ctx, l.Client, before, after)
	if err != nil || !written {
		return client.IgnoreNotFound(err)
	}
	metrics.StatusWritten(l.Kind)
	event.Record(l.Recorder, after, l.Conditions(before), l.Conditions(after))
	l.Changed(ctx, before, after)
	return nil
}

// next is when to look again. An error is tried again when the controller's queue says so; after a conflict, what
// changed meanwhile wakes the controller as well.
func next(ctx context.Context, wait time.Duration, err error) (ctrl.Result, error) {
	var pause PauseError
	switch {
	case errors.As(err, &pause):
		return ctrl.Result{RequeueAfter: pause.After}, nil
	case apierrors.IsConflict(err):
		logf.FromContext(ctx).V(1).Info("looking again at what changed meanwhile", "conflict", err.Error())
		return ctrl.Result{RequeueAfter: conflictPause}, nil
	case err != nil:
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: wait}, nil
}

// A failed reconcile is repeated after firstRetry, then after ever longer times up to lastRetry, which is short beside
// every deadline.
const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 30 * time.Second
)

// Cluster is what a controller reads, writes and knows.
type Cluster struct {
	// Client reads, from the manager's cache, and writes.
	Client client.Client
	// Live reads from the API server what the cache does not hold.
	Live client.Reader
	// Recorder tells people what changed.
	Recorder events.EventRecorder
	// Settings are what the operator was started with.
	Settings settings.Settings
	// Now is the clock.
	Now func() time.Time
}

// Of is the cluster as a manager sees it.
func Of(mgr ctrl.Manager, operator settings.Settings) Cluster {
	return Cluster{
		Client:   mgr.GetClient(),
		Live:     mgr.GetAPIReader(),
		Recorder: mgr.GetEventRecorder(naming.ManagedBy),
		Settings: operator,
		Now:      time.Now,
	}
}

// Write makes the cluster hold the desired objects of an owner of a kind, and removes what was observed, is controlled
// by the owner and is not desired.
func (c Cluster) Write(
	ctx context.Context, kind string, owner client.Object, wanted, observed []desired.Object,
) error {
	result, err := apply.Applier{Client: c.Client, Live: c.Live}.Apply(ctx, owner, wanted, observed)
	metrics.ObjectsWritten(kind, result.Written+result.Deleted)
	return err
}

// Start adds a controller of a kind, with what it watches, to the builder's manager.
func (c Cluster) Start(kind string, watches *builder.Builder, reconciler reconcile.Reconciler) error {
	err := watches.WithOptions(controller.Options{
		MaxConcurrentReconciles: c.Settings.Concurrency(),
		RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](
			firstRetry, lastRetry),
	}).Complete(reconciler)
	if err != nil {
		return fmt.Errorf("setting up the controller of %ss: %w", kind, err)
	}
	return nil
}

// Each calls observers one after the other until one fails.
func Each[Observation any](
	ctx context.Context, o Observation, observers ...func(context.Context, Observation) error,
) error {
	for _, observe := range observers {
		if err := observe(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// Get reads an object; nil when there is none.
func Get[T any, Object interface {
	*T
	client.Object
}](ctx context.Context, from client.Reader, namespace, name string) (Object, error) {
	found := Object(new(T))
	err := from.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, found)
	if err == nil {
		return found, nil
	}
	if err = client.IgnoreNotFound(err); err != nil {
		err = fmt.Errorf("reading %s %s: %w", reflect.TypeFor[T]().Name(), name, err)
	}
	return nil, err
}

// List reads, from the cache, the objects of a list's kind in a namespace.
func (c Cluster) List(
	ctx context.Context, list client.ObjectList, namespace string, options ...client.ListOption,
) error {
	if err := c.Client.List(ctx, list, append(options, client.InNamespace(namespace))...); err != nil {
		return fmt.Errorf("listing %T: %w", list, err)
	}
	return nil
}

// Pages calls a function with each object of a list's kind, read past the cache piece by piece, so that they are never
// all in memory. The options say how large a piece is.
func (c Cluster) Pages(
	ctx context.Context, kind client.ObjectList, each func(runtime.Object) error, options ...client.ListOption,
) error {
	for more := ""; ; {
		page, _ := kind.DeepCopyObject().(client.ObjectList)
		if err := c.Live.List(ctx, page, slices.Concat(options, []client.ListOption{client.Continue(more)})...); err != nil {
			return err
		}
		if err := apimeta.EachListItem(page, each); err != nil {
			return err
		}
		if more = page.GetContinue(); more == "" {
			return nil
		}
	}
}

// Owned calls a function with each object of these kinds that has the labels and is controlled by this very owner: an
// earlier one of the same name may have left things of its own.
func (c Cluster) Owned(
	ctx context.Context, owner client.Object, labels client.MatchingLabels, take func(desired.Object),
	kinds ...client.ObjectList,
) error {
	for _, list := range kinds {
		if err := c.List(ctx, list, owner.GetNamespace(), labels); err != nil {
			return err
		}
		err := apimeta.EachListItem(list, func(item runtime.Object) error {
			if object, ok := item.(desired.Object); ok && metav1.IsControlledBy(object, owner) {
				take(object)
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("reading %T: %w", list, err)
		}
	}
	return nil
}

// ByLabel wakes the object that a label names: a pod's owner is a StatefulSet or a Job.
func ByLabel(label string) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(_ context.Context, object client.Object) []reconcile.Request {
		name := object.GetLabels()[label]
		if name == "" {
			return nil
		}
		return []reconcile.Request{{NamespacedName: client.ObjectKey{Namespace: object.GetNamespace(), Name: name}}}
	})
}
