package fleet

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/perf/process"
)

// Crowd is what lies in a cluster when the manager starts, and what load pods do to it then.
type Crowd struct {
	// Name of the crowd, for people.
	Name string
	// Reports are merged reports that are stored, of ReportBytes each.
	Reports, ReportBytes int
	// Foreign are ConfigMaps of nobody's with the operator's labels, of ForeignBytes each.
	Foreign, ForeignBytes int
	// Finished are runs that have ended, with results.
	Finished int
	// Waiting are runs that wait in the queue, of about WaitingBytes each, and Suites suites of as much.
	Waiting, Suites, WaitingBytes int
	// Bombs are runs whose load pods answer with what takes a reader far more memory than it has bytes.
	Bombs int
}

const (
	// memoryLimit is that of the chart, as the chart tells it: 128 MiB.
	memoryLimit = "MONGOBENCH_MEMORY_LIMIT=134217728"
	// looking is how long the manager is watched when it is ready and nothing else happens.
	looking = 10 * time.Second
	// scrapeEvery is how often the manager is asked for its metrics meanwhile.
	scrapeEvery = 5 * time.Second
	// writers make a crowd side by side.
	writers = 4
)

// MeasureCrowd returns the largest resident size, in bytes, of a manager that starts beside a crowd, from its start
// until it is ready, has looked at everything, and has ended the runs that are bombs. The API server streams no
// lists, as those of Kubernetes before 1.34 do not unless they are told to.
func MeasureCrowd(ctx context.Context, o Options, crowd Crowd) (peak int64, err error) {
	f := &fleet{Options: o}
	defer f.stop()
	if err := f.gather(ctx, crowd); err != nil {
		return 0, fmt.Errorf("measuring %s: %w", crowd.Name, err)
	}
	return f.seen.Peak, nil
}

func (f *fleet) gather(ctx context.Context, crowd Crowd) (err error) {
	if f.server, err = startServer(f.Assets, f.Definitions, f.Folder, "WatchList=false"); err != nil {
		return err
	}
	if f.client, err = client.New(f.server.config, client.Options{Scheme: f.server.scheme}); err != nil {
		return err
	}
	if f.node, err = startNode(ctx, f.server); err != nil {
		return err
	}
	for _, object := range world() {
		if err := f.client.Create(ctx, object); err != nil {
			return fmt.Errorf("creating %T: %w", object, err)
		}
	}
	if err := f.populate(ctx, crowd); err != nil {
		return err
	}
	if f.manager, err = startManager(ctx, f.Manager, f.server.kubeconfig, memoryLimit); err != nil {
		return err
	}
	if err := f.explode(ctx, crowd.Bombs); err != nil {
		return err
	}
	if err := f.lookedAt(ctx, crowd.Finished+crowd.Waiting+crowd.Suites); err != nil {
		return err
	}
	if err := process.Sleep(ctx, looking); err != nil {
		return err
	}
	f.seen.Peak, f.seen.End, err = f.manager.Memory()
	return err
}

// lookedAt waits until the manager has looked at every run. It asks no more often than Prometheus may: every answer
// takes up memory of the manager's.
func (f *fleet) lookedAt(ctx context.Context, runs int) error {
	return awaitEvery(ctx, scrapeEvery, stuckPatience+time.Duration(runs)*20*time.Millisecond,
		"every object to be looked at", func() (bool, error) {
			seen, err := f.look(ctx)
			return err == nil && seen.reconciles.Total() > float64(runs), f.sound()
		})
}

// populate makes what is to lie there.
func (f *fleet) populate(ctx context.Context, crowd Crowd) error {
	err := f.sideBySide(ctx, "stored reports", crowd.Reports, func(index int) error {
		stored := labelled(fmt.Sprintf("stored-%d-report", index), "stored-report")
		stored.BinaryData = map[string][]byte{reportv1.ReportKey: noise(crowd.ReportBytes)}
		return f.client.Create(ctx, stored)
	})
	if err != nil {
		return err
	}
	err = f.sideBySide(ctx, "ConfigMaps with the operator's labels", crowd.Foreign, func(index int) error {
		foreign := labelled(fmt.Sprintf("foreign-%d", index), "report")
		if index%2 == 1 { // A tenant who knows how the operator tells its own by their owner.
			foreign.OwnerReferences = []metav1.OwnerReference{{
				APIVersion: benchv1alpha1.GroupVersion.String(), Kind: "BenchmarkRun", Name: "r", UID: "1", Controller: new(true),
			}}
		}
		foreign.Data = map[string]string{reportv1.ProgressKey: strings.Repeat("x", crowd.ForeignBytes)}
		return f.client.Create(ctx, foreign)
	})
	if err != nil {
		return err
	}
	err = f.sideBySide(ctx, "large runs that wait", crowd.Waiting, func(index int) error {
		return f.client.Create(ctx, large(run(index), crowd.WaitingBytes))
	})
	if err != nil {
		return err
	}
	err = f.sideBySide(ctx, "large suites", crowd.Suites, func(index int) error {
		return f.client.Create(ctx, &benchv1alpha1.BenchmarkSuite{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("suite-%d", index)},
			Spec: benchv1alpha1.BenchmarkSuiteSpec{
				Template: benchv1alpha1.RunTemplate{Spec: large(run(0), crowd.WaitingBytes).Spec}, Suspend: new(true),
			},
		})
	})
	if err != nil || crowd.Finished == 0 {
		return err
	}
	return f.finish(ctx, crowd.Finished)
}

// large has a run ask for so much that it takes up about a number of bytes.
func large(run *benchv1alpha1.BenchmarkRun, bytes int) *benchv1alpha1.BenchmarkRun {
	const (
		steps  = 32
		filter = 8000
	)
	one := run.Spec.Workload.Steps[0]
	one.Operations = nil
	for i := range max(1, bytes/steps/filter) {
		one.Operations = append(one.Operations, benchv1alpha1.Operation{
			Name: fmt.Sprintf("read%d", i), Request: benchv1alpha1.Request{
				Kind: benchv1alpha1.OperationFindOne, Filter: benchv1alpha1.Document(`{"a":"` + strings.Repeat("x", filter) + `"}`),
			},
		})
	}
	run.Spec.Workload.Steps = nil
	for i := range steps {
		one.Name = fmt.Sprintf("step%d", i)
		run.Spec.Workload.Steps = append(run.Spec.Workload.Steps, *one.DeepCopy())
	}
	return run
}

// finish has the node and a manager bring one run to its end, and makes as many more that look like it.
func (f *fleet) finish(ctx context.Context, count int) error {
	var err error
	if f.manager, err = startManager(ctx, f.Manager, f.server.kubeconfig); err != nil {
		return err
	}
	if err := createRuns(ctx, f.client, 1); err != nil {
		return err
	}
	f.Runs = 1
	if err := f.awaitRuns(ctx); err != nil {
		return err
	}
	f.manager.stop()
	ended := run(0)
	if err := f.client.Get(ctx, client.ObjectKeyFromObject(ended), ended); err != nil {
		return err
	}
	return f.sideBySide(ctx, "finished runs", count-1, func(index int) error {
		like := run(index + 1)
		like.Name = fmt.Sprintf("done-%05d", index)
		if err := f.client.Create(ctx, like); err != nil {
			return err
		}
		like.Status = *ended.Status.DeepCopy()
		return f.client.Status().Update(ctx, like)
	})
}

// explode makes runs whose load pods are hostile, and waits until each has come to an end of its own.
func (f *fleet) explode(ctx context.Context, count int) error {
	if count == 0 {
		return nil
	}
	f.node.hostile = true
	if err := createRuns(ctx, f.client, count); err != nil {
		return err
	}
	return await(ctx, stuckPatience+time.Duration(count)*10*time.Second, "the runs to be given up", func() (bool, error) {
		runs := &benchv1alpha1.BenchmarkRunList{}
		if err := f.client.List(ctx, runs, client.InNamespace(namespace)); err != nil {
			return false, err
		}
		ended := 0
		for i := range runs.Items {
			verdict := apimeta.FindStatusCondition(runs.Items[i].Status.Conditions, benchv1alpha1.RunSucceeded)
			if verdict != nil && verdict.Status == metav1.ConditionFalse {
				ended++
			}
		}
		return ended == count, f.sound()
	})
}

// bomb is text of a size that a collector may have told, and of which each three bytes are an object.
func bomb() string {
	const head, tail = `{"version":"` + reportv1.Version + `","summary":{"steps":[`, `{}]}}`
	return head + strings.Repeat(`{},`, (reportv1.MaxCollectedBytes-len(head)-len(tail))/3) + tail
}

func labelled(name, component string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: namespace, Name: name, Labels: map[string]string{
			managedByLabel: managedBy, componentLabel: component, "mongobench.dev/run": "r",
		},
	}}
}

// noise is what cannot be compressed.
func noise(count int) []byte {
	bytes := make([]byte, count)
	_, _ = rand.Read(bytes) // It never fails.
	return bytes
}

// sideBySide does something as often as it is asked to.
func (f *fleet) sideBySide(ctx context.Context, what string, count int, do func(index int) error) error {
	if count <= 0 {
		return nil
	}
	began := time.Now()
	indexes, failures := make(chan int), make(chan error, writers)
	var working sync.WaitGroup
	for range writers {
		working.Go(func() {
			for index := range indexes {
				if err := do(index); err != nil {
					failures <- fmt.Errorf("making %s: %w", what, err)
					return
				}
			}
		})
	}
	err := feed(ctx, indexes, count, failures)
	close(indexes)
	working.Wait()
	if err == nil {
		_, _ = fmt.Fprintf(f.Log, "bench: %d %s made within %s\n", count, what, time.Since(began).Round(time.Second))
	}
	return err
}

func feed(ctx context.Context, indexes chan<- int, count int, failures <-chan error) error {
	for index := range count {
		select {
		case indexes <- index:
		case err := <-failures:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
