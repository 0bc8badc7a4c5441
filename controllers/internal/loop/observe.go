package loop

import (
	"context"
	"fmt"
	"reflect"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
)

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
