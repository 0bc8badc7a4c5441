package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mongobench/mongobench-operator/loadgen/topology/local"
)

// registerLocal adds the flags of a server that is started for a try.
func registerLocal(set *pflag.FlagSet, of *local.Config) {
	set.StringVar(&of.Program, "mongod", "", "program to start; default: mongod on PATH")
	set.BoolVar(&of.ReplicaSet, "replica-set", false,
		"start it as a replica set of one, as transactions and change streams need it")
}

func localCommand() *cobra.Command {
	config := &local.Config{}
	command := newCommand("local", "Start a MongoDB of this machine for a try, until a signal",
		func(ctx context.Context, out io.Writer) error {
			server, err := startLocal(ctx, *config)
			if err != nil {
				return err
			}
			defer server.Stop()
			if _, err := fmt.Fprintln(out, server.URI); err != nil {
				return err
			}
			<-ctx.Done()
			return nil
		})
	command.Long = "Start the mongod of this machine for a try: on the loopback interface, without authentication,\n" +
		"with its data in a temporary folder. Print its connection string, and take it down with all that it holds on\n" +
		"Ctrl-C or SIGTERM."
	command.Example = "  loadgen local --replica-set"
	registerLocal(command.Flags(), config)
	return command
}

// startLocal starts a server, and tells people so.
func startLocal(ctx context.Context, config local.Config) (*local.Server, error) {
	server, err := local.Start(ctx, config)
	if err == nil {
		fmt.Fprintln(os.Stderr, "started a mongod that ends with this program")
	}
	if cause := context.Cause(ctx); cause != nil && err != nil {
		return nil, cause
	}
	return server, err
}
