package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
)

// commands are all that the program can do.
var commands = []func(t *tool) *cobra.Command{
	(*tool).runCommand, (*tool).watchCommand, (*tool).waitCommand, (*tool).lsCommand, (*tool).describeCommand,
	(*tool).logsCommand, (*tool).reportCommand, (*tool).compareCommand, (*tool).exportCommand, (*tool).rmCommand,
	(*tool).newCommand, (*tool).doctorCommand, (*tool).estimateCommand, (*tool).uiCommand,
}

func main() {
	// The client's own log is for controllers; what goes wrong is an error here.
	log.SetLogger(logr.Discard())
	streams := genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := newTool(streams).execute(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// execute runs a command line and returns the exit code.
func (t *tool) execute(ctx context.Context, arguments []string) int {
	begun := false
	root := &cobra.Command{
		Use:         "kubectl-mongobench",
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl mongobench"},
		Short:       "Run MongoDB benchmarks in a cluster and inspect the results",
		// An error is written once, below, without the help text that would hide it.
		SilenceErrors:    true,
		SilenceUsage:     true,
		PersistentPreRun: func(*cobra.Command, []string) { begun = true },
	}
	root.SetIn(t.In)
	root.SetOut(t.Out)
	root.SetErr(t.ErrOut)
	root.SetArgs(arguments)
	t.flags.AddFlags(root.PersistentFlags())
	for _, command := range commands {
		root.AddCommand(command(t))
	}
	err := root.ExecuteContext(ctx)
	if err != nil && !begun {
		// What cobra finds wrong by itself is the command line.
		err = fmt.Errorf("%w: %w", cluster.ErrUsage, err)
	}
	if err != nil && !errors.Is(err, errTold) {
		_, _ = fmt.Fprintln(t.ErrOut, "error:", err)
	}
	return exitCode(err)
}
