package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// commands are all that the program can do.
var commands = []func() *cobra.Command{
	runCommand, replayCommand, verifyCommand, inferCommand, topologyCommand, keyfileCommand, syncLatencyCommand,
	mariadbCommand, versionCommand,
}

func main() {
	os.Exit(execute(os.Args[1:]))
}

// execute runs a command line and returns the exit code: 0, 1 after an error, or 128 and the number of the signal that
// ended it.
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
	for _, command := range commands {
		root.AddCommand(command())
	}
	return root
}

func versionCommand() *cobra.Command {
	return newCommand("version", "Print the version", func(_ context.Context, out io.Writer) error {
		_, err := fmt.Fprintln(out, "loadgen", version)
		return err
	})
}
