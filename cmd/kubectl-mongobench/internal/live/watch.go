package live

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
)

// listTime bounds one answer of the API server; a watch has no bound.
const listTime = 30 * time.Second

// errEnded is a watch that the API server ended, as it does now and then.
var errEnded = errors.New("the API server ended the watch")

// Watcher keeps a Store as the API server is.
type Watcher struct {
	Client client.WithWatch
	// Namespace that is watched; all of them when it is empty.
	Namespace string
	Store     *Store
	// Pause after a watch that ended, before the next list.
	Pause time.Duration
}

// watched are the kinds that are shown.
var watched = []cluster.Kind{cluster.Run, cluster.Suite}

// List fills the Store once, and fails where Watch would try again.
func (w *Watcher) List(ctx context.Context) error {
	for _, kind := range watched {
		if _, err := w.list(ctx, kind); err != nil {
			return err
		}
	}
	return nil
}

// Watch keeps the Store until the context ends.
func (w *Watcher) Watch(ctx context.Context) {
	var watching sync.WaitGroup
	for _, kind := range watched {
		watching.Go(func() { w.keep(ctx, kind) })
	}
	watching.Wait()
}

// keep lists and watches one kind, again and again: what happens between the two is in neither but the next list.
func (w *Watcher) keep(ctx context.Context, kind cluster.Kind) {
	for {
		err := w.follow(ctx, kind)
		if ctx.Err() != nil {
			return
		}
		// One that only came to its end is taken up again before anybody has to know.
		if !errors.Is(err, errEnded) {
			w.Store.fail(kind, err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(w.Pause):
		}
	}
}

func (w *Watcher) follow(ctx context.Context, kind cluster.Kind) error {
	version, err := w.list(ctx, kind)
	if err != nil {
		return err
	}
	changes, err := w.Client.Watch(ctx, kind.List(), client.InNamespace(w.Namespace), &client.ListOptions{
		Raw: &metav1.ListOptions{ResourceVersion: version, AllowWatchBookmarks: true},
	})
	if err != nil {
		return fmt.Errorf("watching %ss: %w", kind, err)
	}
	defer changes.Stop()
	for change := range changes.ResultChan() {
		object, isObject := change.Object.(client.Object)
		switch {
		case change.Type == watch.Error:
			return fmt.Errorf("watching %ss: %w", kind, apierrors.FromObject(change.Object))
		case !isObject || change.Type == watch.Bookmark:
		case change.Type == watch.Deleted:
			w.Store.remove(kind, object)
		default:
			w.Store.set(kind, object)
		}
	}
	return errEnded
}

// list reads all objects of a kind into the Store, and returns the version of the list.
func (w *Watcher) list(ctx context.Context, kind cluster.Kind) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	found := kind.List()
	if err := w.Client.List(ctx, found, client.InNamespace(w.Namespace)); err != nil {
		return "", fmt.Errorf("listing %ss: %w", kind, err)
	}
	var objects []client.Object
	err := apimeta.EachListItem(found, func(item runtime.Object) error {
		if object, ok := item.(client.Object); ok {
			objects = append(objects, object)
		}
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("listing %ss: %w", kind, err)
	}
	w.Store.replace(kind, objects)
	return found.GetResourceVersion(), nil
}
