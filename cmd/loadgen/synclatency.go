package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// Defaults of how long synchronising is measured.
const (
	defaultSyncs    = 1000
	defaultSyncTime = 2 * time.Second
)

// syncLatencyCommand is for a volume that a server's data is to lie on, before the server is there: afterwards the two
// would be in each other's way.
func syncLatencyCommand() *cobra.Command {
	var folder string
	var syncs int
	var most time.Duration
	command := &cobra.Command{
		Use:   "sync-latency",
		Short: "Measure how long fdatasync takes in a folder, in microseconds, and print it as JSON",
		Long: "Measure how long it takes to overwrite a block of 4 KiB in a folder and sync it to disk.\n" +
			"In a container it is also the termination message.",
		Example: "  loadgen sync-latency --dir /data\n  {\"p50\":120,\"p99\":370}",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			found, err := measure.SyncLatency(command.Context(), folder, syncs, most)
			if err != nil {
				return err
			}
			text, err := json.Marshal(found)
			if err != nil {
				return err
			}
			writeTerminationMessage(terminationMessagePath, string(text))
			_, err = fmt.Fprintln(command.OutOrStdout(), string(text))
			return err
		},
	}
	flags := command.Flags()
	flags.StringVar(&folder, "dir", "", "folder on the volume; needs 4 MiB of space")
	flags.IntVar(&syncs, "syncs", defaultSyncs, "maximum number of syncs")
	flags.DurationVar(&most, "time", defaultSyncTime, "maximum time, beyond the first hundred syncs")
	_ = command.MarkFlagRequired("dir")
	return command
}
