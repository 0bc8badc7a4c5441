package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
)

// Store is what is known of runs and suites at present. It serves any number of goroutines.
type Store struct {
	lock    sync.Mutex
	objects map[cluster.Kind]map[client.ObjectKey]client.Object
	// trouble is why a kind is not known as it is now.
	trouble map[cluster.Kind]string
	// next is closed with the next change.
	next chan struct{}
}

// NewStore makes one that knows nothing.
func NewStore() *Store {
	return &Store{
		objects: map[cluster.Kind]map[client.ObjectKey]client.Object{cluster.Run: {}, cluster.Suite: {}},
		trouble: map[cluster.Kind]string{}, next: make(chan struct{}),
	}
}

// change changes the objects of a kind, and tells everyone who waits.
func (s *Store) change(kind cluster.Kind, act func(objects map[client.ObjectKey]client.Object)) {
	s.lock.Lock()
	defer s.lock.Unlock()
	act(s.objects[kind])
	close(s.next)
	s.next = make(chan struct{})
}

// replace sets all objects of a kind, which is then known.
func (s *Store) replace(kind cluster.Kind, all []client.Object) {
	s.change(kind, func(objects map[client.ObjectKey]client.Object) {
		clear(objects)
		for _, object := range all {
			objects[client.ObjectKeyFromObject(object)] = object
		}
		delete(s.trouble, kind)
	})
}

// fail notes why a kind is not known; what was known of it stays.
func (s *Store) fail(kind cluster.Kind, err error) {
	s.change(kind, func(map[client.ObjectKey]client.Object) { s.trouble[kind] = err.Error() })
}

// changed is what is closed with the next change.
func (s *Store) changed() <-chan struct{} {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.next
}

// now is what is known, the youngest first, and why that may be old. The objects are not changed any more.
func (s *Store) now() (
	runs []*benchv1alpha1.BenchmarkRun, suites []*benchv1alpha1.BenchmarkSuite, trouble []string,
) {
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, kind := range watched {
		if why := s.trouble[kind]; why != "" {
			trouble = append(trouble, why)
		}
	}
	return sorted[*benchv1alpha1.BenchmarkRun](s.objects[cluster.Run]),
		sorted[*benchv1alpha1.BenchmarkSuite](s.objects[cluster.Suite]), trouble
}

func sorted[T client.Object](objects map[client.ObjectKey]client.Object) []T {
	all := make([]T, 0, len(objects))
	for _, object := range objects {
		if one, ok := object.(T); ok {
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b T) int {
		return cmp.Or(b.GetCreationTimestamp().Compare(a.GetCreationTimestamp().Time),
			cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
	})
	return all
}

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
		// One that only came to its end is taken up again without a word.
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
		case isObject && change.Type != watch.Bookmark:
			w.Store.change(kind, func(objects map[client.ObjectKey]client.Object) {
				key := client.ObjectKeyFromObject(object)
				if objects[key] = object; change.Type == watch.Deleted {
					delete(objects, key)
				}
			})
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
	w.Store.replace(kind, cluster.Items(found))
	return found.GetResourceVersion(), nil
}
