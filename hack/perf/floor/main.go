package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"golang.org/x/sync/errgroup"
)

// options are the flags.
type options struct {
	address     string
	threads     int
	reads       int
	connections int
	batch       int
}

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, arguments []string) error {
	if len(arguments) == 0 {
		return errors.New("usage: floor points|load [flags]")
	}
	var o options
	set := flag.NewFlagSet("floor "+arguments[0], flag.ContinueOnError)
	set.StringVar(&o.address, "address", "127.0.0.1:27017", "host:port of the mongod")
	set.IntVar(&o.threads, "threads", 1, "goroutines, each with a connection, that read and update")
	set.IntVar(&o.reads, "reads", 100, "percentage of reads; the rest are updates")
	set.IntVar(&o.connections, "connections", 1, "connections that load")
	set.IntVar(&o.batch, "batch", 5000, "documents in an insert")
	if err := set.Parse(arguments[1:]); err != nil {
		return err
	}
	switch arguments[0] {
	case "points":
		return points(ctx, o)
	case "load":
		return load(ctx, o)
	}
	return fmt.Errorf("no work is called %q", arguments[0])
}

// each runs a function for every number below n at once, until one of them fails.
func each(ctx context.Context, n int, do func(ctx context.Context, number int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for number := range n {
		group.Go(func() error { return do(ctx, number) })
	}
	return group.Wait()
}
