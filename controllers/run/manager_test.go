package run_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/caching"
	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/controllers/run"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
	"github.com/mongobench/mongobench-operator/internal/testing/testenv"
)

// wakeTime is how long a change may take to be answered by a manager that is only woken by watches, on a machine that
// has much else to do. The deadlines that would wake it too are longer.
const wakeTime = 4 * time.Minute

func startManager(t *testing.T, namespace string) (stop func()) {
	t.Helper()
	manager, err := ctrl.NewManager(environment.Config, ctrl.Options{
		Scheme:     environment.Scheme,
		Metrics:    server.Options{BindAddress: "0"},
		Controller: config.Controller{SkipNameValidation: new(true), UsePriorityQueue: new(false)},
		Cache: cache.Options{
			DefaultNamespaces:           map[string]cache.Config{namespace: {}},
			ReaderFailOnMissingInformer: true,
			DefaultTransform:            caching.Slim,
			NewInformer:                 caching.NewInformer,
			ByObject: map[client.Object]cache.ByObject{
				&corev1.ConfigMap{}: {Label: caching.WithoutReports(labels.Everything())},
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	operator := settings.Settings{LoadgenImage: "loadgen:test", Namespaces: []string{namespace}}
	if err := run.Setup(manager, operator, nil, &queue.Queue{}); err != nil {
		t.Fatal(err)
	}
	return testenv.Start(t, manager)
}

// TestManagerIsWokenByWhatChanges has a real manager, with its cache and its watches, take a run to its end, and
// another take over in the middle.
func TestManagerIsWokenByWhatChanges(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	g := gomega.NewWithT(t)
	becomes := func(conditionType, want string) {
		t.Helper()
		g.Eventually(func() string { return p.condition(conditionType) }, wakeTime, "50ms").Should(gomega.Equal(want))
	}
	stop := startManager(t, p.namespace)

	becomes(benchv1alpha1.RunProgressing, "True Provisioning")
	g.Eventually(p.names, wakeTime, "50ms").Should(gomega.ContainElement("BenchmarkTarget r"))
	p.targetReady()
	becomes(benchv1alpha1.RunTargetReady, "True TargetReady")
	g.Eventually(p.names, wakeTime, "50ms").Should(gomega.ContainElement("Job r-load"))
	p.startPods(corev1.PodRunning)
	p.allSay(runtest.StepLoad, reportv1alpha1.ProgressRunning, 10)
	becomes(benchv1alpha1.RunProgressing, "True Loading")

	stop()
	p.placeBesideOther()
	p.allSay(runtest.StepRead, reportv1alpha1.ProgressWaiting, 0)
	startManager(t, p.namespace)
	becomes(benchv1alpha1.RunProgressing, "True WarmingUp")
	g.Eventually(func() string { return p.gate()["start-3"] }, wakeTime, "50ms").ShouldNot(gomega.BeEmpty())

	p.podSays(0, runtest.Progress(runtest.StepWrite, reportv1alpha1.ProgressRunning, 20))
	p.podSays(1, runtest.Progress(runtest.StepWrite, reportv1alpha1.ProgressRunning, 40))
	becomes(benchv1alpha1.RunProgressing, "True Measuring")
	p.podSays(1, runtest.Progress(runtest.StepWrite, reportv1alpha1.ProgressRunning, 80))
	percent := func() int32 { return *p.run().Status.Progress.Percent }
	g.Eventually(percent, wakeTime, "50ms").Should(gomega.Equal(int32(50)))
	g.Eventually(p.neighbours, wakeTime, "50ms").Should(gomega.Equal(int32(1)))

	p.handIn()
	p.allSay(runtest.StepWrite, reportv1alpha1.ProgressDone, 100)
	asked := func() bool { return p.gate()[reportv1alpha1.CollectKey] != "" }
	g.Eventually(asked, wakeTime, "50ms").Should(gomega.BeTrue())
	p.collectReports()
	becomes(benchv1alpha1.RunSucceeded, "True Completed")
	g.Eventually(p.names, wakeTime, "50ms").Should(gomega.Equal([]string{"ConfigMap r-report"}))
	p.collectGarbage()
	becomes(benchv1alpha1.RunProgressing, "False Finished")
}

// TestALargeRunIsMeasuredAsItIsDeclared has a real manager, whose cache holds only a part of the run, make its plan.
func TestALargeRunIsMeasuredAsItIsDeclared(t *testing.T) {
	t.Parallel()
	const filters, each = 10, 8000
	p := newPlay(t, func(run *benchv1alpha1.BenchmarkRun) {
		first := &run.Spec.Workload.Steps[0]
		for i := range filters {
			first.Operations = append(first.Operations, benchv1alpha1.Operation{
				Name: fmt.Sprintf("long%d", i), Request: benchv1alpha1.Request{
					Kind: benchv1alpha1.OperationFindOne, Filter: benchv1alpha1.Document(`{"a": "` + strings.Repeat("x", each) + `"}`),
				},
			})
		}
	})
	declared, err := caching.Slim(p.run())
	if held, is := declared.(*benchv1alpha1.BenchmarkRun); !is || err != nil || len(held.Spec.Workload.Steps) > 0 {
		t.Fatalf("the run is not as large as it should be: %v", err)
	}
	g := gomega.NewWithT(t)
	startManager(t, p.namespace)
	g.Eventually(p.names, wakeTime, "50ms").Should(gomega.ContainElement("BenchmarkTarget r"))
	p.targetReady()
	g.Eventually(p.names, wakeTime, "50ms").Should(gomega.ContainElement("Job r-load"))
	run := p.run()
	plan := &corev1.ConfigMap{}
	p.must(environment.Client.Get(t.Context(),
		client.ObjectKey{Namespace: p.namespace, Name: naming.PlanConfigMap(run.Name, run.Status.PlanHash)}, plan))
	if got := strings.Count(fmt.Sprint(plan.Data), strings.Repeat("x", each)); got != filters {
		t.Errorf("the plan has %d of the %d long filters", got, filters)
	}
}

// placeBesideOther places the pods, a member beside a pod of another target.
func (p *play) placeBesideOther() {
	p.t.Helper()
	p.placePods()
	p.on(p.namespace, "other-mongod-0", naming.ForTarget("other", naming.ComponentMongod),
		p.member("r-mongod-0").Spec.NodeName, corev1.PodRunning)
}

// neighbours is how many pods of others the status says were seen.
func (p *play) neighbours() int32 {
	return ptr.Deref(ptr.Deref(p.run().Status.Sharing, benchv1alpha1.NodeSharing{}).Neighbours, 0)
}
