package suite_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
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

// census watches the runs of a namespace, and ends each of them a moment after it was made.
type census struct {
	sync.Mutex
	// uids of every run that there ever was, by name.
	uids map[string]map[types.UID]bool
	// most that were active at once.
	most int
}

// play goes on until the context is done.
func (c *census) play(ctx context.Context, namespace string) {
	for ctx.Err() == nil {
		var list benchv1alpha1.BenchmarkRunList
		if err := environment.Client.List(ctx, &list, client.InNamespace(namespace)); err != nil {
			continue
		}
		var active []*benchv1alpha1.BenchmarkRun
		c.Lock()
		for i := range list.Items {
			run := &list.Items[i]
			if c.uids[run.Name] == nil {
				c.uids[run.Name] = map[types.UID]bool{}
			}
			c.uids[run.Name][run.UID] = true
			verdict := condition.Find(run.Status.Conditions, benchv1alpha1.RunSucceeded)
			if verdict == nil || verdict.Status == metav1.ConditionUnknown {
				active = append(active, run)
			}
		}
		c.most = max(c.most, len(active))
		c.Unlock()
		for _, run := range active { // A conflict is tried again in the next round.
			_ = end(ctx, run, time.Now(), slower(run, int64(len(c.uids))))
		}
	}
}

// TestAManagerThatIsKilledLosesAndDoublesNothing has real managers, with their caches and watches, take a suite to its
// verdict; each is killed after a random time, and the next takes over.
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
	ctx, cancel := context.WithCancel(t.Context())
	counted := &census{uids: map[string]map[types.UID]bool{}}
	var players sync.WaitGroup
	players.Go(func() { counted.play(ctx, namespace) })
	defer func() { cancel(); players.Wait() }()

	kills := 0
	random := rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano())))
	found := &benchv1alpha1.BenchmarkSuite{}
	isComplete := func() bool {
		err := environment.Client.Get(t.Context(), client.ObjectKeyFromObject(made), found)
		return err == nil && condition.IsTrue(found.Status.Conditions, benchv1alpha1.SuiteComplete)
	}
	for deadline := time.Now().Add(wakeTime); !isComplete() && time.Now().Before(deadline); kills++ {
		stop := startManager(t, namespace)
		timer := time.NewTimer(time.Duration(50+random.IntN(400)) * time.Millisecond)
		<-timer.C
		stop()
	}
	startManager(t, namespace)
	g.Eventually(isComplete, wakeTime, "50ms").Should(gomega.BeTrue())
	t.Logf("%d managers were killed", kills)

	counted.Lock()
	defer counted.Unlock()
	if len(counted.uids) != 10 || counted.most > 1 {
		t.Errorf("there were %d runs, up to %d at once", len(counted.uids), counted.most)
	}
	for name, uids := range counted.uids {
		if len(uids) != 1 {
			t.Errorf("%s was made %d times", name, len(uids))
		}
	}
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
