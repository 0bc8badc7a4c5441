package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/config"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Exit codes besides 0.
const (
	exitFailed   = 1
	exitUsage    = 2
	exitTimedOut = 3
)

var (
	// errTold is a failed run, of which everything was printed already.
	errTold = errors.New("the run failed")
	// errTimedOut is a run that did not end within its own deadlines.
	errTimedOut = errors.New("timed out")
	// errUsage is a command line or a file that makes no sense.
	errUsage = errors.New("wrong use")
)

func exitCode(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errUsage):
		return exitUsage
	case errors.Is(err, errTimedOut):
		return exitTimedOut
	default:
		return exitFailed
	}
}

// requestTimeout bounds each request to the API server, which may have gone away.
const requestTimeout = 30 * time.Second

// demo is one demonstration.
type demo struct {
	client client.Client
	out    io.Writer
	screen *screen
	// plugin is the path of kubectl-mongobench.
	plugin string
	// began is when the run that is shown was applied.
	began time.Time
	// ended are the runs that were shown.
	ended []*benchv1alpha1.BenchmarkRun
}

func run(ctx context.Context, args []string, out io.Writer, terminal bool) error {
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	file := flags.String("f", "", "file with a BenchmarkRun or BenchmarkSuite, or several, and whatever they need")
	name := flags.String("name", "", "name of the only run or suite of the file to show; empty for all")
	namespace := flags.String("n", "mongobench-demo", "namespace of the objects that name none")
	folder := flags.String("o", filepath.Join("dist", "demo"), "folder of the results, one folder a run in it")
	plugin := flags.String("plugin", filepath.Join("dist", "kubectl-mongobench"), "the plugin that writes the pages")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	if *file == "" || flags.NArg() > 0 {
		return fmt.Errorf("%w: give a file with a BenchmarkRun with -f, and nothing else", errUsage)
	}
	if _, err := os.Stat(*plugin); err != nil {
		return fmt.Errorf("%w: there is no plugin: %w; make plugin builds it, and -plugin names another", errUsage, err)
	}
	content, err := os.ReadFile(*file)
	if err != nil {
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	objects, err := parse(content, *namespace)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", errUsage, *file, err)
	}
	if *name != "" {
		if err := objects.keep(*name); err != nil {
			return fmt.Errorf("%w: %s: %w", errUsage, *file, err)
		}
	}
	connected, err := connect()
	if err != nil {
		return err
	}
	d := &demo{client: connected, out: out, screen: &screen{to: out, terminal: terminal}, plugin: *plugin}
	return d.play(ctx, objects, *folder)
}

func connect() (client.Client, error) {
	settings, err := config.GetConfig()
	if err != nil {
		return nil, fmt.Errorf("finding the cluster: %w; set KUBECONFIG, or use hack/make/with-cluster.sh", err)
	}
	settings.Timeout = requestTimeout
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), benchv1alpha1.AddToScheme(scheme)); err != nil {
		return nil, fmt.Errorf("making the API known: %w", err)
	}
	connected, err := client.New(settings, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	return connected, nil
}

// say writes a line for people; a terminal that is gone is no reason to stop.
func (d *demo) say(format string, values ...any) {
	_, _ = fmt.Fprintf(d.out, format+"\n", values...)
}

// play shows the runs and suites that are among the objects, one after the other: at the same time they would measure
// each other.
// A run that fails does not keep the others from being shown.
func (d *demo) play(ctx context.Context, objects *file, folder string) error {
	if err := d.prepare(ctx, objects); err != nil {
		return err
	}
	var failed error
	for _, run := range objects.runs {
		err := d.show(ctx, run, folder)
		if err != nil && !errors.Is(err, errTold) {
			return err
		}
		failed = errors.Join(failed, err)
	}
	if len(d.ended) > 1 {
		if err := writeComparison(d.out, d.ended); err != nil {
			return err
		}
	}
	for _, suite := range objects.suites {
		err := d.showSuite(ctx, suite, folder)
		if err != nil && !errors.Is(err, errTold) {
			return err
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// show shows one run, from its creation to its removal.
func (d *demo) show(ctx context.Context, run *unstructured.Unstructured, folder string) error {
	d.began = time.Now()
	if err := d.apply(ctx, run); err != nil {
		return err
	}
	ended, err := d.follow(ctx, keyOf(run), hasVerdict)
	if err != nil {
		return err
	}
	d.ended = append(d.ended, ended)
	if !succeeded(ended) {
		d.say("\nthe run failed\n%s", failure(ended))
		return errTold
	}
	if err := d.showResult(ctx, ended, filepath.Join(folder, ended.Name)); err != nil {
		return err
	}
	if err := d.writePages(ctx, keyOf(run), filepath.Join(folder, ended.Name)); err != nil {
		return err
	}
	cleaned, err := d.follow(ctx, keyOf(run), isFinished)
	if err != nil {
		return err
	}
	return writeStages(d.out, cleaned)
}
