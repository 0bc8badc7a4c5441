package suite_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/loop"
	"github.com/mongobench/mongobench-operator/controllers/suite"
	suiteplan "github.com/mongobench/mongobench-operator/internal/suite"
	"github.com/mongobench/mongobench-operator/internal/testing/suitetest"
	"github.com/mongobench/mongobench-operator/internal/testing/testenv"
)

// play is a suite on a real API server, on which the test plays the controller of runs, and reconciles by hand: nothing
// happens between two lines of a test.
type play struct {
	t         *testing.T
	namespace string
	name      types.NamespacedName
	now       time.Time
	recorder  *events.FakeRecorder
	// writes is what the controller wrote.
	writes testenv.Writes
	// hidden are runs that the cache does not show yet.
	hidden map[string]bool
}

func newPlay(t *testing.T, change ...func(*benchv1alpha1.BenchmarkSuite)) *play {
	t.Helper()
	p := &play{t: t, namespace: environment.Namespace(t), now: time.Now().Truncate(time.Second)}
	p.recorder = events.NewFakeRecorder(1000)
	p.name = types.NamespacedName{Namespace: p.namespace, Name: "s"}
	made := suitetest.Suite(p.namespace, "s")
	for _, c := range change {
		c(made)
	}
	made.UID, made.Generation = "", 0
	p.must(environment.Client.Create(t.Context(), made))
	return p
}

func (p *play) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// list does what the cache does: it knows who controls what, and may be behind.
func (p *play) list(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
	var options client.ListOptions
	options.ApplyOptions(opts)
	selector := options.FieldSelector
	options.FieldSelector = nil
	if err := c.List(ctx, list, &options); err != nil || selector == nil {
		return err
	}
	uid := selector.Requirements()[0].Value
	var kept []runtime.Object
	err := apimeta.EachListItem(list, func(item runtime.Object) error {
		object, ok := item.(client.Object)
		owner := metav1.GetControllerOf(object)
		if ok && owner != nil && string(owner.UID) == uid && !p.hidden[object.GetName()] {
			kept = append(kept, item)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return apimeta.SetList(list, kept)
}

// reconcile reconciles once, as a manager that has just been started.
func (p *play) reconcile() (ctrl.Result, error) {
	p.t.Helper()
	cached := interceptor.NewClient(environment.Client, interceptor.Funcs{List: p.list})
	reconciler := &suite.Reconciler{Cluster: loop.Cluster{
		Client: p.writes.Through(cached), Live: environment.Client, Recorder: p.recorder,
		Now: func() time.Time { return p.now },
	}}
	return reconciler.Reconcile(p.t.Context(), ctrl.Request{NamespacedName: p.name})
}

// settle reconciles until nothing is written any more.
func (p *play) settle() ctrl.Result {
	p.t.Helper()
	return p.writes.Settle(p.t, p.reconcile)
}

// idle settles, and then wants many reconciles to write nothing.
func (p *play) idle() {
	p.t.Helper()
	p.writes.Idle(p.t, p.reconcile)
}

func (p *play) suite() *benchv1alpha1.BenchmarkSuite {
	p.t.Helper()
	found := &benchv1alpha1.BenchmarkSuite{}
	p.must(environment.Client.Get(p.t.Context(), p.name, found))
	return found
}

// edit changes the specification, as whoever owns it in Git.
func (p *play) edit(change func(*benchv1alpha1.BenchmarkSuite)) {
	p.t.Helper()
	p.must(retry.RetryOnConflict(retry.DefaultRetry, func() error {
		found := p.suite()
		change(found)
		return environment.Client.Update(p.t.Context(), found)
	}))
}

// runs by name.
func (p *play) runs() map[string]*benchv1alpha1.BenchmarkRun {
	p.t.Helper()
	var list benchv1alpha1.BenchmarkRunList
	p.must(environment.Client.List(p.t.Context(), &list, client.InNamespace(p.namespace)))
	runs := map[string]*benchv1alpha1.BenchmarkRun{}
	for i := range list.Items {
		runs[list.Items[i].Name] = &list.Items[i]
	}
	return runs
}

// active are the runs that have not ended.
func (p *play) active() []*benchv1alpha1.BenchmarkRun {
	p.t.Helper()
	runs := p.runs()
	var active []*benchv1alpha1.BenchmarkRun
	for _, name := range slices.Sorted(maps.Keys(runs)) {
		c := condition.Find(runs[name].Status.Conditions, benchv1alpha1.RunSucceeded)
		if c == nil || c.Status == metav1.ConditionUnknown {
			active = append(active, runs[name])
		}
	}
	return active
}

// end plays the controller of runs. A throughput of 0 is a failure.
func (p *play) end(run *benchv1alpha1.BenchmarkRun, operationsPerSecond int64) {
	p.t.Helper()
	p.now = p.now.Add(time.Minute)
	p.must(client.IgnoreNotFound(retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if err := environment.Client.Get(p.t.Context(), client.ObjectKeyFromObject(run), run); err != nil {
			return err
		}
		return end(p.t.Context(), run, p.now, operationsPerSecond)
	})))
}

func end(ctx context.Context, run *benchv1alpha1.BenchmarkRun, at time.Time, operationsPerSecond int64) error {
	switch {
	case run.Spec.Cancel != nil && *run.Spec.Cancel:
		run.Status = suitetest.Failed(at, benchv1alpha1.ReasonCancelled)
	case operationsPerSecond == 0:
		run.Status = suitetest.Failed(at, benchv1alpha1.ReasonOOMKilled)
	default:
		run.Status = suitetest.Succeeded(run.Name, at, operationsPerSecond)
	}
	return environment.Client.Status().Update(ctx, run)
}

// toEnd plays all runs until none is made any more.
func (p *play) toEnd(throughput func(run *benchv1alpha1.BenchmarkRun, nth int64) int64) {
	p.t.Helper()
	for nth := range int64(1000) {
		p.settle()
		active := p.active()
		if len(active) == 0 {
			return
		}
		for _, run := range active {
			p.end(run, throughput(run, nth))
		}
	}
	p.t.Fatal("the suite goes on for ever")
}

func steady(_ *benchv1alpha1.BenchmarkRun, nth int64) int64 { return 10_000 + nth%7 }

func slower(run *benchv1alpha1.BenchmarkRun, nth int64) int64 {
	if run.Annotations[suiteplan.VariantAnnotation] == "many" {
		return 5_000 + nth%7
	}
	return steady(run, nth)
}

func (p *play) condition(conditionType string) string {
	p.t.Helper()
	c := condition.Find(p.suite().Status.Conditions, conditionType)
	if c == nil {
		return ""
	}
	return string(c.Status) + " " + c.Reason
}

func (p *play) message(conditionType string) string {
	p.t.Helper()
	if c := condition.Find(p.suite().Status.Conditions, conditionType); c != nil {
		return c.Message
	}
	return ""
}

func (p *play) want(conditionType, want string) {
	p.t.Helper()
	if got := p.condition(conditionType); got != want {
		p.t.Errorf("%s is %q, want %q: %s", conditionType, got, want, p.message(conditionType))
	}
}

// created are the names of the runs that the controller made, in their order.
func (p *play) created() []string {
	var names []string
	for _, write := range p.writes.Done {
		if name, ok := strings.CutPrefix(write, "create *v1alpha1.BenchmarkRun "); ok {
			names = append(names, name)
		}
	}
	return names
}

func (p *play) remove(object client.Object) {
	p.t.Helper()
	if err := environment.Client.Delete(p.t.Context(), object); err != nil && !apierrors.IsNotFound(err) {
		p.t.Fatal(err)
	}
}
