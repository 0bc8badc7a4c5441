package claim

import (
	"context"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
)

// look is how often it is looked which Leases are to be renewed.
const look = interval / 2

// Keep renews the Leases of the namespaces with something that has not ended, which the cache tells, until the context
// ends: most of what goes on there wakes no controller for minutes.
func (c *Claims) Keep(cache client.Reader) manager.Runnable {
	return manager.RunnableFunc(func(ctx context.Context) error {
		wait.JitterUntilWithContext(ctx, func(ctx context.Context) { c.renew(ctx, cache) }, look, 0, true)
		return nil
	})
}

func (c *Claims) renew(ctx context.Context, cache client.Reader) {
	names, err := busy(ctx, cache)
	if err != nil { // The cache answers, unless the manager ends.
		return
	}
	for _, name := range names {
		limited, cancel := context.WithTimeout(ctx, interval)
		if err := c.Hold(limited, name); err != nil {
			logf.FromContext(ctx).V(1).Info("not renewed", "namespace", name, "cause", err.Error())
		}
		cancel()
	}
	c.forget(names)
}

// busy are the namespaces with something that has not ended. A target ends when it is deleted.
func busy(ctx context.Context, cache client.Reader) ([]string, error) {
	found := map[string]bool{}
	var runs benchv1alpha1.BenchmarkRunList
	if err := cache.List(ctx, &runs, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	for i := range runs.Items {
		if !condition.IsFalse(runs.Items[i].Status.Conditions, benchv1alpha1.RunProgressing) {
			found[runs.Items[i].Namespace] = true
		}
	}
	var targets benchv1alpha1.BenchmarkTargetList
	if err := cache.List(ctx, &targets, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	for i := range targets.Items {
		found[targets.Items[i].Namespace] = true
	}
	var suites benchv1alpha1.BenchmarkSuiteList
	if err := cache.List(ctx, &suites, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	for i := range suites.Items {
		if !condition.IsTrue(suites.Items[i].Status.Conditions, benchv1alpha1.SuiteComplete) {
			found[suites.Items[i].Namespace] = true
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}
