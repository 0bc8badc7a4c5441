package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers"
	"github.com/mongobench/mongobench-operator/controllers/results"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
	"github.com/mongobench/mongobench-operator/internal/version"
)

const (
	// garbagePercent of what is in use may be garbage before it is collected, unless GOGC says otherwise. A manager waits
	// for most of its time: memory is what it costs a cluster, not the CPU of its collector.
	garbagePercent = 25

	// memoryVariable is the memory limit of the container in bytes, and memoryPercent how much of it is for what Go
	// counts. The rest is for what it does not: 30 MB of its own program, some of which must stay in memory, and the
	// kernel's buffers.
	memoryVariable = "MONGOBENCH_MEMORY_LIMIT"
	memoryPercent  = 80

	leaseName = "mongobench-operator"
	// queriesPerSecond and burst bound what the manager asks of the API server. A target is about 30 requests, at once.
	queriesPerSecond = 50
	burst            = 100
	// syncTimeout bounds one answer to the readiness probe.
	syncTimeout = time.Second
)

func main() {
	// No profile of the heap is ever asked for, and what is kept for one is 2.5 MB.
	runtime.MemProfileRate = 0
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
	if most := memoryLimit(os.Getenv); most > 0 {
		debug.SetMemoryLimit(most)
	}
	os.Exit(execute(os.Args[1:]))
}

// memoryLimit is how much Go may use before it collects harder: a part of what the container may use, by
// memoryVariable. It is 0 when nothing is known, or GOMEMLIMIT says it.
func memoryLimit(environment func(string) string) int64 {
	limit, err := strconv.ParseInt(environment(memoryVariable), 10, 64)
	if err != nil || limit <= 0 || environment("GOMEMLIMIT") != "" {
		return 0
	}
	return limit / 100 * memoryPercent
}

// execute runs a command line until a signal ends it, and returns the exit code.
func execute(arguments []string) int {
	flags, err := parse(arguments, os.Stderr)
	if err != nil {
		return 2
	}
	if flags.version {
		fmt.Println(version.Line("manager"))
		return 0
	}
	ctrl.SetLogger(logger(flags.logLevel, os.Stderr))
	ctrl.Log.Info("starting", "version", version.Line("manager"))
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
	ctx := ctrl.SetupSignalHandler()
	return unlessTold(ctx, runManager(ctx, config, flags))
}

// unlessTold is an error of a manager, unless that is that it was told to end, and did.
func unlessTold(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// runManager runs the controllers until the context ends.
func runManager(ctx context.Context, cluster *rest.Config, flags options) error {
	if err := reach(ctx, cluster, reachTime); err != nil {
		return err
	}
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
		Metrics:                       flags.metricsServer(),
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

// metricsServer is how the metrics are served. Securely: by TLS, with the certificate given or one that is made now, to
// those who show a token that the API server knows, and who may get the path.
func (o options) metricsServer() metricsserver.Options {
	server := metricsserver.Options{BindAddress: o.metrics}
	if o.metricsSecure {
		server.SecureServing, server.CertDir = true, o.metricsCertDir
		server.FilterProvider = reviewed
	}
	return server
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

// options are the flags of the manager.
type options struct {
	settings    controllers.Settings
	leaderElect bool
	metrics     string
	// metricsSecure has the metrics served by TLS to those who may read them, with the certificate in metricsCertDir.
	metricsSecure  bool
	metricsCertDir string
	// results is how many of the newest runs, and of suites, the metrics show results of.
	results  int
	probes   string
	logLevel slog.Level
	version  bool
}

func parse(arguments []string, output io.Writer) (options, error) {
	var parsed options
	set := flag.NewFlagSet("manager", flag.ContinueOnError)
	set.SetOutput(output)
	set.StringVar(&parsed.settings.LoadgenImage, "loadgen-image", "",
		"image of the load generator, which also forms topologies (required)")
	imageRepositories(set, &parsed.settings)
	podFlags(set, &parsed.settings)
	set.Func("allowed-images", "repositories of which targets and runs may name images, separated by commas; "+
		"registry.example.com/bench/* means all below it; empty: any", func(list string) error {
		parsed.settings.AllowedImages = split(list)
		return nil
	})
	set.Func("feature-gates", "experimental features to turn on or off, NAME=true or NAME=false, separated by commas; by "+
		"default "+controllers.KnownGates(), func(list string) (err error) {
		parsed.settings.Gates, err = controllers.ParseGates(list)
		return err
	})
	set.Func("namespaces", "namespaces to watch, separated by commas; empty: all", func(list string) error {
		parsed.settings.Namespaces = split(list)
		return nil
	})
	set.StringVar(&parsed.settings.Installation, "installation", "", "name of this installation of the operator, the "+
		"same for all of its pods: it works in the namespaces of which it holds the Lease mongobench-installation, and "+
		"leaves those of other installations alone; empty: it asks for no Lease")
	set.BoolVar(&parsed.leaderElect, "leader-elect", false, "elect a leader, so that only one manager is active")
	set.StringVar(&parsed.metrics, "metrics-bind-address", ":8080", "address of the metrics; 0: none")
	set.BoolVar(&parsed.metricsSecure, "metrics-secure", false, "serve the metrics by TLS, and only to those whom the "+
		"API server knows by their token and who may get /metrics; without it: by HTTP, to all who reach the address")
	set.StringVar(&parsed.metricsCertDir, "metrics-cert-dir", "", "folder with tls.crt and tls.key for --metrics-secure, "+
		"read again when they change; empty: a certificate signed by itself")
	set.IntVar(&parsed.results, "metrics-results", 200,
		"number of runs, and of suites, whose results the metrics show; 0: none")
	set.StringVar(&parsed.probes, "health-probe-bind-address", ":8081", "address of /healthz and /readyz; 0: none")
	set.TextVar(&parsed.logLevel, "log-level", slog.LevelInfo, "minimum log level: debug, info, warn or error")
	set.IntVar(&parsed.settings.MaxConcurrentReconciles, "max-concurrent-reconciles", 2,
		"how many objects of one kind are reconciled concurrently")
	set.IntVar(&parsed.settings.RunsPerNodePool, "runs-per-node-pool", 1,
		"how many runs are admitted per node pool at once, unless they set spec.concurrency; 0: no limit")
	set.BoolVar(&parsed.version, "version", false, "print the version and exit")
	if err := set.Parse(arguments); err != nil {
		return options{}, err
	}
	if err := parsed.validate(set.Args()); err != nil {
		_, _ = fmt.Fprintln(output, "manager:", err)
		return options{}, err
	}
	return parsed, nil
}

// imageRepositories adds a flag for each product.
func imageRepositories(set *flag.FlagSet, settings *controllers.Settings) {
	settings.ImageRepositories = map[benchv1alpha1.Product]string{}
	for _, known := range catalogue.All() {
		traits := known.Traits()
		settings.ImageRepositories[traits.Product] = traits.ImageRepository
		usage := fmt.Sprintf("repository of the images of %s, whose version is the tag (default %q)",
			traits.Product, traits.ImageRepository)
		set.Func(traits.Program+"-image-repository", usage, func(repository string) error {
			settings.ImageRepositories[traits.Product] = repository
			return nil
		})
	}
}

func (o options) validate(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unknown argument %q", rest[0])
	case o.settings.LoadgenImage == "" && !o.version:
		return errors.New("--loadgen-image is required")
	case o.settings.RunsPerNodePool < 0:
		return fmt.Errorf("--runs-per-node-pool is %d, and must be 0 or more", o.settings.RunsPerNodePool)
	case o.metricsCertDir != "" && !o.metricsSecure:
		return errors.New("--metrics-cert-dir is of no use without --metrics-secure")
	case o.results < 0:
		return fmt.Errorf("--metrics-results is %d, and must be 0 or more", o.results)
	}
	return nil
}

func split(list string) []string {
	names := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
	slices.Sort(names)
	return slices.Compact(names)
}

func logger(level slog.Level, output io.Writer) logr.Logger {
	return logr.FromSlogHandler(slog.NewJSONHandler(output, &slog.HandlerOptions{Level: level}))
}
