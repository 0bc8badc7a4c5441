package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

const (
	// reachTime is how long a manager that starts waits for the API server. The startup probe of the chart allows more.
	// A manager that ended at once would be started again by the kubelet, after up to five minutes, in which the API
	// server may be back and nobody looks after the runs.
	reachTime = 4 * time.Minute
	// reachPeriod is how often it asks, and reachTimeout how long it waits for an answer.
	reachPeriod, reachTimeout = time.Second, 5 * time.Second
)

// reach waits until the API server answers and knows the kinds of runs, targets and suites, for a time: Helm makes
// their definitions and the operator's Deployment at once. That it does not know the manager is an error at once; that
// it refuses is not, for one that has just started knows no roles yet.
func reach(ctx context.Context, cluster *rest.Config, within time.Duration) error {
	cluster = rest.CopyConfig(cluster)
	cluster.Timeout = reachTimeout
	client, err := discovery.NewDiscoveryClientForConfig(cluster)
	if err != nil {
		return fmt.Errorf("making a client of the API server: %w", err)
	}
	log, said := ctrl.Log.WithName("reach"), ""
	var last error
	err = wait.PollUntilContextTimeout(ctx, reachPeriod, within, true, func(context.Context) (bool, error) {
		last = defined(client)
		if last == nil || apierrors.IsUnauthorized(last) {
			return true, last
		}
		if last.Error() != said {
			said = last.Error()
			log.Info("waiting for the API server", "cause", said)
		}
		return false, nil
	})
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("the API server at %s was of no use within %s: %w", cluster.Host, within, last)
	case err != nil:
		return fmt.Errorf("asking the API server at %s for the kinds that it knows: %w", cluster.Host, err)
	}
	return nil
}

// defined is an error that names a kind of ours which the API server does not know.
func defined(client discovery.ServerResourcesInterface) error {
	known, err := client.ServerResourcesForGroupVersion(benchv1alpha1.GroupVersion.String())
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	for _, kind := range []string{"BenchmarkRun", "BenchmarkTarget", "BenchmarkSuite"} {
		is := func(one metav1.APIResource) bool { return one.Kind == kind }
		if known == nil || !slices.ContainsFunc(known.APIResources, is) {
			return fmt.Errorf("it does not know the kind %s of %s: are the definitions installed?", kind,
				benchv1alpha1.GroupVersion)
		}
	}
	return nil
}
