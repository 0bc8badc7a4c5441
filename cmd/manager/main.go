package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime/debug"
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
	// garbagePercent of what is in use may be garbage before it is collected, unless GOGC says otherwise. A manager waits
	// for most of its time: memory is what it costs a cluster, not the CPU of its collector.
	garbagePercent = 50

	leaseName = "mongobench-operator"
	// queriesPerSecond and burst bound what the manager asks of the API server. A target is about 30 requests, at once.
	queriesPerSecond = 50
	burst            = 100
	// syncTimeout bounds one answer to the readiness probe.
	syncTimeout = time.Second
)

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
	os.Exit(execute(os.Args[1:]))
}

// execute runs a command line until a signal ends it, and returns the exit code.
func execute(arguments []string) int {
	flags, err := parse(arguments, os.Stderr)
	if err != nil {
		return 2
	}
	if flags.version {
		fmt.Println(version())
		return 0
	}
	ctrl.SetLogger(logger(flags.logLevel, os.Stderr))
	if err := start(flags); err != nil {
		fmt.Fprintln(os.Stderr, "manager:", err)
		return 1
	}
	return 0
}

func start(flags options) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("finding the cluster: %w", err)
	}
	return runManager(ctrl.SetupSignalHandler(), config, flags)
}

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
	err = errors.Join(manager.AddHealthzCheck("ping", healthz.Ping),
		manager.AddReadyzCheck("cache", synced(manager.GetCache())))
	if err != nil {
		return fmt.Errorf("adding the checks of health and readiness: %w", err)
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
		// The priority queue of this version of controller-runtime hands out what is no longer taken when it is shut down
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
