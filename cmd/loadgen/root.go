package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// version is set when a release is built.
var version = "dev"

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "loadgen",
		Short: "Load a dataset into a database, drive a workload against it, and measure the result",
		// An error is written once, by the caller, without the help text that would hide it.
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(runCommand(), replayCommand(), verifyCommand(), inferCommand(), topologyCommand(), keyfileCommand(),
		syncLatencyCommand(), mariadbCommand(), versionCommand())
	return root
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(command.OutOrStdout(), "loadgen", version)
			return err
		},
	}
}
