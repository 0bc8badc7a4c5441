package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/live"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/page"
)

const (
	// headerTime and headerBytes bound what a client may take to ask.
	headerTime  = 5 * time.Second
	headerBytes = 16 << 10
	usualServed = "127.0.0.1"
)

// serving is what ui is asked for.
type serving struct {
	*tool
	address string
	port    uint16
	all     bool
}

func (t *tool) uiCommand() *cobra.Command {
	s := &serving{tool: t}
	command := t.inCluster("ui", "Serve a local page with all runs and suites, updated live",
		cobra.NoArgs, nil, s.serve)
	command.Long = `Serve a page with all runs and suites, updated live, and with the reports of those that have ended.

Only this machine can reach it, with the printed address, which contains a token: whoever has it sees what you may see
in the cluster. Nothing is written to the cluster. Ctrl-C ends it.`
	flags := command.Flags()
	flags.StringVar(&s.address, "address", usualServed, "loopback address to serve on")
	flags.Uint16Var(&s.port, "port", 0, "port to serve on; 0: any free port")
	flags.BoolVarP(&s.all, "all-namespaces", "A", false, "show objects in all namespaces")
	return command
}

func (s *serving) serve(ctx context.Context, c *cluster.Cluster, _ []string) error {
	address, err := loopback(s.address)
	if err != nil {
		return err
	}
	watcher, err := s.watcher(c)
	if err != nil {
		return err
	}
	// What is wrong at once is said here, and not on a page.
	if err := watcher.List(ctx); err != nil {
		return err
	}
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: address, Port: int(s.port)})
	if err != nil {
		return fmt.Errorf("serving at %s: %w", s.address, err)
	}
	bound, _ := listener.Addr().(*net.TCPAddr)
	pages := live.NewServer(live.Options{Address: bound, Store: watcher.Store, Report: s.page(c), Now: s.now})
	_, _ = fmt.Fprintf(s.Out, "serving %s to this machine alone, until Ctrl-C:\n%s\n", s.what(c), pages.URL())
	return serveUntil(ctx, listener, pages, watcher)
}

// loopback reads an address of this machine that no other one reaches.
func loopback(text string) (net.IP, error) {
	if text == "localhost" {
		text = usualServed
	}
	address := net.ParseIP(text)
	if address == nil || !address.IsLoopback() {
		return nil, fmt.Errorf("%w: --address %s: it can be a loopback address only, such as %s, for whoever reaches the"+
			" page sees what you may see", cluster.ErrUsage, text, usualServed)
	}
	return address, nil
}

func (s *serving) what(c *cluster.Cluster) string {
	if s.all {
		return "runs and suites of all namespaces"
	}
	return "runs and suites of namespace " + c.Namespace
}

// watcher has a client of its own: a watch goes on for as long as it lasts, whatever --request-timeout says.
func (s *serving) watcher(c *cluster.Cluster) (*live.Watcher, error) {
	config, err := s.flags.ToRESTConfig()
	if err != nil {
		return nil, fmt.Errorf("finding the cluster: %w", err)
	}
	config.Timeout = 0
	watching, err := client.NewWithWatch(config, client.Options{
		Scheme: c.Client.Scheme(), Mapper: c.Client.RESTMapper(),
	})
	if err != nil {
		return nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	namespace := c.Namespace
	if s.all {
		namespace = ""
	}
	return &live.Watcher{Client: watching, Namespace: namespace, Store: live.NewStore(), Pause: s.period}, nil
}

// serveUntil serves until the context ends, and leaves nothing behind.
func serveUntil(ctx context.Context, listener net.Listener, pages http.Handler, watcher *live.Watcher) error {
	watching, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		watcher.Watch(watching)
	}()
	server := &http.Server{
		Handler: pages, ReadHeaderTimeout: headerTime, MaxHeaderBytes: headerBytes,
		// Pages that wait for events wait no longer than the program does.
		BaseContext: func(net.Listener) context.Context { return watching },
	}
	closing := context.AfterFunc(ctx, func() { _ = server.Close() })
	err := server.Serve(listener)
	closing()
	stop()
	<-ended
	if errors.Is(err, http.ErrServerClosed) {
		// It was told to end, which is how it always does.
		return nil
	}
	return fmt.Errorf("serving: %w", err)
}

// page makes the page of a report, with the rights of the user.
func (s *serving) page(c *cluster.Cluster) live.Report {
	return func(ctx context.Context, to io.Writer, kind cluster.Kind, key client.ObjectKey) error {
		if !s.all && key.Namespace != c.Namespace {
			return fmt.Errorf("only %s are served", s.what(c))
		}
		object := kind.New()
		if err := c.Client.Get(ctx, key, object); err != nil {
			return fmt.Errorf("reading %s %s: %w", kind, key.Name, err)
		}
		switch found := object.(type) {
		case *benchv1alpha1.BenchmarkRun:
			source, err := sourceOf(ctx, c, found)
			if err != nil {
				return err
			}
			return page.Write(to, []page.Source{source})
		case *benchv1alpha1.BenchmarkSuite:
			stored, err := c.Result(ctx, found)
			if err != nil {
				return err
			}
			return page.WriteSuite(to, stored)
		default:
			return fmt.Errorf("%s %s has no report", kind, key.Name)
		}
	}
}
