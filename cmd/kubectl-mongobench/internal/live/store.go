package live

import (
	"cmp"
	"slices"
	"sync"

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
	waiting map[chan struct{}]bool
}

// NewStore makes one that knows nothing.
func NewStore() *Store {
	return &Store{
		objects: map[cluster.Kind]map[client.ObjectKey]client.Object{}, trouble: map[cluster.Kind]string{},
		waiting: map[chan struct{}]bool{},
	}
}

// changed tells everybody who waits; the lock is held.
func (s *Store) changed() {
	for waiter := range s.waiting {
		select {
		case waiter <- struct{}{}:
		default: // It has not looked since the last change.
		}
	}
}

// replace sets all objects of a kind.
func (s *Store) replace(kind cluster.Kind, objects []client.Object) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.objects[kind] = map[client.ObjectKey]client.Object{}
	for _, object := range objects {
		s.objects[kind][client.ObjectKeyFromObject(object)] = object
	}
	delete(s.trouble, kind)
	s.changed()
}

func (s *Store) set(kind cluster.Kind, object client.Object) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.objects[kind][client.ObjectKeyFromObject(object)] = object
	s.changed()
}

func (s *Store) remove(kind cluster.Kind, object client.Object) {
	s.lock.Lock()
	defer s.lock.Unlock()
	delete(s.objects[kind], client.ObjectKeyFromObject(object))
	s.changed()
}

// fail notes why a kind is not known; what was known of it stays.
func (s *Store) fail(kind cluster.Kind, err error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.trouble[kind] = err.Error()
	s.changed()
}

// wait returns what is written to after every change, and what ends that.
func (s *Store) wait() (changes <-chan struct{}, end func()) {
	waiter := make(chan struct{}, 1)
	s.lock.Lock()
	defer s.lock.Unlock()
	s.waiting[waiter] = true
	return waiter, func() {
		s.lock.Lock()
		defer s.lock.Unlock()
		delete(s.waiting, waiter)
	}
}

// state is a view of a Store. Its objects are not changed any more.
type state struct {
	runs   []*benchv1alpha1.BenchmarkRun
	suites []*benchv1alpha1.BenchmarkSuite
	// trouble is why what is shown may be old.
	trouble []string
}

// now is what is known, the youngest first.
func (s *Store) now() state {
	s.lock.Lock()
	defer s.lock.Unlock()
	var found state
	for _, object := range sorted(s.objects[cluster.Run]) {
		if run, ok := object.(*benchv1alpha1.BenchmarkRun); ok {
			found.runs = append(found.runs, run)
		}
	}
	for _, object := range sorted(s.objects[cluster.Suite]) {
		if suite, ok := object.(*benchv1alpha1.BenchmarkSuite); ok {
			found.suites = append(found.suites, suite)
		}
	}
	for _, kind := range []cluster.Kind{cluster.Run, cluster.Suite} {
		if why := s.trouble[kind]; why != "" {
			found.trouble = append(found.trouble, why)
		}
	}
	return found
}

func sorted(objects map[client.ObjectKey]client.Object) []client.Object {
	all := make([]client.Object, 0, len(objects))
	for _, object := range objects {
		all = append(all, object)
	}
	slices.SortFunc(all, func(a, b client.Object) int {
		return cmp.Or(b.GetCreationTimestamp().Compare(a.GetCreationTimestamp().Time),
			cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
	})
	return all
}
