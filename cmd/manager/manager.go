package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/mongobench/mongobench-operator/controllers"
	"github.com/mongobench/mongobench-operator/controllers/results"
)

const (
	leaseName = "mongobench-operator"
	// queriesPerSecond and burst bound what the manager asks of the API server. A target is about 30 requests, at once.
	queriesPerSecond = 50
	burst            = 100
	// syncTimeout bounds one answer to the readiness probe.
	syncTimeout = time.Second
)

// runManager runs the controllers until the context ends.
func runManager(ctx context.Context, cluster *rest.Config, flags options) error {
	manager, err := newManager(cluster, flags)
	if err != nil {
		return err
	}
	if err := controllers.Setup(manager, flags.settings); err != nil {
		return err
	}
	if err := results.Setup(manager, flags.results); err != nil {
		return err
	}
	if err := manager.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return fmt.Errorf("adding the health check: %w", err)
	}
	if err := manager.AddReadyzCheck("cache", synced(manager.GetCache())); err != nil {
		return fmt.Errorf("adding the readiness check: %w", err)
	}
	if err := manager.Start(ctx); err != nil {
		return fmt.Errorf("running the controllers: %w", err)
	}
	return nil
}

func newManager(cluster *rest.Config, flags options) (ctrl.Manager, error) {
	scheme, err := controllers.Scheme()
	if err != nil {
		return nil, err
	}
	cluster = rest.CopyConfig(cluster)
	cluster.QPS, cluster.Burst = queriesPerSecond, burst
	manager, err := ctrl.NewManager(cluster, ctrl.Options{
		Scheme: scheme,
		// The priority queue of this version of controller-runtime hands out what nobody takes any more when it is shut down
		// with something in it, and then holds up the end, and with it the lease, until the grace period is over.
		Controller:                    config.Controller{UsePriorityQueue: new(false)},
		Cache:                         controllers.CacheOptions(flags.settings.Namespaces),
		Metrics:                       metricsserver.Options{BindAddress: flags.metrics},
		HealthProbeBindAddress:        flags.probes,
		LeaderElection:                flags.leaderElect,
		LeaderElectionID:              leaseName,
		LeaderElectionReleaseOnCancel: true,
	})
	if err != nil {
		return nil, fmt.Errorf("making the manager: %w", err)
	}
	return manager, nil
}

// synced answers the readiness probe: a manager is of use once it has seen the cluster.
func synced(objects cache.Cache) healthz.Checker {
	return func(request *http.Request) error {
		ctx, cancel := context.WithTimeout(request.Context(), syncTimeout)
		defer cancel()
		if !objects.WaitForCacheSync(ctx) {
			return errors.New("the cache is not filled yet")
		}
		return nil
	}
}
