package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/version"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/link"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// commands are all that the program can do.
var commands = []func() *cobra.Command{
	runCommand, stressCommand, localCommand, serveCommand, joinCommand, gatewayCommand, replayCommand,
	verifyCommand, inferCommand, topologyCommand, collectCommand, keyfileCommand, syncLatencyCommand,
	mariadbCommand, versionCommand,
}

func main() {
	os.Exit(execute(os.Args[1:]))
}

// execute runs a command line and returns the exit code: 0, 1 after an error, 3 if that left a partial report, 4 if the
// operator asks for what is not known, or 128 and the number of the signal that ended it.
func execute(arguments []string) int {
	ctx, stop := untilSignalled(context.Background())
	defer stop()
	command := rootCommand()
	command.SetArgs(arguments)
	err := command.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	message := "loadgen: " + measure.Redact(err.Error())
	fmt.Fprintln(os.Stderr, message)
	writeTerminationMessage(terminationMessagePath, message)
	return exitCode(err)
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "loadgen",
		Short: "Load a dataset into a database, drive a workload against it, and measure the result",
		// An error is written once, by the caller, without the help text that would hide it.
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetFlagErrorFunc(unknownFlag)
	for _, command := range commands {
		root.AddCommand(command())
	}
	return root
}

func versionCommand() *cobra.Command {
	return newCommand("version", "Print the version", func(_ context.Context, out io.Writer) error {
		_, err := fmt.Fprintln(out, version.Line("loadgen"))
		return err
	})
}

// newCommand makes a command that takes flags only.
func newCommand(use, short string, run func(ctx context.Context, out io.Writer) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return run(command.Context(), command.OutOrStdout())
		},
	}
}

// require says that a command does nothing without these flags, which it has.
func require(command *cobra.Command, flags ...string) {
	for _, flag := range flags {
		_ = command.MarkFlagRequired(flag)
	}
}

// terminationMessagePath is where Kubernetes looks for what a container said last. It exists in containers only.
const terminationMessagePath = "/dev/termination-log"

// maxTerminationMessage is how much of it Kubernetes keeps.
const maxTerminationMessage = 4096

// signalled is the cause of a context that a signal ended.
type signalled struct {
	signal syscall.Signal
}

func (s signalled) Error() string {
	return fmt.Sprintf("stopped by signal %d (%s) before the end", int(s.signal), s.signal)
}

// untilSignalled returns a context that ends with the first SIGINT or SIGTERM. A second one ends the process at once.
func untilSignalled(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case <-ctx.Done():
		case received := <-signals:
			if number, ok := received.(syscall.Signal); ok {
				cancel(signalled{number})
			}
		}
		signal.Stop(signals)
	}()
	return ctx, func() { cancel(nil) }
}

// skewError says that the operator asks for something that this load generator does not know. To do the rest would be
// to measure something else.
type skewError struct{ error }

func (e skewError) Error() string {
	return fmt.Sprintf("this load generator, %s, does not know what the operator asks of it: %s: its image has to be of "+
		"the operator's release", version.Number(), e.error)
}

func (e skewError) Unwrap() error { return e.error }

// unknownFlag is a mistake of whoever starts the program: in a pod of a run that is an operator of another release.
func unknownFlag(_ *cobra.Command, err error) error {
	if os.Getenv(podUIDVariable) != "" {
		return skewError{err}
	}
	return err
}

// exitPartial is the exit code after an error that came when something had been measured, and was handed in.
const exitPartial = 3

// exitMissed is the exit code of a run that came to its end and missed an objective.
const exitMissed = 6

// exitCode follows the shells' convention for a process that a signal ended, with a partial report or without.
func exitCode(err error) int {
	if ended, ok := errors.AsType[signalled](err); ok {
		return 128 + int(ended.signal)
	}
	if _, ok := errors.AsType[*engine.CutError](err); ok {
		return exitPartial
	}
	if _, ok := errors.AsType[*link.CutError](err); ok {
		return exitPartial
	}
	if errors.Is(err, errMissed) {
		return exitMissed
	}
	if _, ok := errors.AsType[skewError](err); ok {
		return planv1.ExitOtherRelease
	}
	if errors.Is(err, engine.ErrTooLate) {
		return planv1.ExitReplacedTooLate
	}
	return 1
}

// writeTerminationMessage leaves the error where the operator finds it. Outside of a container there is no such file,
// and none is made.
func writeTerminationMessage(path, message string) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return
	}
	defer func() { _ = file.Close() }()
	_, _ = file.WriteString(message[:min(len(message), maxTerminationMessage)])
}
