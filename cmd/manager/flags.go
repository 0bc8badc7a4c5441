package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/go-logr/logr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
)

// builtVersion is set by the linker for a release; otherwise the version comes from what Go recorded.
var builtVersion = ""

// options are the flags of the manager.
type options struct {
	settings    controllers.Settings
	leaderElect bool
	metrics     string
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
	set.Func("namespaces", "namespaces to watch, separated by commas; empty: all", func(list string) error {
		parsed.settings.Namespaces = split(list)
		return nil
	})
	set.BoolVar(&parsed.leaderElect, "leader-elect", false, "elect a leader, so that only one manager is active")
	set.StringVar(&parsed.metrics, "metrics-bind-address", ":8080", "address of the metrics; 0: none")
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
	settings.ImageRepositories = map[benchv1alpha1.TargetKind]string{}
	for _, known := range catalogue.All() {
		traits := known.Traits()
		settings.ImageRepositories[traits.Kind] = traits.ImageRepository
		usage := fmt.Sprintf("repository of the images of targets of kind %s, whose version is the tag (default %q)",
			traits.Kind, traits.ImageRepository)
		set.Func(traits.Program+"-image-repository", usage, func(repository string) error {
			settings.ImageRepositories[traits.Kind] = repository
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

func version() string {
	if builtVersion != "" {
		return builtVersion
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "unknown"
}
