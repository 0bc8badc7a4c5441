package suite_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/caching"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/controllers/suite"
	"github.com/mongobench/mongobench-operator/internal/testing/suitetest"
	"github.com/mongobench/mongobench-operator/internal/testing/testenv"
)

// wakeTime is how long a suite may take that a manager goes through, which is killed now and then, on a
// machine that has much else to do.
const wakeTime = 5 * time.Minute

func startManager(t *testing.T, namespace string) (stop func()) {
	t.Helper()
	manager, err := ctrl.NewManager(environment.Config, ctrl.Options{
		Scheme:     environment.Scheme,
		Metrics:    server.Options{BindAddress: "0"},
		Controller: config.Controller{SkipNameValidation: new(true), UsePriorityQueue: new(false)}, // As cmd/manager does.
		Cache: cache.Options{
			DefaultNamespaces:           map[string]cache.Config{namespace: {}},
			ReaderFailOnMissingInformer: true,
			DefaultTransform:            caching.Slim,
			NewInformer:                 caching.NewInformer,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := suite.Setup(manager, settings.Settings{}, nil); err != nil {
		t.Fatal(err)
	}
	return testenv.Start(t, manager)
}

// census follows the runs of a namespace, in the order in which the API server stored them, and ends each of them.
type census struct {
	// uids of every run that there ever was, by name.
	uids map[string]map[types.UID]bool
	// most that were active at once.
	most int
}

// follow looks at what a watch tells of runs and of their suite, and passes on that something has changed.
func (c *census) follow(ctx context.Context, events <-chan watch.Event, changed chan<- struct{}) {
	active := map[string]bool{}
	for event := range events {
		if run, ok := event.Object.(*benchv1alpha1.BenchmarkRun); ok {
			if c.uids[run.Name] == nil {
				c.uids[run.Name] = map[types.UID]bool{}
			}
			c.uids[run.Name][run.UID] = true
			delete(active, run.Name)
			if event.Type != watch.Deleted && !condition.Ended(run) {
				active[run.Name] = true
				c.most = max(c.most, len(active))
				// What a conflict refuses is tried with the next version.
				_ = end(ctx, run, time.Now(), slower(run, int64(len(c.uids))))
			}
		}
		changed <- struct{}{}
	}
}

// check wants each of so many runs to have been made once, and after the one before it had ended.
func (c *census) check(t *testing.T, want int) {
	t.Helper()
	if len(c.uids) != want || c.most > 1 {
		t.Errorf("there were %d runs, up to %d at once; want %d, one by one", len(c.uids), c.most, want)
	}
	for name, uids := range c.uids {
		if len(uids) != 1 {
			t.Errorf("%s was made %d times", name, len(uids))
		}
	}
}

// killManagers starts one manager after the other, each of which ends a random time after something has changed.
func killManagers(t *testing.T, namespace string, changed <-chan struct{}, isOver func() bool) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano())))
	kills := 0
	for ; !isOver(); kills++ {
		stop := startManager(t, namespace)
		select {
		case <-changed:
		case <-time.After(wakeTime):
			t.Fatalf("after %d managers nothing changes any more", kills)
		}
		timer := time.NewTimer(time.Duration(random.IntN(300)) * time.Millisecond)
		<-timer.C
		stop()
	}
	t.Logf("%d managers were killed", kills)
}

// TestAManagerThatIsKilledLosesAndDoublesNothing has real managers, with their caches and watches, take a suite to its
// verdict; each is killed a random time after something has changed, and the next takes over.
func TestAManagerThatIsKilledLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	g := gomega.NewWithT(t)
	namespace := environment.Namespace(t)
	made := suitetest.Suite(namespace, "s")
	made.UID, made.Generation = "", 0
	fiveTimes(made)
	if err := environment.Client.Create(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	counted, changed := &census{uids: map[string]map[types.UID]bool{}}, make(chan struct{}, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	var followers sync.WaitGroup
	for _, list := range []client.ObjectList{&benchv1alpha1.BenchmarkRunList{}, &benchv1alpha1.BenchmarkSuiteList{}} {
		follower, err := environment.Client.Watch(ctx, list, client.InNamespace(namespace))
		if err != nil {
			t.Fatal(err)
		}
		followers.Go(func() { counted.follow(ctx, follower.ResultChan(), changed) })
	}
	finish := sync.OnceFunc(func() { cancel(); followers.Wait() })
	defer finish()

	found := &benchv1alpha1.BenchmarkSuite{}
	isComplete := func() bool {
		err := environment.Client.Get(t.Context(), client.ObjectKeyFromObject(made), found)
		return err == nil && condition.IsTrue(found.Status.Conditions, benchv1alpha1.SuiteComplete)
	}
	killManagers(t, namespace, changed, isComplete)
	startManager(t, namespace)
	g.Eventually(isComplete, wakeTime, "50ms").Should(gomega.BeTrue())

	finish()
	counted.check(t, 10)
	if *found.Status.Runs.Succeeded != 10 || !condition.IsTrue(found.Status.Conditions, benchv1alpha1.SuiteRegressed) {
		t.Errorf("status %+v", found.Status)
	}
}

// TestManagerIsWokenByWhatChanges has one manager, which is only woken by watches.
func TestManagerIsWokenByWhatChanges(t *testing.T) {
	t.Parallel()
	g := gomega.NewWithT(t)
	p := newPlay(t)
	startManager(t, p.namespace)
	only := func() string {
		if active := p.active(); len(active) == 1 {
			return active[0].Name
		}
		return ""
	}
	g.Eventually(only, wakeTime, "50ms").ShouldNot(gomega.BeEmpty())
	first := only()
	p.remove(p.active()[0])
	g.Eventually(func() bool { return only() == first }, wakeTime, "50ms").Should(gomega.BeTrue())
	p.edit(func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Suspend = new(true) })
	g.Eventually(func() bool {
		active := p.active()
		return len(active) == 1 && active[0].Spec.Suspend != nil
	}, wakeTime, "50ms").Should(gomega.BeTrue())
	p.edit(func(s *benchv1alpha1.BenchmarkSuite) { s.Spec.Suspend = nil })
	for range 4 {
		g.Eventually(only, wakeTime, "50ms").ShouldNot(gomega.BeEmpty())
		p.end(p.active()[0], 10_000)
	}
	g.Eventually(func() string { return p.condition(benchv1alpha1.SuiteComplete) }, wakeTime, "50ms").
		Should(gomega.Equal("True AllSucceeded"))
}
