package results

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// readTimeout bounds how long a scrape waits for the cache, which answers at once when it is filled.
const readTimeout = 5 * time.Second

// Lister is what the collector needs of a client.
type Lister interface {
	List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error
}

// Collector sends the metrics of runs and suites. It is a prometheus.Collector.
type Collector struct {
	// Objects should be a cache: it is asked for all runs and all suites at every scrape.
	Objects Lister
	// Most is the largest number of runs, and of suites, that are shown.
	Most int
	// Ready is closed when there is something to show. Nil: there is.
	Ready <-chan struct{}
}

var _ prometheus.Collector = &Collector{}

// Setup registers the collector with the manager's metrics. Only the manager that leads shows results, so that no
// figure is there twice; most is how many of the newest runs, and of suites, are shown, and 0 is none.
func Setup(manager ctrl.Manager, most int) error {
	if most == 0 {
		return nil
	}
	collector := &Collector{Objects: manager.GetCache(), Most: most, Ready: manager.Elected()}
	err := metrics.Registry.Register(collector)
	if registered := (prometheus.AlreadyRegisteredError{}); errors.As(err, &registered) {
		// A process that makes a second manager, as tests do, shows the results of the last one.
		metrics.Registry.Unregister(registered.ExistingCollector)
		err = metrics.Registry.Register(collector)
	}
	if err != nil {
		return fmt.Errorf("registering the metrics of results: %w", err)
	}
	return nil
}

// Describe sends the description of every metric.
func (c *Collector) Describe(out chan<- *prometheus.Desc) {
	for _, description := range descriptions {
		out <- description
	}
}

// Collect sends the metrics of the newest runs and suites.
func (c *Collector) Collect(out chan<- prometheus.Metric) {
	if !c.isReady() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
	defer cancel()
	var runs benchv1alpha1.BenchmarkRunList
	var suites benchv1alpha1.BenchmarkSuiteList
	// Nothing is changed here, and copies of a thousand results would be a burden at every scrape.
	err := errors.Join(
		c.Objects.List(ctx, &runs, client.UnsafeDisableDeepCopy),
		c.Objects.List(ctx, &suites, client.UnsafeDisableDeepCopy),
	)
	own := gauges{metrics: out}
	own.send(scrapeSuccess, truth(err == nil))
	if err != nil { // The metric says so; an error here would take the manager's other metrics away too.
		return
	}
	own.send(omittedRuns, float64(show(out, runs.Items, c.Most, sendRun)))
	own.send(omittedSuites, float64(show(out, suites.Items, c.Most, sendSuite)))
}

func (c *Collector) isReady() bool {
	if c.Ready == nil {
		return true
	}
	select {
	case <-c.Ready:
		return true
	default:
		return false
	}
}

// show sends what is shown, and returns the number of the others: what is under way comes first, which is what an alert
// may be about, then what was created last.
func show[T any, Object interface {
	*T
	client.Object
}](out chan<- prometheus.Metric, items []T, most int, send func(chan<- prometheus.Metric, Object)) (omitted int) {
	objects := make([]Object, 0, len(items))
	for i := range items {
		objects = append(objects, &items[i])
	}
	slices.SortFunc(objects, func(a, b Object) int {
		return cmp.Or(
			cmp.Compare(rank(a), rank(b)),
			b.GetCreationTimestamp().Compare(a.GetCreationTimestamp().Time),
			cmp.Compare(a.GetNamespace(), b.GetNamespace()),
			cmp.Compare(a.GetName(), b.GetName()),
		)
	})
	shown := objects[:min(most, len(objects))]
	for _, object := range shown {
		send(out, object)
	}
	return len(objects) - len(shown)
}

// rank is 0 for a run that has begun and not ended. Runs that wait for their turn may be many, and show nothing yet.
func rank(object client.Object) int {
	run, isRun := object.(*benchv1alpha1.BenchmarkRun)
	if !isRun {
		return 1
	}
	switch stageOf(&run.Status) {
	case "":
		return 1
	case benchv1alpha1.StageQueued:
		return 2
	default:
		return 0
	}
}
