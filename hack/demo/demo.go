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
	// began is when the run was applied.
	began time.Time
}

func run(ctx context.Context, args []string, out io.Writer, terminal bool) error {
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	file := flags.String("f", "", "file with a BenchmarkRun and whatever it needs")
	namespace := flags.String("n", "mongobench-demo", "namespace of the objects that name none")
	folder := flags.String("o", filepath.Join("dist", "demo"), "folder of the results, one folder a run in it")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	if *file == "" || flags.NArg() > 0 {
		return fmt.Errorf("%w: give the file of a BenchmarkRun with -f, and nothing else", errUsage)
	}
	content, err := os.ReadFile(*file)
	if err != nil {
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	objects, err := parse(content, *namespace)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", errUsage, *file, err)
	}
	connected, err := connect()
	if err != nil {
		return err
	}
	d := &demo{client: connected, out: out, screen: &screen{to: out, terminal: terminal}}
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

// play shows the run that is among the objects, from its creation to its removal.
func (d *demo) play(ctx context.Context, objects *file, folder string) error {
	if err := d.apply(ctx, objects); err != nil {
		return err
	}
	ended, err := d.follow(ctx, objects.key(), hasVerdict)
	if err != nil {
		return err
	}
	if !succeeded(ended) {
		d.say("\nthe run failed\n%s", failure(ended))
		return errTold
	}
	if err := d.showResult(ctx, ended, filepath.Join(folder, ended.Name)); err != nil {
		return err
	}
	cleaned, err := d.follow(ctx, objects.key(), isFinished)
	if err != nil {
		return err
	}
	return writeStages(d.out, cleaned)
}
