package loop

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/mongobench/mongobench-operator/controllers/internal/apply"
	"github.com/mongobench/mongobench-operator/controllers/internal/claim"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/internal/metrics"
	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// Loop takes an object of a kind a step further, in four steps.
type Loop[Observation, Decision any] struct {
	// Observe reads an object and everything that a decision about it rests on; nil when there is nothing to decide.
	Observe func(context.Context, types.NamespacedName) (*Observation, error)
	// Decide is pure.
	Decide func(Observation) Decision
	// Apply writes what was decided. When it fails it may change what is reported.
	Apply func(context.Context, *Observation, *Decision) error
	// Report writes the status, and returns the time until the object has to be looked at again although nothing changed,
	// 0 for never.
	Report func(context.Context, *Observation, Decision) (time.Duration, error)
}

// Reconcile goes through the steps. What could not be applied is reported as well.
func (l Loop[Observation, Decision]) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	observed, err := l.Observe(ctx, request.NamespacedName)
	if observed == nil || err != nil {
		return next(ctx, 0, err)
	}
	decision := l.Decide(*observed)
	err = l.Apply(ctx, observed, &decision)
	wait, unreported := l.Report(ctx, observed, decision)
	return next(ctx, wait, errors.Join(err, unreported))
}

// conflictPause gives the cache the time to learn of the change that was in conflict.
const conflictPause = 100 * time.Millisecond

// PauseError is no fault: the object is looked at again after a while.
type PauseError struct {
	After  time.Duration
	Reason string
}

func (p PauseError) Error() string { return p.Reason }

// next is when to look at an object again: after a while, 0 for never. An error is tried again when the controller's
// queue says so; after a conflict, what changed meanwhile wakes the controller as well.
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

// Cluster is what the controller of a kind reads, writes and knows.
type Cluster struct {
	// Kind is the one of package metrics.
	Kind string
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
	// Claims are the namespaces that may be changed.
	Claims *claim.Claims
}

// Of is the cluster as a manager sees it.
func Of(mgr ctrl.Manager, kind string, operator settings.Settings, claims *claim.Claims) Cluster {
	return Cluster{
		Kind:     kind,
		Client:   mgr.GetClient(),
		Live:     mgr.GetAPIReader(),
		Recorder: mgr.GetEventRecorder(naming.ManagedBy),
		Settings: operator,
		Now:      time.Now,
		Claims:   claims,
	}
}

// Claim returns nil if the namespace of an object is the installation's to work in. Otherwise the object, if there is
// one, is told, and it is looked at again later.
func (c Cluster) Claim(ctx context.Context, namespace string, object client.Object) error {
	err := c.Claims.Hold(ctx, namespace)
	held, is := claim.IsHeld(err)
	if !is {
		return err
	}
	if object != nil && c.Claims.Tells(object) {
		c.Recorder.Eventf(object, nil, corev1.EventTypeWarning, "OtherInstallation", "Reconcile", "%s", held.Error())
	}
	return PauseError{After: held.Again, Reason: held.Error()}
}

// Write makes the cluster hold the desired objects of an owner, and removes what was observed, is controlled by the
// owner and is not desired.
func (c Cluster) Write(ctx context.Context, owner client.Object, wanted, observed []desired.Object) error {
	written, err := apply.Applier{Client: c.Client, Live: c.Live}.Apply(ctx, owner, wanted, observed)
	metrics.ObjectsWritten(c.Kind, written)
	return err
}

// Report writes the status of an object if it changed, and then has a function tell how.
func Report[Object client.Object](
	ctx context.Context, c Cluster, before, after Object, tell func(ctx context.Context, before, after Object),
) error {
	written, err := apply.Status(ctx, c.Client, before, after)
	if written {
		metrics.StatusWritten(c.Kind)
		tell(ctx, before, after)
	}
	return client.IgnoreNotFound(err)
}

// maxNote is the API server's limit on an event's note, less room for a remark that it was cut.
const maxNote = 1000

// Tell tells people, in events, each change from one list of an object's conditions to another. It is called after the
// status was written, so that an event never tells of something that is not so.
func (c Cluster) Tell(object runtime.Object, before, after []metav1.Condition) {
	for _, e := range condition.Events(before, after) {
		note := e.Message
		if len(note) > maxNote {
			note = note[:maxNote] + "..."
		}
		c.Recorder.Eventf(object, nil, e.Type, e.Reason, e.Action, "%s", note)
	}
}

// Start adds the controller, with what it watches, to the builder's manager.
func (c Cluster) Start(watches *builder.Builder, reconciler reconcile.Reconciler) error {
	err := watches.WithOptions(controller.Options{
		MaxConcurrentReconciles: c.Settings.Concurrency(),
		RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](
			firstRetry, lastRetry),
	}).Complete(reconciler)
	if err != nil {
		return fmt.Errorf("setting up the controller of %ss: %w", c.Kind, err)
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

// Whole reads an object of one of the operator's kinds from the cache, or from the API server if the cache holds only a
// part of it (see the package caching); nil when there is none.
func Whole[T any, Object interface {
	*T
	client.Object
}](ctx context.Context, c Cluster, namespace, name string) (Object, error) {
	found, err := Get[T, Object](ctx, c.Client, namespace, name)
	if found == nil || err != nil || found.GetAnnotations()[naming.CutAnnotation] == "" {
		return found, err
	}
	return Get[T, Object](ctx, c.Live, namespace, name)
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

// Pages calls a function with each object of a list's kind, read from the API server piece by piece, so that they are
// never all in memory. The options say how large a piece is.
func Pages[Item any](
	ctx context.Context, live client.Reader, kind client.ObjectList, each func(*Item), options ...client.ListOption,
) error {
	for more := ""; ; {
		page, _ := kind.DeepCopyObject().(client.ObjectList)
		if err := live.List(ctx, page, slices.Concat(options, []client.ListOption{client.Continue(more)})...); err != nil {
			return err
		}
		err := apimeta.EachListItem(page, func(object runtime.Object) error {
			if item, ok := any(object).(*Item); ok {
				each(item)
			}
			return nil
		})
		if more = page.GetContinue(); err != nil || more == "" {
			return err
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

// maxFailedCreates bounds what is read of a StatefulSet or Job that fails over and over.
const maxFailedCreates = 20

// FailedCreates reads the events that say why the pods of a StatefulSet or Job could not be created, which is told
// nowhere else. They are read from the API server and never cached, and only when pods are missing.
func (c Cluster) FailedCreates(ctx context.Context, namespace string, uid types.UID) ([]corev1.Event, error) {
	var list corev1.EventList
	err := c.Live.List(ctx, &list, client.InNamespace(namespace), client.Limit(maxFailedCreates), client.MatchingFields{
		"involvedObject.uid": string(uid), "reason": "FailedCreate",
	})
	if err != nil {
		return nil, fmt.Errorf("listing events: %w", err)
	}
	return list.Items, nil
}

// tellPosition is how much later one is told that it has moved in the queue, up to twice that, since several move at
// once: whose turn it is comes first.
const tellPosition = time.Second

// WokenBy has the queue wake those of a kind whose turn or position has changed.
func WokenBy(line *queue.Queue, kind queue.Kind) source.Source {
	return source.Func(func(_ context.Context, work workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		line.WakeWith(kind, func(name types.NamespacedName, admitted bool) {
			if request := (reconcile.Request{NamespacedName: name}); admitted {
				work.Add(request)
			} else {
				work.AddAfter(request, wait.Jitter(tellPosition, 1))
			}
		})
		return nil
	})
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
